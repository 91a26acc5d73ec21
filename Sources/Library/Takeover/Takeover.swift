import Domain
import JSON

/// Converts a library of version 1 to version 2, which has longer ids. They begin with the old ones, so ids that people
/// wrote down remain valid.
///
/// 1. All files of version 1 get second names under `before-version-2/`.
/// 2. Podcasts and transcripts are written under their new names, which nothing refers to yet.
/// 3. The secrets are written under both ids; then the logs, which put the new files into effect; then queue and tags.
/// 4. The files with old names are removed, and the marker is set to version 2.
///
/// After a crash before the end, readers find a library of version 1, or of version 2 with superfluous files, and the
/// next writer starts over. A podcast whose file is damaged keeps its id, so that `verify --repair` can restore it.
struct Takeover {
    static let folder = "before-version-2"
    /// Number of podcasts whose files are published together.
    private static let batchSize = 64

    private let disk: Disk
    private var table: PodcastTable
    private var files: EpisodeFiles { EpisodeFiles(disk: disk, places: nil) }
    private var transcripts: TranscriptFiles { TranscriptFiles(disk: disk) }

    init(_ disk: Disk, _ table: PodcastTable) { (self.disk, self.table) = (disk, table) }

    /// Returns the records under their new ids.
    mutating func run(_ marker: inout LibraryMarker) throws -> PodcastTable {
        let isBegun = table.all.contains { !$0.id.isShort }
        if !isBegun { try keepBefore() }
        let ids = Set(table.all.map(\.id)).union(table.unsubscribed).union(try files.unsubscribed())
        let renamed = try lengthen(ids.filter(\.isShort))
        table.rename(renamed)
        try table.addSecrets(of: Array(table.all), disk)
        try disk.replace(count: 2) { try table.rewrite(to: &$0) }
        var names = LongerNames(table, files)
        let queueRevision = try lengthenQueue(marker.anchors, &names)
        let tagLogs = try lengthenTags(marker.anchors, &names)
        try table.dropSecrets(disk)
        try removeShort()
        let logs = [table.log, table.mirror].compactMap { $0 } + tagLogs
        try marker.takeOver(
            logs,
            revisions: [PodcastTable.secrets.name: table.secretsRevision, QueueFile.document.name: queueRevision]
                .filter { $0.value > 0 }, disk)
        table.status = try disk.status(PodcastTable.logName)
        return table
    }

    // MARK: The library as it was

    private func keepBefore() throws {
        let folders = [
            "", EpisodeFiles.folder, EpisodeFiles.keptFolder, "backup", EpisodeFiles.backupFolder, TranscriptFiles.folder,
        ]
        let transcriptFolders = try disk.list(TranscriptFiles.folder).map { "\(TranscriptFiles.folder)/\($0)" }
        for folder in folders + transcriptFolders {
            let copy = folder.isEmpty ? Self.folder : "\(Self.folder)/\(folder)"
            try disk.makeFolder(copy)
            for name in try disk.list(folder) where name.hasSuffix(".json") || name.hasSuffix(".jsonl") {
                try keep(folder.isEmpty ? name : "\(folder)/\(name)", as: "\(copy)/\(name)")
            }
        }
        try disk.syncAll()
    }

    private func keep(_ name: String, as copy: String) throws {
        do {
            try disk.link(name, to: copy)
        } catch LibraryFailure.io {
            // Some file systems cannot give a file two names.
            guard let bytes = try disk.read(name) else { return }
            try disk.create(copy, sync: false) { write in try bytes.withUnsafeBytes(write) }
        }
    }

    // MARK: Podcasts

    private func lengthen(_ ids: Set<PodcastID>) throws -> [PodcastID: PodcastID] {
        var renamed: [PodcastID: PodcastID] = [:]
        var remainingIDs = ids.sorted()[...]
        while !remainingIDs.isEmpty {
            let some = remainingIDs.prefix(Self.batchSize)
            remainingIDs = remainingIDs.dropFirst(some.count)
            try disk.replace(count: .max) { batch in
                for id in some { renamed[id] = try lengthen(id, &batch) }
            }
        }
        return renamed
    }

    /// Returns nil if the podcast keeps its id because its file is damaged.
    private func lengthen(_ id: PodcastID, _ batch: inout AtomicBatch) throws -> PodcastID? {
        let podcast = table[id]
        let file: EpisodeFile?
        do {
            file = try files.read(id, .checked, atLeast: podcast?.episodesRevision ?? 0, isAlone: true)
        } catch LibraryFailure.damaged {
            return nil
        }
        var urls = podcast.map { [$0.feedURL] + $0.fetch.moves.map(\.from) } ?? []
        guard let file else { return id.lengthened(feedURLs: urls) }
        let channel = try? file.channel()
        if podcast == nil, let url = channel?.feedURL { urls.append(url) }
        let new = id.lengthened(feedURLs: urls)
        guard let episodes = try? file.episodes.indices.map({ try file.episode($0) }),
            let folder = file.name.split(separator: "/").first, let name = EpisodeFile.name(new, in: String(folder))
        else { return nil }
        var ids: [EpisodeID: EpisodeID] = [:]
        var writer = EpisodeFileWriter()
        writer.begin(podcast: new, revision: file.revision, count: episodes.count) { json in
            if let range = file.channelRange { json.raw(file.bytes[range]) } else { json.object { _ in } }
        }
        for episode in episodes {
            let longer = episode.id.lengthened(in: new, identity: IdentityKeys(of: episode.item).primary)
            ids[episode.id] = longer
            writer.add(episode.renamed(longer))
        }
        try writer.finish { bytes in try batch.write(name) { write in try write(bytes) } }
        try lengthenTranscripts(of: id, as: new, ids, &batch)
        return new
    }

    private func lengthenTranscripts(
        of id: PodcastID, as new: PodcastID, _ ids: [EpisodeID: EpisodeID], _ batch: inout AtomicBatch
    ) throws {
        guard let old = TranscriptFile.folder(of: id), try disk.exists(old), let folder = TranscriptFile.folder(of: new) else {
            return
        }
        try disk.makeFolder(folder)
        for file in try disk.list(old) {
            guard let bytes = try disk.read("\(old)/\(file)") else { continue }
            guard let (episode, _) = TranscriptFile.episode(ofName: file) else {
                guard let list = try? TranscriptList(bytes, name: file, of: id), let name = TranscriptList.name(new) else {
                    // A damaged list stays damaged; a repair writes it again from the transcripts.
                    if file == "list.jsonl" { try batch.write("\(folder)/\(file)", bytes) }
                    continue
                }
                var longer = TranscriptList(of: new)
                longer.revision = list.revision
                for var entry in list.entries.values {
                    entry.episodeID = ids[entry.episodeID] ?? entry.episodeID.lengthened(in: new)
                    longer.entries[entry.episodeID] = entry
                }
                try batch.write(name, longer.bytes)
                continue
            }
            let longer = ids[episode] ?? episode.lengthened(in: new)
            guard let name = TranscriptFile.name(longer) else { continue }
            let transcript = try? TranscriptFile(bytes, name: file, episode: episode)
            let segments = try? transcript?.segments()
            if let transcript, let segments {
                try batch.write(name, TranscriptFile.bytes(of: segments, episode: longer, transcript.source))
            } else {
                try batch.write(name, bytes)
            }
        }
    }

    // MARK: The other files

    /// Returns the queue's revision.
    private func lengthenQueue(_ anchors: LibraryMarker.Anchors, _ names: inout LongerNames) throws -> Int {
        let (entries, revision) = try QueueFile.load(disk, anchors)
        let longer = entries.map { QueueEntry(episodeID: names[$0.episodeID], addedAt: $0.addedAt) }
        guard longer != entries else { return revision }
        try QueueFile.write(longer, revision: revision + 1, disk)
        return revision + 1
    }

    /// Returns the rewritten logs.
    private func lengthenTags(_ anchors: LibraryMarker.Anchors, _ names: inout LongerNames) throws -> [RecordLog] {
        guard try disk.exists(TagTable.logName) else { return [] }
        var tags = try TagTable(disk, anchors)
        tags.rename { names[$0] }
        try disk.replace(count: 2) { try tags.rewrite(to: &$0) }
        return tags.logs
    }

    /// Removes files under old ids that no record refers to any more.
    private func removeShort() throws {
        func isOutdated(_ id: PodcastID) -> Bool { id.isShort && table[id] == nil && !table.unsubscribed.contains(id) }
        var outdated: Set<PodcastID> = []
        for folder in [EpisodeFiles.folder, EpisodeFiles.keptFolder, EpisodeFiles.backupFolder] {
            outdated.formUnion(try disk.list(folder).compactMap(EpisodeFile.podcast(ofName:)).filter(isOutdated))
        }
        outdated.formUnion(try disk.list(TranscriptFiles.folder).map { PodcastID(text: $0) }.filter(isOutdated))
        try transcripts.remove(outdated.sorted())
        try files.remove(outdated.sorted())
    }
}

/// Today's ids of episodes of version 1: those that begin with the old ones.
private struct LongerNames {
    private let podcasts: [Substring: PodcastID]
    private let files: EpisodeFiles
    private var episodes: [PodcastID: [Substring: EpisodeID]] = [:]

    init(_ table: PodcastTable, _ files: EpisodeFiles) {
        let ids = table.all.map(\.id) + table.unsubscribed
        podcasts = Dictionary(ids.map { ($0.text.prefix(PodcastID.shortLength), $0) }) { first, _ in first }
        self.files = files
    }

    subscript(id: EpisodeID) -> EpisodeID {
        mutating get {
            guard id.isShort, let podcast = podcasts[id.podcastID.text[...]] else { return id }
            return ids(of: podcast)[id.ownText] ?? id
        }
    }

    private mutating func ids(of podcast: PodcastID) -> [Substring: EpisodeID] {
        if let ids = episodes[podcast] { return ids }
        let file = try? files.read(podcast, .all, atLeast: 0, isAlone: true)
        let all = file.map { file in file.episodes.indices.compactMap { file.id($0) } } ?? []
        let ids = Dictionary(all.map { ($0.ownText.prefix(PodcastID.shortLength), $0) }) { first, _ in first }
        episodes[podcast] = ids
        return ids
    }
}

extension Episode {
    fileprivate func renamed(_ id: EpisodeID) -> Episode {
        var renamed = Episode(
            id: id, item: FeedItem(item), digest: digest, firstSeenAt: firstSeenAt, changedAt: changedAt,
            withdrawnAt: withdrawnAt)
        renamed.history = history
        return renamed
    }
}
