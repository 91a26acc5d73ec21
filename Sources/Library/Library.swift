public import Domain
import Glibc
import Synchronization
public import Threads

/// The front door: the library in a folder. FORMAT.md beside this file describes the files.
///
/// ```swift
/// let library = try await Library.open(path, .write(waitSeconds: 5))
/// let podcast = try await library.podcast(at: "https://radio.example/feed.xml")
/// ```
/// It implements all repositories. Each kind of file has a type of its own, which opens no other kind. Any number of
/// processes read and write at the same time: readers take no lock, and a writer holds the write lock only while it
/// writes one batch. A refresh holds a second lock for its whole run, so that only one runs at a time.
public actor Library: FolderStore {
    public enum Mode: Sendable {
        /// Writes nothing. A library that does not exist is an empty one.
        case read
        /// Creates the library if it does not exist. Each write waits up to this long for another writer.
        case write(waitSeconds: Double)
    }

    public nonisolated let path: String
    /// What was wrong with `library.json` if its copy was read instead; nil if the file was intact.
    public nonisolated let damage: LibraryFailure?
    let writer: LibraryWriter
    let queue: QueueStore
    let positions: PositionStore
    let tags: TagStore
    private(set) var loaded: PodcastTable?
    /// The path of the catalogue; nil if this library has none.
    let cataloguePath: String?
    private let places: EpisodePlaces?
    /// Number of podcasts from which on the library has a catalogue.
    let smallestCatalogue: Int
    private(set) var catalogue: Catalogue?
    var run: FolderRun?
    let watch = LogWatch()
    /// Reads episodes for the comparisons of the current run; nil outside of runs.
    nonisolated let reader = Mutex<EpisodeReader?>(nil)
    /// Where the log of podcasts ended before the current batch.
    private var anchorBefore: LogAnchor?

    public nonisolated var unownedExecutor: UnownedSerialExecutor { writer.unownedExecutor }

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
        _ disk: Disk, _ mode: Mode, cache: String? = nil, smallestCatalogue: Int = Catalogue.smallest,
        on thread: BlockingThread? = nil
    ) async throws -> Library {
        let library = try Library(disk, thread ?? BlockingThread(for: .storing), mode, cache, smallestCatalogue)
        await library.writer.serve(library)
        if case .write = mode { try await library.writer.write {} }
        return library
    }

    private init(
        _ disk: Disk, _ thread: BlockingThread, _ mode: Mode, _ cache: String?, _ smallestCatalogue: Int
    ) throws {
        self.smallestCatalogue = smallestCatalogue
        path = disk.root
        cataloguePath = cache.map { $0 + "/catalogue" }
        places = cache.map { EpisodePlaces(folder: $0 + "/places") }
        let marker = try LibraryMarker(reading: disk)
        damage = marker.damage
        var waitSeconds: Double?
        if case .write(let seconds) = mode { waitSeconds = seconds }
        writer = LibraryWriter(disk, thread, marker, waitSeconds: waitSeconds)
        queue = QueueStore(writer)
        positions = PositionStore(writer)
        tags = TagStore(writer)
    }

    var episodeFiles: EpisodeFiles { EpisodeFiles(disk: disk, places: places) }
    var transcriptFiles: TranscriptFiles { TranscriptFiles(disk: disk) }

    // MARK: Reading

    /// The records as they are now.
    ///
    /// The log and the secrets are two files, and a writer may change one while the other is read. If a mismatch
    /// remains although the log did not change between two readings, it is damage.
    func table() throws -> PodcastTable {
        if let loaded, writer.isWriting { return loaded }
        if let loaded, try disk.status(PodcastTable.logName) == loaded.status { return loaded }
        loaded = nil
        var lastAnchor: LogAnchor?
        while true {
            var failure: LibraryFailure?
            let anchors = try writer.anchors
            let status = try disk.status(PodcastTable.logName)
            var table = try PodcastTable(disk, anchors) { failure = failure ?? $0 }
            table.status = status
            guard let failure else {
                loaded = table
                // A run writes the catalogue at its end.
                if run == nil { saveCatalogue() }
                return table
            }
            if table.log.anchor == lastAnchor { throw failure }
            lastAnchor = table.log.anchor
        }
    }

    /// Asks the catalogue if it is up to date, otherwise the table of all records.
    func ask<Answer>(_ question: (any RecordSource) throws -> Answer) throws -> Answer {
        if let catalogue = try currentCatalogue() {
            do {
                let answer = try question(catalogue)
                if catalogue.isDamaged { throw Catalogue.Unusable() }
                return answer
            } catch is Catalogue.Unusable {
                // The log is read instead; it reports what is wrong.
                self.catalogue = nil
                if let cataloguePath { unlink(cataloguePath) }
            }
        }
        return try question(try table())
    }

    /// nil if there is no catalogue, if it does not match the current log, or if the table is in memory anyway.
    private func currentCatalogue() throws -> Catalogue? {
        guard let cataloguePath, let status = try disk.status(PodcastTable.logName) else { return nil }
        if let loaded, writer.isWriting || loaded.status == status { return nil }
        if let catalogue, catalogue.status == status { return catalogue }
        catalogue = try? Catalogue(cataloguePath, disk, status)
        // A log that is older than the marker says is damaged: it must be read itself to report that.
        if let recorded = try writer.anchors.logs[PodcastTable.logName], let anchor = catalogue?.header.anchor,
            (anchor.generation, anchor.length) < (recorded.generation, recorded.length)
        {
            catalogue = nil
        }
        return catalogue
    }

    /// Writes the catalogue again if the table is in memory, or if the catalogue has changes.
    func saveCatalogue() {
        if loaded == nil, let cataloguePath, let changed = catalogue, changed.isChanged {
            // Another process may have written since, and its catalogue is newer.
            if (try? disk.status(PodcastTable.logName)) == changed.status { changed.write(to: cataloguePath) }
            catalogue = nil
        } else {
            Catalogue.write(loaded, to: cataloguePath, disk, smallest: smallestCatalogue)
        }
    }

    /// Forgets what was read. A reader calls it when it meets something that its own view does not explain.
    func reload() {
        loaded = nil
        catalogue = nil
    }

    // MARK: Writing

    /// Forgets records that another process has changed, and completes what a killed writer left. Called by the writer.
    func prepareBatch() throws {
        if let table = loaded, try disk.status(PodcastTable.logName) != table.status { loaded = nil }
        if try loaded != nil || disk.exists(PodcastTable.logName) { try finishRemovals() }
        anchorBefore = loaded?.log.anchor
    }

    /// Writes the catalogue. A refresh, which writes many batches, does that once, at its end. Called by the writer.
    func completeBatch() {
        if run == nil, loaded?.log.anchor != anchorBefore || catalogue?.isChanged ?? false { saveCatalogue() }
    }

    /// Completes an unsubscription that was killed after removing the records and before removing all files. Anything
    /// appended to the log afterwards would hide that these files were to be removed.
    private func finishRemovals() throws {
        do {
            let ids = try ask { $0.lastRemoved }.filter { try episodeFiles.exists($0, in: EpisodeFiles.folder) }
            guard !ids.isEmpty else { return }
            try transcriptFiles.remove(ids)
            try episodeFiles.remove(ids)
        } catch LibraryFailure.damaged {
            // A damaged log proves nothing, so nothing is removed.
        }
    }

    /// Stores changed records.
    ///
    /// A library with a catalogue appends them to the log. All records are loaded only if a log is to be rewritten, which
    /// a run leaves to its end, or if a password changes, which is stored in a file of its own.
    func save(_ changes: [Catalogue.Change]) throws {
        if var changed = try currentCatalogue() {
            let before = changed.status
            catalogue = nil  // one owner, so that the change copies nothing
            defer { catalogue = changed }
            let mirrorAnchor = try writer.anchors.logs[PodcastTable.mirrorName]
            if try changed.append(changes, mirrorAnchor: mirrorAnchor, mayGrow: run != nil) {
                watch.noteOwn(from: before, to: changed.status)
                writer.note([changed.log, changed.mirror].compactMap { $0 })
                return
            }
        }
        try change { table in
            let podcasts = changes.map(\.podcast)
            try table.addSecrets(of: podcasts, disk)
            try table.save(podcasts, disk)
            try table.dropSecrets(disk)
        }
    }

    /// Rewrites the log of podcasts if most of it is outdated.
    func rewriteLog() throws { try change { try $0.save([], disk) } }

    /// Changes the records on disk and in memory, and notes the new revisions in the marker.
    func change<Result>(_ body: (inout PodcastTable) throws -> Result) throws -> Result {
        var table = try table()
        loaded = nil  // one owner, so that the change copies nothing
        run?.forgetAll()
        let before = table.status
        let result: Result
        do {
            defer {
                table.status = (try? disk.status(PodcastTable.logName)) ?? nil
                watch.noteOwn(from: before, to: table.status)
                loaded = table
            }
            result = try body(&table)
        }
        let (logs, secrets) = ([table.log, table.mirror].compactMap { $0 }, table.secretsRevision)
        writer.note(logs, revisions: secrets > 0 ? [PodcastTable.secrets.name: secrets] : [:])
        return result
    }
}

extension Library {
    public nonisolated var repositories: Repositories {
        Repositories(
            podcasts: self, episodes: self, transcripts: self, work: self, queue: queue, tags: tags, positions: positions,
            downloads: DownloadStore(tags: tags), undo: self)
    }

    /// True if the folder holds a library.
    ///
    /// - Throws: `LibraryFailure`.
    public static func exists(_ path: String) throws -> Bool {
        try LibraryMarker(reading: Disk(root: path, calls: SystemCalls())).revision > 0
    }
}
