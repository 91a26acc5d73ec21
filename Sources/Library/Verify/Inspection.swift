import Domain
import JSON

/// Everything that can be said about a library's files, whatever state they are in.
struct Inspection {
    private(set) var damage: [LibraryDamage] = []
    /// Files of no subscription, which an interrupted run left.
    private(set) var leftovers: [LibraryDamage] = []
    private(set) var anchors = LibraryMarker.Anchors()
    private(set) var documents: [DocumentState] = []
    private(set) var table: PodcastTable
    /// What the mirror of the log says; nil where that is damaged itself.
    private(set) var mirrored: [Podcast]?
    private(set) var isLogDamaged = false
    private(set) var tags: TagTable
    private(set) var areTagsDamaged = false
    /// Podcasts whose files need work, whether there is a record of them or not.
    private(set) var damagedPodcasts: Set<PodcastID> = []
    /// Files found under another podcast's name.
    private(set) var misplaced: [PodcastID: [String]] = [:]
    /// What is left of transcripts where some are damaged.
    private(set) var transcripts: [PodcastID: TranscriptInspection.Remains] = [:]

    /// A document and its copy: whether one is damaged, and the newest bytes that hold.
    struct DocumentState {
        var document: Document
        var good: [UInt8]?
        var revision = 0
        var isDamaged = false
        var isLost = false
    }

    init(_ disk: Disk) throws {
        // 1. The marker says what the others must have reached.
        var found: [LibraryDamage] = []
        let isUsed = try disk.exists(PodcastTable.logName)
        let marker = try Self.inspect(LibraryMarker.document, disk, atLeast: isUsed ? 1 : nil, &found)
        if let good = marker.good {
            var anchors = LibraryMarker.Anchors()
            _ = try LibraryMarker.document.read(good, as: LibraryMarker.document.name) { try anchors.read($1, from: &$0) }
            self.anchors = anchors
        }
        documents = [marker]
        // 2. The documents and their copies.
        for document in [
            PodcastTable.secrets, TimesFile.document, HostFile.document, QueueFile.document, PositionFile.document,
            DownloadsFile.document,
        ] {
            documents.append(try Self.inspect(document, disk, atLeast: anchors.revisions[document.name], &found))
        }
        // 3. The logs.
        var logDamage: [LibraryFailure] = []
        table = try PodcastTable(disk, anchors) { logDamage.append($0) }
        logDamage.removeAll { Self.damage($0).file == PodcastTable.secrets.name }  // found above
        isLogDamaged = !logDamage.isEmpty
        var mirrorDamage: [LibraryFailure] = []
        let mirrored = try table.loadMirror(disk) { mirrorDamage.append($0) }
        if mirrorDamage.isEmpty { self.mirrored = mirrored }
        damage = found + (logDamage + mirrorDamage).map { Self.damage($0) }
        // 4. The owner's tags, and what can be undone.
        var tagDamage: [LibraryFailure] = []
        tags = try TagTable(disk, anchors) { tagDamage.append($0) }
        try tags.loadMirror(disk) { tagDamage.append($0) }
        areTagsDamaged = !tagDamage.isEmpty
        damage += tagDamage.map { Self.damage($0) }
        let undo = UndoFiles(disk: disk)
        for number in try undo.numbers() {
            do {
                _ = try undo.step(number)
            } catch let failure as LibraryFailure {
                guard case .damaged = failure else { throw failure }
                damage.append(Self.damage(failure))
            }
        }
        // 5. The podcasts, and what of them stands under the names of others.
        for name in Set(damage.map(\.file)) {
            if let bytes = try? disk.read(name), let owner = Salvage.owner(of: bytes) {
                misplaced[owner, default: []].append(name)
            }
        }
        try inspectPodcasts(disk)
        // 6. Their transcripts.
        let transcripts = try TranscriptInspection(disk, table.sorted())
        damage += transcripts.damage.map { Self.damage($0.failure, $0.podcast) }
        self.transcripts = transcripts.damaged
    }

    private mutating func inspectPodcasts(_ disk: Disk) throws {
        var present: Set<PodcastID> = []
        for folder in [EpisodeFiles.folder, EpisodeFiles.keptFolder, EpisodeFiles.backupFolder] {
            for name in try disk.list(folder) {
                guard let id = EpisodeFile.podcast(ofName: name) else { continue }
                // Behind a current file the others may be of any age.
                let known = present.contains(id) ? 0 : folder == EpisodeFiles.backupFolder ? 0 : table[id]?.episodesRevision ?? 0
                guard try inspect("\(folder)/\(name)", of: id, revision: known, disk), folder != EpisodeFiles.backupFolder
                else { continue }
                present.insert(id)
                if folder == EpisodeFiles.folder, table[id] == nil, !isLogDamaged {
                    leftovers.append(
                        LibraryDamage(file: "\(folder)/\(name)", reason: "of no subscription", podcast: id, isLeftover: true))
                }
            }
        }
        for id in table.kept.sorted() where !present.contains(id) && !damagedPodcasts.contains(id) {
            if let name = EpisodeFile.name(id, in: EpisodeFiles.keptFolder) { note(Damage.missing.failure(name), id) }
        }
        for podcast in table.sorted() where podcast.episodesRevision > 0 && !present.contains(podcast.id) {
            guard !damagedPodcasts.contains(podcast.id), let name = EpisodeFile.name(podcast.id, in: EpisodeFiles.folder)
            else { continue }
            note(Damage.missing.failure(name), podcast.id)
        }
    }

    /// True where the file is what it should be.
    private mutating func inspect(_ name: String, of id: PodcastID, revision: Int, _ disk: Disk) throws -> Bool {
        var read: [UInt8] = []
        do {
            // A name in its folder that cannot be opened is a link that leads nowhere.
            guard let bytes = try disk.read(name) else { throw Damage.noFile.failure(name) }
            read = bytes
            let file = try EpisodeFile(bytes, name: name, podcast: id)
            guard file.revision < revision else { return true }
            note(Damage.older.failure(name), id)
        } catch let failure as LibraryFailure {
            guard case .damaged = failure else { throw failure }
            note(failure, id)
            if let owner = Salvage.owner(of: read), owner != id { misplaced[owner, default: []].append(name) }
        }
        return false
    }

    private mutating func note(_ failure: LibraryFailure, _ podcast: PodcastID) {
        damage.append(Self.damage(failure, podcast))
        damagedPodcasts.insert(podcast)
    }

    private static func damage(_ failure: LibraryFailure, _ podcast: PodcastID? = nil) -> LibraryDamage {
        guard case .damaged(let file, let line, let reason) = failure else {
            return LibraryDamage(file: "", line: nil, reason: "", podcast: podcast)
        }
        return LibraryDamage(file: file, line: line, reason: reason, podcast: podcast)
    }

    private static func inspect(
        _ document: Document, _ disk: Disk, atLeast known: Int?, _ found: inout [LibraryDamage]
    ) throws -> DocumentState {
        var state = DocumentState(document: document)
        for name in [document.name, document.copy] {
            do {
                guard let bytes = try disk.read(name) else {
                    // Neither is there before the first write, and the copy is written first.
                    if known != nil || name == document.copy && state.good != nil { throw Damage.missing.failure(name) }
                    continue
                }
                let revision = try document.read(bytes, as: name) { json, _ in try json.skip() }
                if state.good == nil || revision > state.revision { (state.good, state.revision) = (bytes, revision) }
                // The marker's copy is written once.
                let newest = document.name == LibraryMarker.document.name ? 0 : state.revision
                if revision < max(known ?? 0, newest) { throw Damage.older.failure(name) }
            } catch let failure as LibraryFailure {
                guard case .damaged = failure else { throw failure }
                found.append(damage(failure))
                state.isDamaged = true
            }
        }
        state.isLost = state.isDamaged && (state.good == nil || state.revision < known ?? 0)
        return state
    }
}
