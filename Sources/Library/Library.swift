public import Domain
public import Threads

/// The front door: the library in a folder. FORMAT.md beside this file describes the files.
///
/// ```swift
/// let library = try await Library.open(path, .write(waitSeconds: 5)).repositories
/// let podcast = try await library.podcasts.podcast(at: "https://radio.example/feed.xml")
/// ```
/// Each boundary is implemented by a store, which owns its files and opens no others. Any number of processes read and write
/// at the same time: readers take no lock, and a writer holds the write lock only while it writes one batch. A refresh holds
/// a second lock for its whole run, so that only one runs at a time.
public struct Library: Sendable {
    public enum Mode: Sendable {
        /// Writes nothing. A library that does not exist is an empty one.
        case read
        /// Creates the library if it does not exist. Each write waits up to this long for another writer.
        case write(waitSeconds: Double)
    }

    public let path: String
    /// Distinguishes this library from an earlier one at the same path, whose index may still be in the cache. nil if the
    /// library does not exist yet, or was created before ids were.
    public private(set) var id: UInt64?
    /// What was wrong with `library.json` if its copy was read instead; nil if the file was intact.
    public let damage: LibraryFailure?
    let writer: LibraryWriter
    let records: PodcastRecords
    let podcasts: PodcastStore
    let episodes: EpisodeStore
    let transcripts: TranscriptStore
    let tags: TagStore
    let downloads: DownloadStore
    let queue: QueueStore
    let positions: PositionStore
    let bookmarks: BookmarkStore
    let undo: UndoStore
    let work: WorkStore

    public var repositories: Repositories {
        Repositories(
            podcasts: podcasts, episodes: episodes, transcripts: transcripts, work: work, queue: queue, tags: tags,
            positions: positions, bookmarks: bookmarks, downloads: downloads, undo: undo)
    }

    /// - Parameters:
    ///   - cache: a folder for a catalogue of the records and for places of episodes, which answer short questions to large
    ///     libraries; nil for none.
    ///   - thread: the thread that reads and writes; nil for a new one.
    /// - Throws: `LibraryFailure.locked` if another writer does not end, `.newerVersion` or
    ///   `.olderVersion` for a library of another program.
    public static func open(
        _ path: String, _ mode: Mode, cache: String? = nil, on thread: BlockingThread? = nil
    ) async throws -> Library {
        try await open(Disk(root: path, calls: SystemCalls()), mode, cache: cache, on: thread)
    }

    static func open(
        _ disk: Disk, _ mode: Mode, cache: String? = nil, minCatalogued: Int = Catalogue.minPodcasts,
        on thread: BlockingThread? = nil
    ) async throws -> Library {
        var library = try Library(disk, thread ?? BlockingThread(for: .storing), mode, cache, minCatalogued)
        await library.writer.serve(library.podcasts.podcastWriter)
        if case .write = mode {
            try await library.writer.write {}
            library.id = await library.writer.libraryID
        }
        return library
    }

    private init(
        _ disk: Disk, _ thread: BlockingThread, _ mode: Mode, _ cache: String?, _ minCatalogued: Int
    ) throws {
        path = disk.root
        let marker = try LibraryMarker(reading: disk)
        damage = marker.damage
        id = marker.id
        var waitSeconds: Double?
        if case .write(let seconds) = mode { waitSeconds = seconds }
        writer = LibraryWriter(disk, thread, marker, waitSeconds: waitSeconds)
        records = PodcastRecords(
            writer, cataloguePath: cache.map { $0 + "/catalogue" }, minCatalogued: minCatalogued)
        episodes = EpisodeStore(writer, records, cache.map { EpisodePlaces(folder: $0 + "/places") })
        transcripts = TranscriptStore(writer, records)
        tags = TagStore(writer)
        downloads = DownloadStore(tags: tags)
        queue = QueueStore(writer)
        positions = PositionStore(writer)
        bookmarks = BookmarkStore(writer)
        let podcastWriter = PodcastWriter(records, episodes, transcripts, tags)
        podcasts = PodcastStore(records: records, podcastWriter: podcastWriter)
        undo = UndoStore(writer, records, podcastWriter, tags, queue, positions, bookmarks)
        work = WorkStore(writer, records, episodes, podcastWriter)
    }
}

extension Library {
    /// True if the folder holds a library.
    ///
    /// - Throws: `LibraryFailure`.
    public static func exists(_ path: String) throws -> Bool {
        try LibraryMarker(reading: Disk(root: path, calls: SystemCalls())).revision > 0
    }
}
