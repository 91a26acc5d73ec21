internal import CFiles
internal import Domain
internal import FileSystem
internal import Glibc
internal import Memory
internal import Searching

/// The folder of the index: its manifest, its segments and its lock.
///
/// A segment is complete before a manifest lists it, so a reader always sees a complete index. If a reader's manifest
/// is replaced, a segment may be missing when it is opened; the reader then reads the manifest again. Segments and the
/// folder are synced before the manifest that lists them gets its name, and the folder again afterwards: a power cut
/// leaves either the old or the new index.
struct IndexFolder {
    let path: String
    /// The library that the index is of; nil accepts any.
    var library: UInt64?
    /// Segments up to this size are read and checked as a whole when they are opened.
    static let smallSize = 256 << 10

    private var manifestPath: String { path + "/manifest" }
    func path(of number: Int) -> String { "\(path)/segment-\(number)" }

    // MARK: Reading

    /// Identifies the manifest that `manifest` read, to detect that it was replaced.
    struct Stamp: Equatable {
        var inode: UInt64
        var seconds: Int
        var nanoseconds: Int
    }

    /// nil if there is no manifest.
    ///
    /// - Throws: `StorageError`.
    func stamp() throws -> Stamp? {
        var facts = stat()
        guard stat(manifestPath, &facts) == 0 else {
            if errno == ENOENT { return nil }
            throw StorageError(errno: errno)
        }
        return Stamp(inode: UInt64(facts.st_ino), seconds: facts.st_mtim.tv_sec, nanoseconds: facts.st_mtim.tv_nsec)
    }

    /// The manifest; empty if there is none, or if it is of another library: the one at the same path was removed, and
    /// this one made anew.
    ///
    /// - Throws: `StorageError`, `StorageDamage`.
    func manifest() throws -> Manifest {
        do {
            let file = try MappedFile(indexFile: manifestPath)
            guard let manifest = Manifest(ByteView(file.bytes)) else { throw StorageDamage() }
            guard let library, let owner = manifest.library, owner != library else { return manifest }
            // A reader of the earlier one must not take a new segment for one of its own.
            var empty = Manifest()
            empty.next = manifest.next
            return empty
        } catch let error as StorageError where error.errno == ENOENT {
            return Manifest()
        }
    }

    /// The current manifest and the segments that it lists.
    ///
    /// - Throws: `StorageError`, `StorageDamage`.
    func open() throws -> (manifest: Manifest, segments: [Segment]) {
        for _ in 0..<20 {
            let manifest = try manifest()
            do {
                return (manifest, try manifest.segments.map { try Segment(path(of: $0.number), $0) })
            } catch let error as StorageError where error.errno == ENOENT {
                // The segment was merged into another meanwhile, or it is really missing.
                if try self.manifest() == manifest { throw StorageDamage() }
            }
        }
        throw StorageDamage()
    }

    // MARK: Writing

    /// Creates the folder, readable only by the user: the index contains the same data as the library.
    func make() {
        var end = path.startIndex
        while let slash = path[end...].dropFirst().firstIndex(of: "/") {
            mkdir(String(path[..<slash]), 0o700)
            end = slash
        }
        mkdir(path, 0o700)
    }

    /// - Parameter unsynced: numbers of segments that were not synced yet.
    /// - Throws: `StorageError`.
    func publish(_ manifest: Manifest, unsynced: [Int]) throws {
        for segment in manifest.segments where unsynced.contains(segment.number) {
            try sync(path(of: segment.number), O_RDONLY)
        }
        try sync(path, O_RDONLY | O_DIRECTORY)
        let writer = try FileWriter(manifestPath, replaces: true)
        var manifest = manifest
        manifest.library = library ?? manifest.library
        try manifest.text.withBytes { try writer.write($0) }
        try writer.publish()
        try sync(path, O_RDONLY | O_DIRECTORY)
    }

    /// Makes a file's contents or a folder's entries durable.
    private func sync(_ path: String, _ flags: Int32) throws {
        let file = Glibc.open(path, flags | O_CLOEXEC)
        guard file >= 0 else { throw StorageError(errno: errno) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw StorageError(errno: errno) }
    }

    /// Removes a segment that no manifest lists any more. Processes that have it open can still read it.
    func remove(_ segment: Int) { unlink(path(of: segment)) }

    /// Removes all files that the manifest does not list, such as those that a killed process left.
    func removeAllBut(_ manifest: Manifest) {
        remove(but: Set(manifest.segments.map { "segment-\($0.number)" } + ["manifest", "lock", IndexLock.queueName]))
    }

    /// Empties the folder.
    func removeAll() { remove(but: []) }

    private func remove(but remainingNames: Set<String>) {
        for name in folderNames(path) ?? [] where !remainingNames.contains(name) { unlink(path + "/" + name) }
    }
}

/// A lock for changing the index. The system releases it when the process ends in any way.
///
/// Whoever waits holds the lock `lock-next` meanwhile, so that a long run sees it and makes way.
final class IndexLock {
    static let queueName = "lock-next"

    private let descriptor: Int32
    private let queuePath: String

    /// - Throws: `IndexFailure.busy` if another process holds it for longer than `waitSeconds`; `StorageError`.
    init(_ folder: IndexFolder, waitSeconds: Int) throws {
        folder.make()
        queuePath = "\(folder.path)/\(Self.queueName)"
        descriptor = open(folder.path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(errno: errno) }
        if flock_exclusive(descriptor) == 0 { return }
        let queue = open(queuePath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { if queue >= 0 { close(queue) } }
        var milliseconds = 0
        while flock_exclusive(descriptor) != 0 {
            let error = errno
            guard error == EWOULDBLOCK || error == EINTR, milliseconds < waitSeconds * 1_000 else {
                close(descriptor)
                throw error == EWOULDBLOCK ? IndexFailure.busy as any Error : StorageError(errno: error)
            }
            // Several may wait; one of them is enough to be seen.
            if queue >= 0 { _ = flock_exclusive(queue) }
            usleep(IndexLock.pollTime)
            milliseconds += Int(IndexLock.pollTime / 1_000)
        }
    }

    /// Microseconds.
    static let pollTime: UInt32 = 20_000

    /// True if another process waits for this lock.
    var isWanted: Bool {
        let queue = open(queuePath, O_RDWR | O_CLOEXEC)
        guard queue >= 0 else { return false }
        defer { close(queue) }
        return flock_exclusive(queue) != 0 && errno == EWOULDBLOCK
    }

    deinit { close(descriptor) }
}
