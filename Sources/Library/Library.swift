import Domain
public import Threads

/// The front door: an opened library and its stores. FORMAT.md beside this file says what is on the disk.
///
/// ```swift
/// let library = try await Library.open(path, .write(waitSeconds: 5))
/// let podcasts = try await library.podcasts.podcasts()
/// ```
/// One process writes at a time, for as long as it keeps a store of its `Library`; any number read, and wait for nobody.
public struct Library: Sendable {
    public enum Mode: Sendable {
        /// Takes no lock. A library that does not exist is an empty one.
        case read
        /// Creates the library where there is none, and waits so long for another writer.
        case write(waitSeconds: Double)
    }

    public let path: String
    public let podcasts: PodcastStore
    public let episodes: EpisodeStore
    public let queue: QueueStore
    public let transcripts: TranscriptStore

    /// - Parameter thread: reads and writes; nil for one of its own.
    /// - Throws: `LibraryFailure.locked` for a second writer, `.newerVersion` for a library of a later program.
    public static func open(_ path: String, _ mode: Mode, on thread: BlockingThread? = nil) async throws -> Library {
        try await open(Disk(root: path, calls: SystemCalls()), mode, on: thread)
    }

    static func open(_ disk: Disk, _ mode: Mode, on thread: BlockingThread? = nil) async throws -> Library {
        let thread = try thread ?? BlockingThread.forStorage()
        guard case .write(let seconds) = mode else {
            return Library(disk, thread, try LibraryMarker(disk, thread, nil), isWriter: false)
        }
        try disk.makeRoot()
        let lock = try await WriteLock.take(in: disk, waitSeconds: seconds)
        let marker = try LibraryMarker(disk, thread, lock)
        for folder in [Disk.staging, EpisodeStore.folder, EpisodeStore.keptFolder, "backup", EpisodeStore.backupFolder] {
            try disk.makeFolder(folder)
        }
        // What a killed writer left behind.
        for name in try disk.list(Disk.staging) { try disk.remove("\(Disk.staging)/\(name)") }
        try await marker.create()
        let library = Library(disk, thread, marker, isWriter: true)
        try await library.finishRemovals()
        return library
    }

    /// Ends what a killed unsubscription began: its records are gone, some of its files are not. Anything written to the
    /// log afterwards would hide that they were on their way out.
    private func finishRemovals() async throws {
        do {
            let ids = try await episodes.unfinishedRemovals()
            guard !ids.isEmpty else { return }
            try await transcripts.remove(ids)
            try await episodes.remove(ids, keepingEpisodes: false)
        } catch LibraryFailure.damaged {
            // Then nothing is certain, and nothing goes.
        }
    }

    private init(_ disk: Disk, _ thread: BlockingThread, _ marker: LibraryMarker, isWriter: Bool) {
        path = disk.root
        podcasts = PodcastStore(disk, thread, marker)
        episodes = EpisodeStore(disk, thread, podcasts, isWriter: isWriter)
        queue = QueueStore(disk, thread, marker)
        transcripts = TranscriptStore(disk, thread)
    }
}

extension BlockingThread {
    /// Reading, writing and above all syncing block.
    static func forStorage() throws -> BlockingThread {
        do {
            return try BlockingThread()
        } catch {
            throw SystemFailure.call("pthread_create", errno: error.errno)
        }
    }
}
