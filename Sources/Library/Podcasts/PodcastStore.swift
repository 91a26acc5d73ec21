public import Domain
import JSON
import Threads

/// The subscriptions: `podcasts.jsonl`, a log of records, and beside it `ledger.json` and `secrets.json`.
///
/// What nobody could fetch again (the feed URL, the user's settings) is appended to a second, small log,
/// `backup/podcasts.jsonl`, so that the loss of the first loses no subscription.
public actor PodcastStore: PodcastRepository {
    static let logName = "podcasts.jsonl"
    static let mirrorName = "backup/podcasts.jsonl"
    static let ledger = Document(name: "ledger.json")
    static let secrets = Document(name: "secrets.json")

    private let disk: Disk
    private let thread: BlockingThread
    private let marker: LibraryMarker
    private var loaded: PodcastTable?
    private var ledgerRevision: Int?

    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(_ disk: Disk, _ thread: BlockingThread, _ marker: LibraryMarker) {
        self.disk = disk
        self.thread = thread
        self.marker = marker
    }

    // MARK: Podcasts

    public func podcasts() async throws -> [Podcast] {
        try await table().sorted()
    }

    /// The podcast with this id.
    public func podcast(_ id: PodcastID) async throws -> Podcast? {
        try await table()[id]
    }

    public func save(_ podcasts: [Podcast]) async throws {
        guard !podcasts.isEmpty else { return }
        try await change { table in
            let new = podcasts.filter { table[$0.id] == nil }
            let podcasts = try podcasts.map { table[$0.id] == nil ? try describedByKept($0) : $0 }
            try table.addSecrets(of: podcasts, disk)
            try table.save(podcasts, disk)
            try table.dropSecrets(disk)
            for podcast in new { try takeUpKept(podcast.id) }
        }
    }

    /// A subscription that was not fetched yet has the episodes that were kept of an earlier one.
    private func describedByKept(_ podcast: Podcast) throws -> Podcast {
        guard podcast.revision == 0, let name = EpisodeFile.name(podcast.id, in: EpisodeStore.keptFolder) else { return podcast }
        do {
            guard let bytes = try disk.read(name) else { return podcast }
            return try podcast.described(by: EpisodeFile(bytes, name: name, podcast: podcast.id))
        } catch LibraryFailure.damaged {
            return podcast
        }
    }

    /// Episodes that were kept are a subscription's again.
    private func takeUpKept(_ id: PodcastID) throws {
        guard let kept = EpisodeFile.name(id, in: EpisodeStore.keptFolder), try disk.exists(kept),
            let current = EpisodeFile.name(id, in: EpisodeStore.folder)
        else { return }
        // Where the feed brought nothing new, nothing was written.
        if try disk.exists(current) {
            try disk.remove(kept)
        } else {
            try disk.rename(kept, to: current)
            try disk.syncFolder(EpisodeStore.folder)
        }
        try disk.syncFolder(EpisodeStore.keptFolder)
    }

    /// Their episodes are another store's: `EpisodeStore.remove`, before this where they are kept, else after it.
    public func remove(_ ids: [PodcastID], keepingEpisodes: Bool) async throws {
        try await change { table in
            try table.remove(ids, keepingEpisodes: keepingEpisodes, disk)
            try table.dropSecrets(disk)
        }
    }

    /// The podcasts whose removal, with their episodes, nothing was written after.
    func lastRemoved() async throws -> [PodcastID] {
        let table = try await table()
        return table.lastRemoved.filter { table[$0] == nil }
    }

    /// Podcasts that are not subscribed, and whose episodes were kept.
    func kept() async throws -> Set<PodcastID> { try await table().kept }

    /// - Parameter anew: reads the log again: what a reader does that meets something its own view does not explain.
    func fileRecord(_ id: PodcastID, anew: Bool = false) async throws -> PodcastTable.FileRecord {
        if anew { loaded = nil }
        return try await table().fileRecord(id)
    }

    private func table() async throws -> PodcastTable {
        if let loaded { return loaded }
        // Log and secrets are two files: beside a writer they may not fit. Where the log did not change from one
        // reading to the next, the secrets between them should have had all that it speaks of.
        var known: LogAnchor?
        while true {
            var failure: LibraryFailure?
            let table = try PodcastTable(disk, await marker.current()) { failure = failure ?? $0 }
            guard let failure else {
                loaded = table
                return table
            }
            if table.log.anchor == known { throw failure }
            known = table.log.anchor
        }
    }

    /// Changes files and memory in one go, without giving way to another call, and notes how far the files have come.
    private func change(_ body: (inout PodcastTable) throws -> Void) async throws {
        var table = try await table()
        loaded = nil  // one owner, so that the change copies nothing
        do {
            defer { loaded = table }
            try body(&table)
        }
        let (logs, secrets) = ([table.log, table.mirror].compactMap { $0 }, table.secretsRevision)
        try await marker.note(logs, revisions: secrets > 0 ? [Self.secrets.name: secrets] : [:])
    }

    // MARK: Ledger

    public func ledger() async throws -> RefreshLedger {
        var ledger = RefreshLedger()
        ledgerRevision = try Self.ledger.read(disk, atLeast: await marker.current().revisions[Self.ledger.name]) {
            try ledger.read($1, from: &$0)
        }
        return ledger
    }

    public func save(_ ledger: RefreshLedger) async throws {
        if ledgerRevision == nil { _ = try await self.ledger() }
        let revision = (ledgerRevision ?? 0) + 1
        try disk.replace(count: 2) { publication in
            try Self.ledger.write(to: &publication, revision: revision) { ledger.write(to: &$0) }
        }
        ledgerRevision = revision
        try await marker.note([], revisions: [Self.ledger.name: revision])
    }
}

extension RefreshLedger {
    func write(to json: inout JSONWriter) {
        json.time("lastRefreshAt", lastRefreshAt)
        json.time("lastRefreshEndedAt", lastRefreshEndedAt)
        json.object("hostPauses") { json in
            for (host, until) in hostPauses.sorted(by: { $0.key < $1.key }) {
                json.key(host)
                json.value(until)
            }
        }
    }

    mutating func read(_ key: String, from json: inout JSONReader) throws {
        switch key {
        case "lastRefreshAt": lastRefreshAt = try json.time()
        case "lastRefreshEndedAt": lastRefreshEndedAt = try json.time()
        case "hostPauses": try json.object { json, host in hostPauses[host] = try json.time() }
        default: try json.skip()
        }
    }
}
