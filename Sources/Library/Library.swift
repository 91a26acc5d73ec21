public import Domain
import Glibc
public import Threads

/// The front door: the library in a folder. FORMAT.md beside this file says what is on the disk.
///
/// ```swift
/// let library = try await Library.open(path, .write(waitSeconds: 5))
/// let podcast = try await library.podcast(at: "https://radio.example/feed.xml")
/// ```
/// It implements all repositories; each kind of file has a type of its own, which opens no other kind. Any number of
/// processes read and write at the same time: readers take no lock, and a writer holds the write lock only while it writes
/// one batch. Whoever refreshes holds a second lock for the whole run, so that there is one refresh at a time.
public actor Library {
    public enum Mode: Sendable {
        /// Writes nothing. A library that does not exist is an empty one.
        case read
        /// Creates the library if there is none. Each write waits so long for another writer.
        case write(waitSeconds: Double)
    }

    public nonisolated let path: String
    /// What was wrong with `library.json` when a copy of it was read instead; nil if nothing was.
    public nonisolated let damage: LibraryFailure?
    /// Where the library is as it was before this program took it over from an earlier version; nil if it did not.
    public private(set) var earlierVersion: String?
    let disk: Disk
    let thread: BlockingThread
    /// nil if this library is only read.
    let waitSeconds: Double?
    var marker: LibraryMarker
    /// True while this process holds the write lock.
    private(set) var isWriting = false
    private var loaded: PodcastTable?
    /// Where the catalogue is; nil if there is none for this library.
    let cataloguePath: String?
    private var catalogue: Catalogue?
    var loadedTags: TagTable? { didSet { idsByTag = [:] } }
    /// The episodes of tags that were asked for since the tags changed last, in id order.
    var idsByTag: [Tag: [EpisodeID]] = [:]
    var run: FolderRun?
    let watch = LogWatch()

    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - cache: a folder in which a catalogue of the records is kept, for short questions to large libraries; nil for none.
    ///   - thread: reads and writes; nil for one of its own.
    /// - Throws: `LibraryFailure.locked` if another writer does not end, `.newerVersion` for a library of a later program.
    public static func open(
        _ path: String, _ mode: Mode, cache: String? = nil, on thread: BlockingThread? = nil
    ) async throws -> Library {
        try await open(Disk(root: path, calls: SystemCalls()), mode, cache: cache, on: thread)
    }

    static func open(
        _ disk: Disk, _ mode: Mode, cache: String? = nil, on thread: BlockingThread? = nil
    ) async throws -> Library {
        let library = try Library(disk, thread ?? BlockingThread(for: .storing), mode, cache)
        if case .write = mode { try await library.write {} }
        return library
    }

    private init(_ disk: Disk, _ thread: BlockingThread, _ mode: Mode, _ cache: String?) throws {
        self.disk = disk
        self.thread = thread
        path = disk.root
        cataloguePath = cache.map { $0 + "/catalogue" }
        if case .write(let seconds) = mode { waitSeconds = seconds } else { waitSeconds = nil }
        marker = try LibraryMarker(reading: disk)
        damage = marker.damage
    }

    var episodeFiles: EpisodeFiles { EpisodeFiles(disk: disk) }
    var transcriptFiles: TranscriptFiles { TranscriptFiles(disk: disk) }

    // MARK: Reading

    /// The records as they are now.
    ///
    /// Log and secrets are two files: beside a writer they may not fit. If the log did not change from one reading to the
    /// next, the secrets between them should have had all that it speaks of.
    func table() throws -> PodcastTable {
        if let loaded, isWriting { return loaded }
        if let loaded, try disk.status(PodcastTable.logName) == loaded.status { return loaded }
        loaded = nil
        var known: LogAnchor?
        while true {
            var failure: LibraryFailure?
            if !isWriting { marker = try LibraryMarker(reading: disk) }
            let status = try disk.status(PodcastTable.logName)
            var table = try PodcastTable(disk, marker.anchors) { failure = failure ?? $0 }
            table.status = status
            guard let failure else {
                loaded = table
                // A run writes it at its end.
                if run == nil { saveCatalogue() }
                return table
            }
            if table.log.anchor == known { throw failure }
            known = table.log.anchor
        }
    }

    /// Asks the catalogue if it is up to date, else the table of all records.
    func ask<Answer>(_ question: (any RecordSource) throws -> Answer) throws -> Answer {
        if let catalogue = try currentCatalogue() {
            do {
                let answer = try question(catalogue)
                if catalogue.isDamaged { throw Catalogue.Unusable() }
                return answer
            } catch is Catalogue.Unusable {
                // The log itself tells what is wrong.
                self.catalogue = nil
                if let cataloguePath { unlink(cataloguePath) }
            }
        }
        return try question(try table())
    }

    /// nil if there is none, if it is not that of the log as it is now, or if the table is in memory anyway.
    private func currentCatalogue() throws -> Catalogue? {
        guard let cataloguePath, let status = try disk.status(PodcastTable.logName) else { return nil }
        if let loaded, isWriting || loaded.status == status { return nil }
        if let catalogue, catalogue.status == status { return catalogue }
        catalogue = try? Catalogue(cataloguePath, disk, status)
        // The library must not be behind what it was known to have reached.
        if !isWriting { marker = try LibraryMarker(reading: disk) }
        if let known = marker.anchors.logs[PodcastTable.logName], let anchor = catalogue?.header.anchor,
            (anchor.generation, anchor.length) < (known.generation, known.length)
        {
            catalogue = nil
        }
        return catalogue
    }

    /// Below this a library is read as fast as its catalogue.
    static let smallestCatalogued = 500

    /// Writes the catalogue anew if the table in memory is ahead of it.
    func saveCatalogue(smallest: Int = smallestCatalogued) {
        guard let cataloguePath, let loaded, loaded.all.count >= smallest, loaded.status != nil else { return }
        Catalogue.write(loaded, to: cataloguePath, disk)
    }

    /// Forgets what was read: a reader does so when it meets something that its own view does not explain.
    func reload() {
        loaded = nil
        catalogue = nil
    }

    // MARK: Writing

    /// Runs `body` with the write lock held, on the library as it is then. `body` does not suspend, so nothing else of this
    /// process comes between either.
    func write<Result>(_ body: () throws -> Result) async throws -> Result {
        guard let waitSeconds else { throw LibraryFailure.io(file: "", operation: "open", errno: EROFS) }
        try disk.makeRoot()
        let lock = try await FolderLock.take(FolderLock.write, in: disk, waitSeconds: waitSeconds)
        isWriting = true
        defer { isWriting = false }
        return try withExtendedLifetime(lock) {
            try prepare()
            let before = loaded?.log.anchor
            let result = try body()
            try marker.save(disk)
            // A refresh writes many batches, and the catalogue once, at its end.
            if run == nil, loaded?.log.anchor != before { saveCatalogue() }
            return result
        }
    }

    private func prepare() throws {
        marker = try LibraryMarker(disk)
        let isOutdated = marker.anchors.version < LibraryMarker.document.version
        if marker.revision == 0 || isOutdated { try makeFolders() }
        // What a killed writer left behind.
        for name in try disk.list(Disk.staging) { try disk.remove("\(Disk.staging)/\(name)") }
        try marker.create(disk)
        if let known = loaded, try disk.status(PodcastTable.logName) != known.status { loaded = nil }
        if try loaded != nil || disk.exists(PodcastTable.logName) { try finishRemovals() }
        if isOutdated { try takeOver() }
    }

    private func makeFolders() throws {
        for folder in [Disk.staging, EpisodeFiles.folder, EpisodeFiles.keptFolder, "backup", EpisodeFiles.backupFolder] {
            try disk.makeFolder(folder)
        }
    }

    private func takeOver() throws {
        var takeover = Takeover(disk, try table())
        loaded = nil  // one owner, so that the change copies nothing
        loaded = try takeover.run(&marker)
        saveCatalogue()
        earlierVersion = disk.path(Takeover.folder)
    }

    /// Ends what a killed unsubscription began: its records are gone, some of its files are not. Anything written to the
    /// log afterwards would hide that they were on their way out.
    private func finishRemovals() throws {
        do {
            let ids = try ask { $0.lastRemoved }.filter { try episodeFiles.exists($0, in: EpisodeFiles.folder) }
            guard !ids.isEmpty else { return }
            try transcriptFiles.remove(ids)
            try episodeFiles.remove(ids)
        } catch LibraryFailure.damaged {
            // Then nothing is certain, and nothing goes.
        }
    }

    /// Changes the records on disk and in memory, and notes how far the files have come.
    func change<Result>(_ body: (inout PodcastTable) throws -> Result) throws -> Result {
        var table = try table()
        loaded = nil  // one owner, so that the change copies nothing
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
        marker.note(logs, revisions: secrets > 0 ? [PodcastTable.secrets.name: secrets] : [:])
        return result
    }
}

extension Library {
    /// True if a library was begun in this folder.
    ///
    /// - Throws: `LibraryFailure`.
    public static func exists(_ path: String) throws -> Bool {
        try LibraryMarker(reading: Disk(root: path, calls: SystemCalls())).revision > 0
    }
}
