internal import Domain
internal import Glibc
internal import Threads

/// Makes segments of episodes on as many threads as there are processors, at most four. Each thread takes one job after
/// another from a queue, so that none waits for the others.
final class SegmentBuilders {
    private let builders: [SegmentBuilder]
    private let numbers: SegmentNumbers
    private let queue = BuildQueue()
    /// For merges that run meanwhile.
    let mergePause = MergePause()
    /// The number of threads that take jobs.
    private var running = 0
    private let ended = Semaphore()
    private var removals = Removals()

    /// The bytes of words of a segment, with this many builders; a word takes about two bytes. A large first fetch yields
    /// few segments, and none so small that it would be merged at once.
    private static func maxBytes(_ builders: Int) -> Int { max(3 << 20, (40 << 20) / builders) }
    /// Fewer episodes are not worth a thread.
    private static let fewEpisodes = 64

    init(_ folder: IndexFolder, _ numbers: SegmentNumbers) {
        self.numbers = numbers
        let count = min(4, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        let turns = (0..<(count + 1) / 2).map { _ in WritingTurn() }
        builders = (0..<count).map { number in
            SegmentBuilder(folder, numbers, turns[number / 2], maxBytes: Self.maxBytes(count))
        }
    }

    var isEmpty: Bool { running == 0 && removals.isEmpty && builders[0].buffer.isEmpty }

    func delete(_ document: Int, of segment: Int) { removals.deletions.insert(document, of: segment) }

    func remove(_ podcast: PodcastID) { removals.removed.append(podcast) }

    /// Adds the jobs, and waits until the last one is under way. Full segments are written.
    ///
    /// - Returns: the segments written since the last call.
    /// - Throws: `StorageError`, if a builder failed since the last call.
    func run(_ jobs: [BuildJob]) throws -> [Manifest.Entry] {
        if running == 0, areWorthThreads(jobs) { start() }
        if running > 0 {
            queue.send(jobs.map { .build($0) })
        } else {
            builders[0].attempt { builder in for job in jobs { try builder.add(job) } }
        }
        return try takeWritten()
    }

    /// False for few episodes, and for a podcast alone, which only one thread can take.
    private func areWorthThreads(_ jobs: [BuildJob]) -> Bool {
        jobs.reduce(0) { $0 + $1.episodes.count } >= Self.fewEpisodes && (jobs.count > 1 || !builders[0].buffer.isEmpty)
    }

    /// Writes everything not written yet.
    func finish() throws -> [Manifest.Entry] {
        defer { removals = Removals() }
        if running > 0 {
            end(.finish(removals))
        } else {
            builders[0].attempt { try $0.finish(removals) }
        }
        return try takeWritten()
    }

    /// Waits until no thread writes any more. Everything not written yet is dropped.
    func abandon() { end(.abandon) }

    private func takeWritten() throws -> [Manifest.Entry] {
        try builders.flatMap { try $0.takeWritten() }.sorted { $0.number < $1.number }
    }

    /// If the system cannot start any thread, the caller's thread does the work.
    private func start() {
        for builder in builders {
            let work: @Sendable () -> Void = { [queue, mergePause, ended] in
                builder.run(queue, mergePause)
                ended.signal()
            }
            guard (try? startThread(for: .indexing, work)) != nil else { return }
            running += 1
        }
    }

    /// - Parameter last: the last message of the first thread. The other threads have no removals to write.
    private func end(_ last: BuildQueue.Message) {
        guard running > 0 else { return }
        mergePause.end()
        let others: BuildQueue.Message = if case .finish = last { .finish(Removals()) } else { last }
        queue.send([last] + [BuildQueue.Message](repeating: others, count: running - 1))
        for _ in 0..<running { ended.wait() }
        running = 0
    }
}
