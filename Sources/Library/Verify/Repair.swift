import Addresses
import Domain
import Glibc
import JSON
import Records

/// Restores what an inspection found damaged, in four steps.
///
/// 1. Every damaged file gets a second name under `damaged/`, so that nothing is ever deleted.
/// 2. Records and documents are written first: a podcast that was restored incompletely must lose its validators before
/// its file looks intact again.
/// 3. Then the marker, which always follows the files it describes.
/// 4. Then the podcasts' files. A crash before the end leaves damage that the next repair finds.
struct Repair {
    static let folder = "damaged"

    private let disk: Disk
    private var inspection: Inspection
    private let copies: ConflictCopies
    private var table: PodcastTable
    private var report = RepairReport()
    private var files: [(name: String, bytes: [UInt8])] = []

    init(_ disk: Disk, _ inspection: Inspection, _ copies: ConflictCopies) {
        self.disk = disk
        self.copies = copies
        self.inspection = inspection
        table = inspection.table
    }

    mutating func run() throws -> RepairReport {
        let added = Set(copies.added.map(\.id))
        let leftovers = inspection.leftovers.filter { !($0.podcast.map(added.contains) ?? false) }
        report.damage = inspection.damage + leftovers
        report.conflicts = inspection.conflicts.map(\.file).filter { !copies.names.contains($0) }
        report.merged = copies.names
        guard !report.damage.isEmpty || !copies.names.isEmpty else { return report }
        for folder in [
            Self.folder, Disk.staging, EpisodeFiles.folder, EpisodeFiles.keptFolder, "backup", EpisodeFiles.backupFolder,
        ] {
            try disk.makeFolder(folder)
        }
        for name in try disk.list(Disk.staging) { try disk.remove("\(Disk.staging)/\(name)") }
        try setAside()
        for leftover in leftovers { try disk.remove(leftover.file) }
        for id in added where table[id] == nil { try keepEpisodes(of: id) }
        try swapLogsBack()
        for (id, files) in copies.episodeFiles.sorted(by: { $0.key < $1.key }) { try mergeEpisodes(of: id, files) }
        guard !inspection.damage.isEmpty || !files.isEmpty else { return report }
        for damage in inspection.damage where damage.file.hasPrefix(UndoFiles.folder + "/") {
            // An undo step has no second source; its damaged file was set aside.
            try disk.remove(damage.file)
            report.lost.append(damage.file)
        }
        try restoreSecrets()
        try restoreRecords()
        for id in inspection.damagedPodcasts.sorted() { try restore(id) }
        for (id, remains) in inspection.transcripts.sorted(by: { $0.key < $1.key }) { restoreTranscripts(of: id, remains) }
        let anchors = try writeShared()
        try writeMarker(anchors)
        try disk.replace(count: files.count) { batch in
            for file in files { try batch.write(file.name, file.bytes) }
        }
        // Damaged transcripts, which the lists no longer refer to.
        for name in inspection.transcripts.values.flatMap(\.files) { try disk.remove(name) }
        report.restored = Set(report.damage.filter { !$0.isLeftover }.map(\.file)).subtracting(report.lost).sorted()
        return report
    }

    private mutating func setAside() throws { report.setAside += try Self.setAside(report.damage.map(\.file), disk) }

    /// Gives each file a second name in `damaged/`, and returns these names.
    static func setAside(_ names: [String], _ disk: Disk) throws -> [String] {
        var aside: [String] = []
        try disk.makeFolder(folder)
        var taken = Set(try disk.list(folder))
        for name in Set(names).sorted() where try disk.exists(name) {
            let flat = String(name.map { $0 == "/" ? "-" : $0 })
            let free = (1...).lazy.map { "\(flat).\($0)" }.first { !taken.contains($0) } ?? flat
            taken.insert(free)
            do {
                try disk.link(name, to: "\(folder)/\(free)")
            } catch LibraryFailure.io(_, _, EPERM) {
                // A folder cannot have two names.
                try disk.rename(name, to: "\(folder)/\(free)")
            }
            aside.append("\(folder)/\(free)")
        }
        for folder in [folder, ""] { try disk.syncFolder(folder) }
        return aside
    }

    /// Swaps a log and its mirror back if each is stored under the other's name; both are intact then.
    private mutating func swapLogsBack() throws {
        for names in [[PodcastTable.logName, PodcastTable.mirrorName], [TagTable.logName, TagTable.mirrorName]] {
            let contents = try names.map { try fileContents($0) ?? [] }
            guard contents.map(RecordLog.owner(of:)) == names.reversed() else { continue }
            try disk.replace(count: 2) { batch in
                for (name, bytes) in zip(names.reversed(), contents) { try batch.write(name, bytes) }
            }
            inspection = try Inspection(disk)
            table = inspection.table
            report.restored = names.sorted()
        }
    }

    // MARK: Records

    private mutating func restoreSecrets() throws {
        guard let state = inspection.documents.first(where: { $0.document.name == PodcastTable.secrets.name }),
            state.isDamaged
        else { return }
        var secrets: [PodcastID: Credentials] = [:]
        if let good = state.good {
            _ = try state.document.read(good, as: state.document.name) { try secrets.read($1, from: &$0) }
        }
        table.set(secrets)
    }

    /// Brings the records in line with the mirror and with the podcasts' files.
    private mutating func restoreRecords() throws {
        guard inspection.isLogDamaged else { return }
        if let mirrored = inspection.mirrored {
            let subscribed = Set(mirrored.map(\.id))
            for podcast in table.sorted() where !subscribed.contains(podcast.id) { table.forget(podcast.id) }
            for podcast in mirrored {
                var restored = table[podcast.id] ?? podcast
                restored.feedURL = podcast.feedURL
                restored.subscribedAt = podcast.subscribedAt
                restored.settings = podcast.settings
                restored.credentials = table.secret(podcast.id)
                table.set(restored)
            }
        } else {
            report.lost.append(PodcastTable.logName)
            for podcast in table.sorted() where podcast.feedURL.isEmpty { table.forget(podcast.id) }
        }
        for podcast in table.sorted() where !inspection.damagedPodcasts.contains(podcast.id) {
            guard let file = try wholeFile(podcast.id) else { continue }
            table.set(try podcast.described(by: file))
        }
    }

    private func wholeFile(_ id: PodcastID) throws -> EpisodeFile? {
        for folder in [EpisodeFiles.folder, EpisodeFiles.keptFolder] {
            guard let name = EpisodeFile.name(id, in: folder), let bytes = try fileContents(name) else { continue }
            return try? EpisodeFile(bytes, name: name, podcast: id)
        }
        return nil
    }

    /// nil if there is no file, or something other than a file.
    private func fileContents(_ name: String) throws -> [UInt8]? {
        do { return try disk.read(name) } catch LibraryFailure.damaged { return nil }
    }

    // MARK: Conflicts

    /// Keeps the file of a podcast that another machine subscribed to, until its subscription is merged.
    private func keepEpisodes(of id: PodcastID) throws {
        guard let name = EpisodeFile.name(id, in: EpisodeFiles.folder),
            let keptName = EpisodeFile.name(id, in: EpisodeFiles.keptFolder),
            try disk.exists(name), try !disk.exists(keptName)
        else { return }
        try disk.rename(name, to: keptName)
        for folder in [EpisodeFiles.folder, EpisodeFiles.keptFolder] { try disk.syncFolder(folder) }
    }

    /// Adds the episodes that only a copy of the podcast's file has.
    private mutating func mergeEpisodes(of id: PodcastID, _ copies: [[UInt8]]) throws {
        guard var podcast = table[id], !inspection.damagedPodcasts.contains(id), let file = try wholeFile(id),
            let home = EpisodeFile.name(id, in: EpisodeFiles.folder),
            let backup = EpisodeFile.name(id, in: EpisodeFiles.backupFolder),
            let own = try fileContents(home)
        else { return }
        let salvage = Salvage(of: id, from: [own] + copies)
        guard salvage.count > file.episodes.count else { return }
        let bytes = salvage.file(id, revision: max(salvage.revision, podcast.episodesRevision) + 1)
        files += [(home, bytes), (backup, bytes)]
        podcast = try podcast.described(by: EpisodeFile(bytes, name: home, podcast: id))
        podcast.forgetAnswer()
        table.set(podcast)
    }

    // MARK: Podcasts

    private mutating func restore(_ id: PodcastID) throws {
        guard let current = EpisodeFile.name(id, in: EpisodeFiles.folder),
            let unsubscribed = EpisodeFile.name(id, in: EpisodeFiles.keptFolder),
            let backup = EpisodeFile.name(id, in: EpisodeFiles.backupFolder)
        else { return }
        let names = [current] + (inspection.misplaced[id] ?? []) + [unsubscribed, backup]
        let sources = try names.compactMap { name in try fileContents(name).map { (name: name, bytes: $0) } }
        let podcast = table[id]
        let present = sources.map(\.name)
        let home = podcast == nil && !present.contains(current) ? unsubscribed : current
        let isUnsubscribedDamaged = inspection.damage.contains { $0.file == unsubscribed }
        guard podcast != nil || present.contains(home) || isUnsubscribedDamaged else {
            // A backup that outlived its podcast is removed.
            return try disk.remove(backup)
        }
        // An intact file that is not older than its record is used as it is.
        let whole = sources.first { source in
            guard source.name != backup || podcast != nil,
                let file = try? EpisodeFile(source.bytes, name: source.name, podcast: id)
            else { return false }
            return file.revision >= podcast?.episodesRevision ?? 0
        }
        if let whole {
            if whole.name != current, whole.name != unsubscribed { files.append((home, whole.bytes)) }
            if inspection.damage.contains(where: { $0.file == backup }) { files.append((backup, whole.bytes)) }
            return
        }
        let salvage = Salvage(of: id, from: sources.map(\.bytes))
        if podcast == nil, salvage.count == 0 {
            let isStray = inspection.misplaced.values.contains { $0.contains(home) }
            if !isStray { report.lost.append(home) }
            table.forgetUnsubscribed(id)
            return try disk.remove(home)
        }
        let revision = max(salvage.revision, podcast?.episodesRevision ?? 0) + 1
        let bytes = salvage.file(id, revision: revision)
        files.append((home, bytes))
        files.append((backup, bytes))
        if var podcast {
            let missing = podcast.episodeCount - salvage.count
            podcast = try podcast.described(by: EpisodeFile(bytes, name: home, podcast: id))
            podcast.forgetAnswer()
            table.set(podcast)
            if podcast.fetch.isGone, missing > 0 { report.lost.append(home) } else { report.waiting.append(id) }
        } else {
            report.lost.append(home)
        }
    }

    /// Keeps the intact transcripts; the next fetch of transcripts brings the others.
    private mutating func restoreTranscripts(of id: PodcastID, _ remains: TranscriptInspection.Remains) {
        guard let name = TranscriptList.name(id) else { return }
        var list = remains.list
        list.revision = max(list.revision, table[id]?.transcripts.revision ?? 0) + 1
        files.append((name, list.bytes))
        guard var podcast = table[id] else { return }
        (podcast.transcripts.revision, podcast.transcripts.written) = (list.revision, list.revision)
        (podcast.transcripts.seen, podcast.transcripts.chaptersSeen) = (0, 0)
        table.set(podcast)
        report.waitingForTranscripts.append(id)
    }

    // MARK: Writing

    private mutating func writeShared() throws -> LibraryMarker.Anchors {
        var anchors = inspection.marker.anchors
        var (table, tags) = (self.table, inspection.tags)
        if inspection.areTagsDamaged, try !tags.restore(disk, anchors) { report.lost.append(TagTable.logName) }
        try disk.replace(count: 8) { batch in
            for state in inspection.documents where state.isDamaged && state.document.name != LibraryMarker.document.name {
                let name = state.document.name
                let revision = max(state.revision, anchors.revisions[name] ?? 0) + 1
                anchors.revisions[name] = revision
                if name == PodcastTable.secrets.name {
                    try state.document.write(to: &batch, revision: revision) { table.writeSecrets(to: &$0) }
                } else if let good = state.good {
                    try batch.write(state.document.copy, good)
                    try batch.write(name, good)
                    anchors.revisions[name] = state.revision
                } else {
                    try state.document.write(to: &batch, revision: revision) { _ in }
                }
                if state.isLost { report.lost.append(name) }
            }
            try table.rewrite(to: &batch)
            if inspection.areTagsDamaged { try tags.rewrite(to: &batch) }
        }
        anchors.logs[table.log.name] = table.log.anchor
        if let mirror = table.mirror { anchors.logs[mirror.name] = mirror.anchor }
        if inspection.areTagsDamaged { for log in tags.logs { anchors.logs[log.name] = log.anchor } }
        return anchors
    }

    private func writeMarker(_ anchors: LibraryMarker.Anchors) throws {
        let revision = inspection.documents.first { $0.document.name == LibraryMarker.document.name }?.revision ?? 0
        try disk.replace(count: 2) { batch in
            let members = LibraryMarker.Members(id: inspection.marker.id, anchors: anchors)
            try LibraryMarker.document.write(to: &batch, revision: revision + 1) { members.write(to: &$0) }
        }
    }
}

extension Podcast {
    /// Makes the next fetch due at once and complete. A writer that read the record before must not overwrite it.
    fileprivate mutating func forgetAnswer() {
        revision += 1
        fetch.isRestoring = true
        fetch.validators = nil
        fetch.bodyHash = nil
        fetch.contentDigest = nil
        fetch.nextDueAt = nil
        fetch.dueRule = nil
    }
}
