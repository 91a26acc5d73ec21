import Domain
import JSON
import Records

/// The findings about a library's files, whatever state these are in.
struct Inspection {
    private(set) var damage: [LibraryDamage] = []
    /// Files that belong to no subscription, left by an interrupted run.
    private(set) var leftovers: [LibraryDamage] = []
    /// Copies that a program which synchronises folders made, because two machines changed a file.
    private(set) var conflicts: [LibraryDamage] = []
    private(set) var marker = LibraryMarker.Members()
    private(set) var documents: [DocumentState] = []
    private(set) var table: PodcastTable
    /// The contents of the log's mirror; nil if that is damaged too.
    private(set) var mirrored: [Podcast]?
    private(set) var isLogDamaged = false
    private(set) var tags: TagTable
    private(set) var areTagsDamaged = false
    /// Podcasts whose files need repair, with or without a record.
    private(set) var damagedPodcasts: Set<PodcastID> = []
    /// Files that are stored under another podcast's name.
    private(set) var misplaced: [PodcastID: [String]] = [:]
    /// The intact transcripts of podcasts of which some are damaged.
    private(set) var transcripts: [PodcastID: TranscriptInspection.Remains] = [:]

    /// A document and its copy: whether one is damaged, and the newest intact bytes.
    struct DocumentState {
        var document: Document
        var good: [UInt8]?
        var revision = 0
        var isDamaged = false
        var isLost = false
    }

    init(_ disk: Disk) throws {
        // 1. The marker, which states what the other files must have reached.
        var documentDamage: [LibraryDamage] = []
        let isUsed = try disk.exists(PodcastTable.logName)
        let markerState = try Self.inspect(LibraryMarker.document, disk, atLeast: isUsed ? 1 : nil, &documentDamage)
        if let good = markerState.good {
            var members = LibraryMarker.Members()
            _ = try LibraryMarker.document.read(good, as: LibraryMarker.document.name) { try members.read($1, from: &$0) }
            marker = members
        }
        documents = [markerState]
        // 2. The documents and their copies.
        for document in [
            PodcastTable.secrets, TimesFile.document, HostFile.document, QueueFile.document, PositionFile.document,
            BookmarkFile.document,
        ] {
            documents.append(try Self.inspect(document, disk, atLeast: marker.anchors.revisions[document.name], &documentDamage))
        }
        // 3. The logs.
        var logDamage: [LibraryFailure] = []
        table = try PodcastTable(disk, marker.anchors) { logDamage.append($0) }
        logDamage.removeAll { Self.libraryDamage($0).file == PodcastTable.secrets.name }  // reported with the documents
        isLogDamaged = !logDamage.isEmpty
        var mirrorDamage: [LibraryFailure] = []
        let mirrored = try table.loadMirror(disk) { mirrorDamage.append($0) }
        if mirrorDamage.isEmpty { self.mirrored = mirrored }
        damage = documentDamage + (logDamage + mirrorDamage).map { Self.libraryDamage($0) }
        // 4. The owner's tags, and the steps that can be undone.
        var tagDamage: [LibraryFailure] = []
        tags = try TagTable(disk, marker.anchors) { tagDamage.append($0) }
        try tags.loadMirror(disk) { tagDamage.append($0) }
        areTagsDamaged = !tagDamage.isEmpty
        damage += tagDamage.map { Self.libraryDamage($0) }
        try inspectSteps(UndoFiles(disk: disk))
        // 5. The podcasts, and files of theirs that are stored under other names.
        for name in Set(damage.map(\.file)) {
            if let bytes = try? disk.read(name), let owner = Salvage.owner(of: bytes) {
                misplaced[owner, default: []].append(name)
            }
        }
        try inspectPodcasts(disk)
        // 6. Their transcripts.
        let transcripts = try TranscriptInspection(disk, table.sorted())
        damage += transcripts.damage.map { Self.libraryDamage($0.failure, $0.podcast) }
        self.transcripts = transcripts.damaged
        // 7. What may hold changes of another machine.
        try findConflicts(disk)
    }

    private mutating func inspectSteps(_ undo: UndoFiles) throws {
        for number in try undo.numbers() {
            do {
                _ = try undo.step(number)
            } catch let failure as LibraryFailure {
                guard case .damaged = failure else { throw failure }
                damage.append(Self.libraryDamage(failure))
            }
        }
    }

    private mutating func findConflicts(_ disk: Disk) throws {
        for folder in [
            "", EpisodeFiles.folder, EpisodeFiles.keptFolder, UndoFiles.folder, "backup", EpisodeFiles.backupFolder,
        ] {
            for name in try disk.list(folder).sorted() where ConflictCopies.isName(name) {
                conflicts.append(
                    LibraryDamage(
                        file: folder.isEmpty ? name : "\(folder)/\(name)",
                        reason: "a copy of a file that two machines changed; changes of the other may be missing here"))
            }
        }
    }

    private mutating func inspectPodcasts(_ disk: Disk) throws {
        var present: Set<PodcastID> = []
        for folder in [EpisodeFiles.folder, EpisodeFiles.keptFolder, EpisodeFiles.backupFolder] {
            for name in try disk.list(folder) {
                guard let id = EpisodeFile.podcast(ofName: name) else { continue }
                // If there is a current file, the others may be of any age.
                let isOld = present.contains(id) || folder == EpisodeFiles.backupFolder
                let revision = isOld ? 0 : table[id]?.episodesRevision ?? 0
                guard try inspect("\(folder)/\(name)", of: id, revision: revision, disk), folder != EpisodeFiles.backupFolder
                else { continue }
                present.insert(id)
                if folder == EpisodeFiles.folder, table[id] == nil, !isLogDamaged {
                    leftovers.append(
                        LibraryDamage(file: "\(folder)/\(name)", reason: "of no subscription", podcast: id, isLeftover: true))
                }
            }
        }
        for id in table.unsubscribed.sorted() where !present.contains(id) && !damagedPodcasts.contains(id) {
            if let name = EpisodeFile.name(id, in: EpisodeFiles.keptFolder) { note(Damage.missing.failure(name), id) }
        }
        for podcast in table.sorted() where podcast.episodesRevision > 0 && !present.contains(podcast.id) {
            guard !damagedPodcasts.contains(podcast.id), let name = EpisodeFile.name(podcast.id, in: EpisodeFiles.folder)
            else { continue }
            note(Damage.missing.failure(name), podcast.id)
        }
    }

    /// True if the file is intact and recent enough.
    private mutating func inspect(_ name: String, of id: PodcastID, revision: Int, _ disk: Disk) throws -> Bool {
        var read: [UInt8] = []
        do {
            // A name in its folder that cannot be opened is a dangling link.
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
        damage.append(Self.libraryDamage(failure, podcast))
        damagedPodcasts.insert(podcast)
    }

    private static func libraryDamage(_ failure: LibraryFailure, _ podcast: PodcastID? = nil) -> LibraryDamage {
        guard case .damaged(let file, let line, let reason) = failure else {
            return LibraryDamage(file: "", line: nil, reason: "", podcast: podcast)
        }
        return LibraryDamage(file: file, line: line, reason: reason, podcast: podcast)
    }

    private static func inspect(
        _ document: Document, _ disk: Disk, atLeast minimum: Int?, _ damage: inout [LibraryDamage]
    ) throws -> DocumentState {
        var state = DocumentState(document: document)
        for name in [document.name, document.copy] {
            do {
                guard let bytes = try disk.read(name) else {
                    // Before the first write neither file exists, and the copy is written first.
                    if minimum != nil || name == document.copy && state.good != nil { throw Damage.missing.failure(name) }
                    continue
                }
                let revision = try document.read(bytes, as: name) { json, _ in try json.skip() }
                if state.good == nil || revision > state.revision { (state.good, state.revision) = (bytes, revision) }
                // The copy of the marker is never updated.
                let newest = document.name == LibraryMarker.document.name ? 0 : state.revision
                if revision < max(minimum ?? 0, newest) { throw Damage.older.failure(name) }
            } catch let failure as LibraryFailure {
                guard case .damaged = failure else { throw failure }
                damage.append(libraryDamage(failure))
                state.isDamaged = true
            }
        }
        state.isLost = state.isDamaged && (state.good == nil || state.revision < minimum ?? 0)
        return state
    }
}
