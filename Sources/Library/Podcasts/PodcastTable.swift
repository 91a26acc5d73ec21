import Domain
import JSON
import Records

/// All podcasts in memory, as the log says, and how a change gets into the log.
///
/// What nobody could fetch again (the feed URL, the user's settings) is appended to a second, small log,
/// `backup/podcasts.jsonl`, so that the loss of the first loses no subscription. Users and passwords are in `secrets.json`.
struct PodcastTable: Sendable {
    static let logName = "podcasts.jsonl"
    static let mirrorName = "backup/podcasts.jsonl"
    static let secrets = Document(name: "secrets.json")

    private(set) var log = RecordLog(name: logName)
    /// Read only before it is written, and by verify.
    private(set) var mirror: RecordLog?
    private let mirrorAnchor: LogAnchor?
    private(set) var secretsRevision = 0
    private var secrets: [PodcastID: Credentials] = [:]
    /// nil where the podcast was removed.
    private var podcasts: [Podcast?] = []
    private var places: [PodcastID: Int] = [:]
    /// What the log's last lines say was removed with its episodes.
    private(set) var lastRemoved: [PodcastID]
    /// Podcasts that are unsubscribed and whose episodes were kept: their files must be there.
    private(set) var kept: Set<PodcastID> = []
    /// The library's revision: that of the last change of content.
    private(set) var contentRevision = 0
    /// The content revisions of removals, as far as this generation of the log tells.
    private(set) var removedAt: [(revision: Int, id: PodcastID)] = []
    /// Removals up to this content revision are forgotten.
    private(set) var forgottenRevision = 0
    /// The log's file as it was when it was read or written last.
    var status: Disk.Status?
    /// Which removals the log knew of when it was read.
    private var removals: Removals

    /// Counts the removals in one generation of the log. While it stays the same, nobody has unsubscribed.
    struct Removals: Hashable, Sendable {
        let generation: Int
        var count: Int
    }

    /// What the log says of a podcast's file.
    struct FileRecord: Sendable {
        /// Where it was put; nil where none was written, or it was removed.
        let folder: String?
        /// What it must have reached.
        let revision: Int
        let removals: Removals
    }

    /// - Parameter damaged: is told of each damage; what it throws ends the reading.
    init(_ disk: Disk, _ anchors: LibraryMarker.Anchors, damaged: (LibraryFailure) throws -> Void = { throw $0 }) throws {
        mirrorAnchor = anchors.logs[PodcastTable.mirrorName]
        var lines = LogLines()
        try log.load(disk, from: anchors.logs[log.name], line: { try lines.read($0, $1) }, damaged: damaged)
        lastRemoved = lines.lastRemoved
        kept = lines.kept
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
        for podcast in lines.podcasts() {
            var podcast = podcast
            if lines.hasSecret.contains(podcast.id) {
                podcast.credentials = secrets[podcast.id]
                if podcast.credentials == nil { try damaged(Damage.missing.failure(secretsName)) }
            }
            set(podcast)
        }
    }

    /// Reads the mirror, and returns what it says.
    @discardableResult
    mutating func loadMirror(_ disk: Disk, damaged: (LibraryFailure) throws -> Void = { _ in }) throws -> [Podcast] {
        var lines = LogLines()
        var mirror = RecordLog(name: PodcastTable.mirrorName)
        try mirror.load(disk, from: mirrorAnchor, line: { try lines.read($0, $1) }, damaged: damaged)
        self.mirror = mirror
        return lines.podcasts()
    }

    subscript(id: PodcastID) -> Podcast? { places[id].flatMap { podcasts[$0] } }

    func fileRecord(_ id: PodcastID) -> FileRecord {
        let revision = self[id]?.episodesRevision ?? 0
        let folder = revision > 0 ? EpisodeFiles.folder : kept.contains(id) ? EpisodeFiles.keptFolder : nil
        return FileRecord(folder: folder, revision: revision, removals: removals)
    }

    /// In no order.
    var ids: some Collection<PodcastID> { places.keys }

    /// In no order.
    var all: some Collection<Podcast> { podcasts.lazy.compactMap { $0 } }

    /// All podcasts in the order of their ids, with these in place of what is known of them.
    func sorted(replacing changed: [Podcast] = []) -> [Podcast] {
        let new = Dictionary(changed.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        // Ids are sorted, not podcasts: those are large.
        let ids = new.isEmpty ? places.keys.sorted() : Set(places.keys).union(new.keys).sorted()
        var sorted: [Podcast] = []
        sorted.reserveCapacity(ids.count)
        for id in ids { if let podcast = new[id] ?? self[id] { sorted.append(podcast) } }
        return sorted
    }

    mutating func set(_ podcast: Podcast) {
        contentRevision = max(contentRevision, podcast.contentRevision)
        if let place = places[podcast.id] {
            podcasts[place] = podcast
        } else {
            places[podcast.id] = podcasts.count
            podcasts.append(podcast)
        }
    }

    // MARK: Changes

    mutating func save(_ changed: [Podcast], _ disk: Disk) throws {
        let pairs = changed.map { (podcast: $0, earlier: self[$0.id]) }.filter { $0.podcast != $0.earlier }
        // The mirror may know more than the log, never less.
        let mirrored = pairs.filter { PodcastRecord.subscriptionDiffers($0.podcast, since: $0.earlier) }
        if !mirrored.isEmpty {
            var mirror = try loadedMirror(disk)
            try mirror.extend(disk) { lines in
                for (podcast, earlier) in mirrored {
                    lines.add(podcast.id) { PodcastRecord.writeSubscription(podcast, since: earlier, to: &$0) }
                }
            } whole: {
                writeMirror(replacing: changed, to: &$0)
            }
            self.mirror = mirror
        }
        var log = self.log
        let revision = changed.reduce(contentRevision) { max($0, $1.contentRevision) }
        let generation = log.anchor.generation
        try log.extend(disk, headerRevision: revision) { lines in
            for (podcast, earlier) in pairs {
                lines.add(podcast.id) { PodcastRecord.write(podcast, since: earlier, to: &$0) }
            }
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
            kept.remove(podcast.id)
        }
        if !pairs.isEmpty { lastRemoved = [] }
    }

    mutating func remove(_ ids: [PodcastID], keepingEpisodes: Bool, _ disk: Disk) throws {
        let ids = ids.filter { self[$0] != nil || kept.contains($0) }
        guard !ids.isEmpty else { return }
        let revision = contentRevision + 1
        func add(_ lines: inout RecordLog.Lines) {
            for id in ids { Self.addRemoval(of: id, keepingEpisodes: keepingEpisodes, revision, to: &lines) }
        }
        try log.append(disk, add)
        contentRevision = revision
        removedAt += ids.map { (revision, $0) }
        removals.count += ids.count
        lastRemoved = keepingEpisodes ? [] : lastRemoved + ids
        for id in ids {
            forget(id)
            if keepingEpisodes { kept.insert(id) } else { kept.remove(id) }
        }
        var mirror = try loadedMirror(disk)
        try mirror.extend(disk, lines: add, whole: { writeMirror(to: &$0) })
        self.mirror = mirror
    }

    /// Gives podcasts other ids, in memory, for a rewrite. What is derived from them has to be derived again.
    mutating func rename(_ ids: [PodcastID: PodcastID]) {
        contentRevision += 1
        (lastRemoved, removedAt, forgottenRevision) = ([], [], contentRevision)
        for (old, new) in ids {
            if kept.remove(old) != nil { kept.insert(new) }
            guard let place = places.removeValue(forKey: old), var podcast = podcasts[place] else { continue }
            podcast.id = new
            if podcast.episodesRevision > 0 { podcast.contentRevision = contentRevision }
            podcasts[place] = podcast
            places[new] = place
        }
    }

    /// Writes both logs anew, without their outdated lines.
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
        for podcast in sorted(replacing: changed) {
            lines.add(podcast.id) { PodcastRecord.writeSubscription(podcast, since: nil, to: &$0) }
        }
    }

    private func writeLog(replacing changed: [Podcast] = [], to lines: inout RecordLog.Lines) {
        for podcast in sorted(replacing: changed) {
            lines.add(podcast.id) { PodcastRecord.write(podcast, since: nil, to: &$0) }
        }
        for id in kept.subtracting(changed.map(\.id)).sorted() {
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

    /// Writes the credentials of `changed` before their records are: a record that says it has a secret never goes
    /// without it.
    mutating func addSecrets(of changed: [Podcast], _ disk: Disk) throws {
        try writeSecrets(
            secrets.merging(changed.compactMap { podcast in podcast.credentials.map { (podcast.id, $0) } }) { $1 }, disk)
    }

    /// Takes out what no record speaks of any more.
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

    /// Changes only what is in memory, for a rewrite.
    mutating func forget(_ id: PodcastID) {
        if let place = places.removeValue(forKey: id) { podcasts[place] = nil }
    }

    mutating func forgetKept(_ id: PodcastID) { kept.remove(id) }

    mutating func takeOver(_ found: [PodcastID: Credentials]) {
        secrets = found
        for podcast in sorted() where found[podcast.id] != podcast.credentials {
            var podcast = podcast
            podcast.credentials = found[podcast.id]
            set(podcast)
        }
    }

    func secret(_ id: PodcastID) -> Credentials? { secrets[id] }
    func writeSecrets(to json: inout JSONWriter) { secrets.write(to: &json) }
}
