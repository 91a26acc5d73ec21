import Domain
import Glibc

/// The transcripts: a folder per podcast, with a file per episode and a list of them. They stay in place if a podcast
/// is unsubscribed and its episodes are kept.
struct TranscriptFiles {
    static let folder = "transcripts"

    let disk: Disk

    // MARK: Reading

    func entries(of podcast: PodcastID) throws -> TranscriptEntries {
        guard let list = try list(of: podcast) else { return TranscriptEntries() }
        return TranscriptEntries(revision: list.revision, entries: list.entries, chapters: list.chapters)
    }

    func transcribed(of podcast: PodcastID) throws -> Set<EpisodeID> {
        guard let folder = TranscriptFile.folder(of: podcast) else { return [] }
        return Set(try disk.list(folder).compactMap { TranscriptFile.episode(ofName: $0)?.id })
    }

    func segments(of episodes: [EpisodeID]) throws -> [EpisodeID: [TranscriptSegment]] {
        var segments: [EpisodeID: [TranscriptSegment]] = [:]
        for (podcast, wanted) in Dictionary(grouping: episodes, by: \.podcastID) {
            // Most podcasts have no transcripts; checking for the folder is enough for these.
            guard let folder = TranscriptFile.folder(of: podcast), try disk.exists(folder) else { continue }
            for episode in wanted {
                for text in [EpisodeText.chapters, .transcript] {
                    do {
                        if let file = try file(of: episode, text) { segments[episode, default: []] += try file.segments() }
                    } catch LibraryFailure.damaged {
                        continue
                    }
                }
            }
        }
        return segments
    }

    /// - Throws: `LibraryFailure.damaged` if the stored text does not match its checksums.
    func stored(_ text: EpisodeText, of episode: EpisodeID) throws -> StoredTranscript? {
        guard let file = try file(of: episode, text) else { return nil }
        return StoredTranscript(file: disk.path(file.name), source: file.source, segments: try file.segments())
    }

    private func file(of episode: EpisodeID, _ text: EpisodeText) throws -> TranscriptFile? {
        guard let name = TranscriptFile.name(episode, text), let bytes = try disk.read(name) else { return nil }
        return try TranscriptFile(bytes, name: name, episode: episode, text)
    }

    private func list(of podcast: PodcastID) throws -> TranscriptList? {
        guard let name = TranscriptList.name(podcast), let bytes = try disk.read(name) else { return nil }
        return try TranscriptList(bytes, name: name, of: podcast)
    }

    // MARK: Writing

    /// - Parameter settlements: the `transcripts.revision` of their records becomes the revision of the lists.
    func write(_ settlements: [TranscriptSettlement]) throws {
        var lists: [(name: String, list: TranscriptList)] = []
        var madeFolder = false
        for settlement in settlements {
            let id = settlement.podcast.id
            guard let folder = TranscriptFile.folder(of: id), let name = TranscriptList.name(id) else {
                throw LibraryFailure.io(file: id.text, operation: "open", errno: EINVAL)
            }
            let existing = try list(of: id)
            if existing == nil {
                try disk.makeFolder(Self.folder)
                try disk.makeFolder(folder)
                madeFolder = true
            }
            var list = existing ?? TranscriptList(of: id)
            list.revision = max(settlement.podcast.transcripts.revision, list.revision)
            for entry in settlement.stamped { list[entry.episodeID, settlement.text] = entry }
            lists.append((name, list))
        }
        if madeFolder { for folder in [Self.folder, ""] { try disk.syncFolder(folder) } }
        let count = settlements.reduce(settlements.count) { $0 + $1.segments.count }
        try disk.replace(count: count) { batch in
            // The lists come last, so that they refer only to files that exist.
            for settlement in settlements {
                for entry in settlement.stamped {
                    guard let source = entry.stored, let segments = settlement.segments[entry.episodeID],
                        let name = TranscriptFile.name(entry.episodeID, settlement.text)
                    else { continue }
                    try batch.write(
                        name, TranscriptFile.bytes(of: segments, episode: entry.episodeID, source, settlement.text))
                }
            }
            for (name, list) in lists { try batch.write(name, list.bytes) }
        }
    }

    func remove(_ podcasts: [PodcastID]) throws {
        for podcast in podcasts {
            guard let folder = TranscriptFile.folder(of: podcast), try disk.exists(folder) else { continue }
            // The list goes first, so that it never refers to removed files.
            for name in try disk.list(folder).sorted(by: { a, _ in a == "list.jsonl" }) { try disk.remove("\(folder)/\(name)") }
            try disk.removeFolder(folder)
            try disk.syncFolder(Self.folder)
        }
    }
}

extension TranscriptFiles {
    /// Gives the files of a podcast second names in another folder.
    func link(_ podcast: PodcastID, into other: String) throws {
        guard let folder = TranscriptFile.folder(of: podcast) else { return }
        for name in try disk.list(folder) { _ = try disk.link("\(folder)/\(name)", to: "\(other)/\(name)") }
    }

    /// Makes files of another folder those of a podcast.
    func putBack(_ names: [String], of podcast: PodcastID, from other: String) throws {
        guard let folder = TranscriptFile.folder(of: podcast) else { return }
        try disk.makeFolder(Self.folder)
        try disk.makeFolder(folder)
        for name in names { _ = try disk.link("\(other)/\(name)", to: "\(folder)/\(name)") }
        try disk.syncFolder(folder)
        try disk.syncFolder(Self.folder)
    }
}

extension TranscriptSettlement {
    /// The entries; those with a new transcript contain the revision of the write.
    fileprivate var stamped: [TranscriptEntry] {
        entries.map { entry in
            guard segments[entry.episodeID] != nil else { return entry }
            var entry = entry
            entry.stored?.revision = podcast.transcripts.revision
            return entry
        }
    }
}
