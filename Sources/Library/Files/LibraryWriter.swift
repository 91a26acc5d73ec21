import Domain
import Glibc
import Threads

/// Writes to a folder, one batch at a time, and knows how far each of its shared files has come.
///
/// All stores of a folder run on the writer's thread. A batch cannot suspend, so no other store of this process runs between
/// its steps, and the write lock keeps other processes out. What must become durable together is written in one batch, in an
/// order in which a crash does no harm.
actor LibraryWriter {
    nonisolated let disk: Disk
    private nonisolated let thread: BlockingThread
    /// nil if the library is only read.
    private let waitSeconds: Double?
    private var marker: LibraryMarker
    private var isInBatch = false
    /// Prepares each batch, and completes it. Weak, because the stores that it works on refer to this writer.
    private weak var podcasts: PodcastWriter?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(_ disk: Disk, _ thread: BlockingThread, _ marker: LibraryMarker, waitSeconds: Double?) {
        self.disk = disk
        self.thread = thread
        self.marker = marker
        self.waitSeconds = waitSeconds
    }

    /// The library's id; nil before its first batch.
    var libraryID: UInt64? { marker.id }

    func serve(_ podcasts: PodcastWriter) { self.podcasts = podcasts }

    /// Runs `batch` on the current library with the write lock held.
    ///
    /// - Throws: `LibraryFailure`, or what `batch` throws.
    func write<Result: Sendable>(_ batch: @Sendable () throws -> Result) async throws -> Result {
        let lock = try await take(FolderLock.write)
        isInBatch = true
        defer { isInBatch = false }
        return try withExtendedLifetime(lock) {
            try prepare()
            let result = try batch()
            try marker.save(disk)
            podcasts?.completeBatch()
            return result
        }
    }

    /// Takes one of the folder's locks.
    ///
    /// - Throws: `LibraryFailure`; `.io` with `EROFS` if the library is only read.
    func take(_ lock: String) async throws -> FolderLock {
        guard let waitSeconds else { throw LibraryFailure.io(file: disk.root, operation: "open", errno: EROFS) }
        if lock == FolderLock.write { try disk.makeRoot() }
        return try await FolderLock.take(lock, in: disk, waitSeconds: waitSeconds)
    }

    private func prepare() throws {
        marker = try LibraryMarker(disk)
        if marker.revision == 0 { try makeFolders() }
        // Files that a killed writer left behind.
        for name in try disk.list(Disk.staging) { try disk.remove("\(Disk.staging)/\(name)") }
        try marker.create(disk)
        try podcasts?.prepareBatch()
    }

    private func makeFolders() throws {
        for folder in [Disk.staging, EpisodeFiles.folder, EpisodeFiles.keptFolder, "backup", EpisodeFiles.backupFolder] {
            try disk.makeFolder(folder)
        }
    }
}

/// For the stores, which run on the writer's thread.
extension LibraryWriter {
    /// True during a batch: the files are then changed by nobody else.
    nonisolated var isWriting: Bool { assumeIsolated { $0.isInBatch } }

    /// The revisions and log positions that the shared files have reached.
    ///
    /// - Throws: `LibraryFailure`.
    nonisolated var anchors: LibraryMarker.Anchors {
        get throws {
            try assumeIsolated { writer in
                if !writer.isInBatch { writer.marker = try LibraryMarker(reading: writer.disk) }
                return writer.marker.anchors
            }
        }
    }

    /// Notes the progress of files. The marker is written at the end of the batch.
    nonisolated func note(_ logs: [RecordLog] = [], revisions: [String: Int] = [:]) {
        assumeIsolated { $0.marker.note(logs, revisions: revisions) }
    }
}

/// A store of a folder, on the thread of the folder's writer.
protocol FolderStore: Actor {
    nonisolated var writer: LibraryWriter { get }
}

extension FolderStore {
    nonisolated var disk: Disk { writer.disk }

    /// Writes a batch, in which the store may call others with `assumeIsolated`.
    func write<Result: Sendable>(_ batch: @Sendable (isolated Self) throws -> Result) async throws -> Result {
        try await writer.write { try self.assumeIsolated(batch) }
    }
}
