internal import Synchronization
internal import Threads

/// A merge on a thread of its own, while other segments are built.
final class BackgroundMerge: Sendable {
    /// The range of segments that it replaces, as in the snapshot when it began; newer segments follow after it.
    let range: Range<Int>
    private let result = Mutex<Result<Manifest.Entry, any Error>?>(nil)
    private let isDone = Semaphore()

    /// - Parameters:
    ///   - deleted: the deleted documents of each segment in the range.
    ///   - number: the number of the new segment.
    ///   - pause: the pause of a builder meanwhile.
    init(
        _ range: Range<Int>, of manifest: Manifest, deleted: [DocumentSet], number: Int, in folder: IndexFolder,
        _ pause: MergePause
    ) {
        self.range = range
        pause.beginMerge()
        let work: @Sendable () -> Void = { [self] in
            let result = Result { try Self.merge(range, of: manifest, deleted: deleted, number: number, in: folder) }
            self.result.withLock { $0 = result }
            pause.end()
            isDone.signal()
        }
        do { try startThread(for: .indexing, work) } catch { work() }
    }

    private static func merge(
        _ range: Range<Int>, of manifest: Manifest, deleted: [DocumentSet], number: Int, in folder: IndexFolder
    ) throws -> Manifest.Entry {
        // The segments are opened again: a segment notes which blocks it has checked, so it must stay on one thread.
        let sources = try manifest.segments[range].map { try Segment(folder.path(of: $0.number), $0) }
        let older = Set(manifest.segments[..<range.lowerBound].map(\.number))
        let size = try Merge(sources, deleted: deleted).write(to: folder.path(of: number), older: older)
        return Manifest.Entry(number: number, size: size)
    }

    var isFinished: Bool { result.withLock { $0 != nil } }

    /// Waits for the end of the merge. May be called once.
    ///
    /// - Returns: the new segment.
    /// - Throws: `StorageError`, `StorageDamage`.
    func wait() throws -> Manifest.Entry {
        isDone.wait()
        guard let result = result.withLock({ $0 }) else { throw StorageDamage() }
        return try result.get()
    }
}
