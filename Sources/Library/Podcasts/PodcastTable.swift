import Addresses
import Domain
import JSON
import Records

/// All podcasts in memory, as read from the log, and the way changes get into the log.
///
/// Data that cannot be fetched again (the feed URL, the user's settings) is also appended to a second, small log,
/// `backup/podcasts.jsonl`, so that losing the first loses no subscription. Users and passwords are in `secrets.json`.
struct PodcastTable: Sendable {
    static let logName = "podcasts.jsonl"
    static let mirrorName = "backup/podcasts.jsonl"
    static let secrets = Document(name: "secrets.json")

    private(set) var log = RecordLog(name: logName)
    /// Loaded only before it is written, and by verify.
    private(set) var mirror: RecordLog?
    private let mirrorAnchor: LogAnchor?
    private(set) var secretsRevision = 0
    private var secrets: [PodcastID: Credentials] = [:]
    /// nil if the podcast was removed.
    private var podcasts: [Podcast?] = []
    private var indices: [PodcastID: Int] = [:]
    /// Podcasts that the last lines of the log removed together with their episodes.
    private(set) var lastRemoved: [PodcastID]
    /// Unsubscribed podcasts whose episodes are still stored: their files must exist.
    private(set) var unsubscribed: Set<PodcastID> = []
    /// The library's revision: that of the last change to its content.
    private(set) var contentRevision = 0
    /// The content revisions of removals in this generation of the log.
    private(set) var removedAt: [(revision: Int, id: PodcastID)] = []
    /// Removals up to this content revision are no longer in `removedAt`.
    private(set) var forgottenRevision = 0
    /// The status of the log file when it was last read or written.
    var status: Disk.Status?
    /// The removals in the log when it was last read or written.
    private var removals: Removals

    /// Counts the removals in one generation of the log. As long as it is unchanged, nobody has unsubscribed.
    struct Removals: Hashable, Sendable {
        let generation: Int
        var count: Int
    }

    /// What the log states about a podcast's file.
    struct FileRecord: Sendable {
        /// The folder of the file; nil if none was written or it was removed.
        let folder: String?
        /// The revision that the file must have reached.
        let revision: Int
        let removals: Removals
    }

    /// - Parameter damaged: called for each damage; reading ends if it throws.
    init(_ disk: Disk, _ anchors: LibraryMarker.Anchors, damaged: (LibraryFailure) throws -> Void = { throw $0 }) throws {
        mirrorAnchor = anchors.logs[PodcastTable.mirrorName]
        var lines = LogLines()
        try log.load(disk, from: anchors.logs[log.name], line: { try lines.read($0, $1) }, damaged: damaged)
        lastRemoved = lines.lastRemoved
        unsubscribed = lines.unsubscribed
        removedAt = lines.removedAt
        forgottenRevision = log.headerRevision
        contentRevision = max(forgottenRevision, removedAt.last?.revision ?? 0)
        removals = Removals(generation: log.anchor.generation, count: lines.removals)
        let secretsName = PodcastTable.secrets.name
        do {
            secretsRevision = try PodcastTable.secrets.read(disk, atLeast: anchors.revisions[secretsName]) {
                try secrets.read($1, from: &$0)
            }
        } catch let failure as LibraryFailure {
            guard case .damaged = failure else { throw failure }
            try damaged(failure)
        }
        for (podcast, hasPassword) in try lines.podcasts(damaged: { try log.report($0, line: $1, to: damaged) }) {
            var podcast = podcast
            if hasPassword {
                podcast.credentials = secrets[podcast.id]
                if podcast.credentials == nil { try damaged(Damage.missing.failure(secretsName)) }
            }
            set(podcast)
        }
    }

    /// Reads the mirror and returns its podcasts.
    @discardableResult
    mutating func loadMirror(_ disk: Disk, damaged: (LibraryFailure) throws -> Void = { _ in }) throws -> [Podcast] {
        var lines = LogLines()
        var mirror = RecordLog(name: PodcastTable.mirrorName)
        try mirror.load(disk, from: mirrorAnchor, line: { try lines.read($0, $1) }, damaged: damaged)
        let podcasts = try lines.podcasts { try mirror.report($0, line: $1, to: damaged) }
        self.mirror = mirror
        return podcasts.map(\.podcast)
    }

    subscript(id: PodcastID) -> Podcast? { indices[id].flatMap { podcasts[$0] } }

    func fileRecord(_ id: PodcastID) -> FileRecord {
        let revision = self[id]?.episodesRevision ?? 0
        let folder = revision > 0 ? EpisodeFiles.folder : unsubscribed.contains(id) ? EpisodeFiles.keptFolder : nil
        return FileRecord(folder: folder, revision: revision, removals: removals)
    }

    /// In no order.
    var ids: some Collection<PodcastID> { indices.keys }

    /// In no order.
    var all: some Collection<Podcast> { podcasts.lazy.compactMap { $0 } }

    /// All podcasts in the order of their ids, with these in place of the stored ones.
    func sorted(replacing changed: [Podcast] = []) -> [Podcast] {
        let new = Dictionary(changed.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        // The ids are sorted rather than the podcasts, which are large.
        let ids = new.isEmpty ? indices.keys.sorted() : Set(indices.keys).union(new.keys).sorted()
        var sorted: [Podcast] = []
        sorted.reserveCapacity(ids.count)
        for id in ids { if let podcast = new[id] ?? self[id] { sorted.append(podcast) } }
        return sorted
    }

    mutating func set(_ podcast: Podcast) {
        contentRevision = max(contentRevision, podcast.contentRevision)
        if let index = indices[podcast.id] {
            podcasts[index] = podcast
        } else {
            indices[podcast.id] = podcasts.count
            podcasts.append(podcast)
        }
    }

    // MARK: Changes

    /// - Parameter mayGrow: true if the log may be appended to although it is due to be rewritten.
    mutating func save(_ changed: [Podcast], mayGrow: Bool = false, _ disk: Disk) throws {
        let pairs = changed.map { (podcast: $0, earlier: self[$0.id]) }.filter { $0.podcast != $0.earlier }
        // The mirror is written first: it may be ahead of the log, never behind.
        let mirrored = pairs.filter { PodcastRecord.subscriptionDiffers($0.podcast, since: $0.earlier) }
        if !mirrored.isEmpty {
            var mirror = try loadedMirror(disk)
            try mirror.extend(disk) { lines in
                for (podcast, earlier) in mirrored { lines.addSubscription(podcast, since: earlier) }
            } whole: {
                writeMirror(replacing: changed, to: &$0)
            }
            self.mirror = mirror
        }
        var log = self.log
        let revision = changed.reduce(contentRevision) { max($0, $1.contentRevision) }
        let generation = log.anchor.generation
        try log.extend(disk, headerRevision: revision, mayGrow: mayGrow) { lines in
            for (podcast, earlier) in pairs { lines.add(podcast, since: earlier) }
        } whole: {
            writeLog(replacing: changed, to: &$0)
        }
        self.log = log
        if log.anchor.generation != generation {
            (removedAt, forgottenRevision) = ([], revision)
            removals = Removals(generation: log.anchor.generation, count: removals.count)
        }
        for podcast in changed {
            set(podcast)
            unsubscribed.remove(podcast.id)
        }
        if !pairs.isEmpty { lastRemoved = [] }
    }

    /// - Parameter kept: those of which the episodes stay, which must be stored.
    mutating func remove(_ ids: [PodcastID], keeping kept: [PodcastID], _ disk: Disk) throws {
        func isHere(_ id: PodcastID) -> Bool { self[id] != nil || unsubscribed.contains(id) }
        let (ids, kept) = (ids.filter(isHere), kept.filter(isHere))
        let all = kept + ids
        guard !all.isEmpty else { return }
        let revision = contentRevision + 1
        // The removed ones are last: an interrupted removal of their files is recognized by the end of the log.
        func add(_ lines: inout RecordLog.Lines) {
            for id in kept { Self.addRemoval(of: id, keepingEpisodes: true, revision, to: &lines) }
            for id in ids { Self.addRemoval(of: id, keepingEpisodes: false, revision, to: &lines) }
        }
        try log.append(disk, add)
        contentRevision = revision
        removedAt += all.map { (revision, $0) }
        removals.count += all.count
        lastRemoved = (kept.isEmpty ? lastRemoved : []) + ids
        all.forEach { forget($0) }
        unsubscribed.subtract(ids)
        unsubscribed.formUnion(kept)
        var mirror = try loadedMirror(disk)
        try mirror.extend(disk, lines: add, whole: { writeMirror(to: &$0) })
        self.mirror = mirror
    }

    /// Writes both logs again, without their outdated lines.
    mutating func rewrite(to batch: inout AtomicBatch) throws {
        var (log, mirror) = (self.log, self.mirror ?? RecordLog(name: PodcastTable.mirrorName))
        try mirror.rewrite(&batch) { writeMirror(to: &$0) }
        try log.rewrite(&batch, headerRevision: contentRevision) { writeLog(to: &$0) }
        (self.log, self.mirror) = (log, mirror)
        removals = Removals(generation: log.anchor.generation, count: removals.count)
    }

    private mutating func loadedMirror(_ disk: Disk) throws -> RecordLog {
        if let mirror { return mirror }
        try loadMirror(disk)
        return mirror ?? RecordLog(name: PodcastTable.mirrorName)
    }

    private func writeMirror(replacing changed: [Podcast] = [], to lines: inout RecordLog.Lines) {
        for podcast in sorted(replacing: changed) { lines.addSubscription(podcast, since: nil) }
    }

    private func writeLog(replacing changed: [Podcast] = [], to lines: inout RecordLog.Lines) {
        for podcast in sorted(replacing: changed) { lines.add(podcast, since: nil) }
        for id in unsubscribed.subtracting(changed.map(\.id)).sorted() {
            Self.addRemoval(of: id, keepingEpisodes: true, contentRevision, to: &lines)
        }
    }

    private static func addRemoval(
        of id: PodcastID, keepingEpisodes: Bool, _ revision: Int, to lines: inout RecordLog.Lines
    ) {
        lines.add(id) { json in
            json.flag("removed", true)
            if keepingEpisodes { json.flag("kept", true) }
            json.integer("contentRevision", revision)
        }
    }

    /// Writes the credentials of `changed` before their records: a record that refers to a secret is never without it.
    mutating func addSecrets(of changed: [Podcast], _ disk: Disk) throws {
        try writeSecrets(
            secrets.merging(changed.compactMap { podcast in podcast.credentials.map { (podcast.id, $0) } }) { $1 }, disk)
    }

    /// Removes credentials that no record refers to any more.
    mutating func dropSecrets(_ disk: Disk) throws {
        try writeSecrets(secrets.filter { self[$0.key]?.credentials != nil }, disk)
    }

    private mutating func writeSecrets(_ needed: [PodcastID: Credentials], _ disk: Disk) throws {
        guard needed != secrets else { return }
        try disk.replace(count: 2) { batch in
            try PodcastTable.secrets.write(to: &batch, revision: secretsRevision + 1) { needed.write(to: &$0) }
        }
        secretsRevision += 1
        secrets = needed
    }

    // MARK: Repair

    /// Changes only the memory, before a rewrite.
    mutating func forget(_ id: PodcastID) {
        if let index = indices.removeValue(forKey: id) { podcasts[index] = nil }
    }

    mutating func forgetUnsubscribed(_ id: PodcastID) { unsubscribed.remove(id) }

    mutating func set(_ credentials: [PodcastID: Credentials]) {
        secrets = credentials
        for podcast in sorted() where credentials[podcast.id] != podcast.credentials {
            var podcast = podcast
            podcast.credentials = credentials[podcast.id]
            set(podcast)
        }
    }

    func secret(_ id: PodcastID) -> Credentials? { secrets[id] }
    func writeSecrets(to json: inout JSONWriter) { secrets.write(to: &json) }
}
