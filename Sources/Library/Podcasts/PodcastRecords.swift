import CFiles
import Domain
import Glibc

/// The records of the subscriptions: the log of podcasts, its mirror, the secrets, and the catalogue of a large library.
actor PodcastRecords: FolderStore {
    let writer: LibraryWriter
    private(set) var loaded: PodcastTable?
    private(set) var catalogue: Catalogue?
    /// The path of the catalogue; nil if this library has none.
    private let cataloguePath: String?
    /// Number of podcasts from which on the library has a catalogue.
    private let minCatalogued: Int
    /// The records that the current run has claimed, until they are settled; nil outside of runs.
    private var claimed: [PodcastID: Podcast]?
    /// Where the log ended before the current batch.
    private var anchorBefore: LogAnchor?
    nonisolated let watch = LogWatch()

    nonisolated var unownedExecutor: UnownedSerialExecutor { writer.unownedExecutor }

    init(_ writer: LibraryWriter, cataloguePath: String?, minCatalogued: Int) {
        self.writer = writer
        self.cataloguePath = cataloguePath
        self.minCatalogued = minCatalogued
    }

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
                if claimed == nil { saveCatalogue() }
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
            Catalogue.write(loaded, to: cataloguePath, disk, minPodcasts: minCatalogued)
        }
    }

    /// Forgets what was read. A reader calls it when it meets something that its own view does not explain.
    func reload() {
        loaded = nil
        catalogue = nil
    }

    func podcasts(_ ids: [PodcastID]) throws -> [Podcast] { try ask { try $0.podcasts(ids) } }

    // MARK: Batches

    /// Forgets records that another process has changed.
    func forgetOutdated() throws {
        if let table = loaded, try disk.status(PodcastTable.logName) != table.status { loaded = nil }
    }

    func beginBatch() { anchorBefore = loaded?.log.anchor }

    /// Writes the catalogue. A refresh, which writes many batches, does that once, at its end.
    func completeBatch() {
        if claimed == nil, loaded?.log.anchor != anchorBefore || catalogue?.isChanged ?? false { saveCatalogue() }
    }

    /// Podcasts whose removal may have been interrupted before all of their files were removed.
    func lastRemoved() throws -> [PodcastID] {
        guard try loaded != nil || disk.exists(PodcastTable.logName) else { return [] }
        return try ask { $0.lastRemoved }
    }

    /// Decides which of these are stored. Those that the run has claimed need not be read again, unless another process has
    /// written.
    func prepare(_ settlements: [Settlement]) throws -> PreparedSettlements {
        let unchanged = watch.isOutdated(disk) ? [:] : claimed ?? [:]
        var stored: [PodcastID: Podcast] = [:]
        for settlement in settlements { stored[settlement.podcast.id] = unchanged[settlement.podcast.id] }
        for podcast in try podcasts(settlements.map(\.podcast.id).filter { stored[$0] == nil }) { stored[podcast.id] = podcast }
        return PreparedSettlements(settlements, over: stored, contentRevision: try ask { $0.contentRevision } + 1)
    }

    /// Stores records alone. Requires a batch.
    func update(_ podcasts: [Podcast]) throws -> [WriteResult] {
        let prepared = try prepare(podcasts.map { Settlement($0) })
        try save(prepared.records)
        return prepared.results
    }

    /// Adds records with their passwords. Requires a batch.
    func add(_ podcasts: [Podcast]) throws {
        try change { table in
            try table.addSecrets(of: podcasts, disk)
            try table.save(podcasts, disk)
        }
    }

    /// Removes podcasts, and those whose episodes are kept. Requires a batch.
    func remove(_ ids: [PodcastID], keeping kept: [PodcastID]) throws {
        try change { table in
            try table.remove(ids, keeping: kept, disk)
            try table.dropSecrets(disk)
        }
    }

    /// Stores changed records. Requires a batch.
    ///
    /// They are appended to the log. A log that is due to be rewritten is, but a run leaves that to its end, with a catalogue
    /// and without: so a replay of the run leaves the same files. A library with a catalogue loads all records only for
    /// that, or if a password changes, which is stored in a file of its own.
    func save(_ changes: [Catalogue.Change]) throws {
        guard !changes.isEmpty else { return }
        defer { forget(changes.lazy.map(\.podcast.id)) }
        let isRunning = claimed != nil
        if var changed = try currentCatalogue() {
            let before = changed.status
            catalogue = nil  // one owner, so that the change copies nothing
            defer { catalogue = changed }
            let mirrorAnchor = try writer.anchors.logs[PodcastTable.mirrorName]
            if try changed.append(changes, mirrorAnchor: mirrorAnchor, mayGrow: isRunning) {
                watch.noteOwn(from: before, to: changed.status)
                writer.note([changed.log, changed.mirror].compactMap { $0 })
                return
            }
        }
        try change { table in
            let podcasts = changes.map(\.podcast)
            try table.addSecrets(of: podcasts, disk)
            try table.save(podcasts, mayGrow: isRunning, disk)
            try table.dropSecrets(disk)
        }
    }

    /// Changes the records on disk and in memory, and notes the new revisions in the marker.
    private func change<Result>(_ body: (inout PodcastTable) throws -> Result) throws -> Result {
        var table = try table()
        loaded = nil  // one owner, so that the change copies nothing
        if claimed != nil { claimed = [:] }
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

    // MARK: Runs

    func beginRun() { claimed = [:] }

    func claim(_ podcasts: [Podcast]) { for podcast in podcasts { claimed?[podcast.id] = podcast } }
    func forget(_ podcasts: some Sequence<PodcastID>) { for id in podcasts { claimed?[id] = nil } }
    func endRun() { claimed = nil }

    /// Rewrites the log if most of it is outdated, and writes the catalogue.
    func tidy() async {
        // A log that cannot be rewritten now is valid all the same, and the next run tries again.
        if catalogue?.log.mustBeRewritten ?? loaded?.log.mustBeRewritten ?? false {
            // All records are read for this. What the feeds took is free by now, but malloc still keeps it.
            malloc_trim(0)
            try? await write { records in try records.change { try $0.save([], records.disk) } }
        }
        if loaded == nil { saveCatalogue() }
    }

    /// Writes the catalogue of a table that does not change any more, on any thread.
    nonisolated func writeCatalogue(of table: PodcastTable?) {
        Catalogue.write(table, to: cataloguePath, disk, minPodcasts: minCatalogued)
    }
}
