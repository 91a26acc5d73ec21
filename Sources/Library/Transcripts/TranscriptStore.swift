public import Domain
import Glibc
import Threads

/// The transcripts: a folder a podcast, in it a file an episode and the list of them. They stay where they are when a
/// podcast is unsubscribed with its episodes kept.
public actor TranscriptStore: TranscriptRepository {
    static let folder = "transcripts"

    private let disk: Disk
    private let thread: BlockingThread

    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(_ disk: Disk, _ thread: BlockingThread) {
        self.disk = disk
        self.thread = thread
    }

    // MARK: Reading

    public func known(of podcast: PodcastID) throws -> KnownTranscripts {
        guard let list = try list(of: podcast) else { return KnownTranscripts() }
        return KnownTranscripts(revision: list.revision, entries: list.entries)
    }

    public func segments(of episodes: [EpisodeID]) throws -> [EpisodeID: [TranscriptSegment]] {
        var found: [EpisodeID: [TranscriptSegment]] = [:]
        for (podcast, wanted) in Dictionary(grouping: episodes, by: \.podcastID) {
            // One look tells that there are none, as there are for most podcasts.
            guard let folder = TranscriptFile.folder(of: podcast), try disk.exists(folder) else { continue }
            for episode in wanted {
                do {
                    found[episode] = try file(of: episode)?.segments()
                } catch LibraryFailure.damaged {
                    continue
                }
            }
        }
        return found
    }

    /// - Throws: `LibraryFailure.damaged` for a transcript that is not what was written.
    public func transcript(of episode: EpisodeID) throws -> StoredTranscript? {
        guard let file = try file(of: episode) else { return nil }
        return StoredTranscript(file: disk.path(file.name), kept: file.kept, segments: try file.segments())
    }

    private func file(of episode: EpisodeID) throws -> TranscriptFile? {
        guard let name = TranscriptFile.name(episode), let bytes = try disk.read(name) else { return nil }
        return try TranscriptFile(bytes, name: name, episode: episode)
    }

    private func list(of podcast: PodcastID) throws -> TranscriptList? {
        guard let name = TranscriptList.name(podcast), let bytes = try disk.read(name) else { return nil }
        return try TranscriptList(bytes, name: name, of: podcast)
    }

    // MARK: Writing

    public func apply(_ changes: [TranscriptChanges]) throws {
        var lists: [(name: String, list: TranscriptList)] = []
        var madeFolder = false
        for change in changes {
            guard let folder = TranscriptFile.folder(of: change.podcastID), let name = TranscriptList.name(change.podcastID)
            else {
                throw LibraryFailure.io(file: change.podcastID.text, operation: "open", errno: EINVAL)
            }
            let known = try list(of: change.podcastID)
            if known == nil {
                try disk.makeFolder(Self.folder)
                try disk.makeFolder(folder)
                madeFolder = true
            }
            var list = known ?? TranscriptList(of: change.podcastID)
            list.revision = max(change.revision, list.revision)
            for entry in change.entries { list.entries[entry.episodeID] = entry }
            lists.append((name, list))
        }
        if madeFolder { for folder in [Self.folder, ""] { try disk.syncFolder(folder) } }
        let count = changes.reduce(changes.count) { $0 + $1.segments.count }
        try disk.replace(count: count) { publication in
            // A list speaks only of files that are there: it takes its place after them.
            for change in changes {
                for entry in change.entries {
                    guard let kept = entry.kept, let segments = change.segments[entry.episodeID],
                        let name = TranscriptFile.name(entry.episodeID)
                    else { continue }
                    try publication.write(name, TranscriptFile.bytes(of: segments, episode: entry.episodeID, kept))
                }
            }
            for (name, list) in lists { try publication.write(name, list.bytes) }
        }
    }

    public func remove(_ podcasts: [PodcastID]) throws {
        for podcast in podcasts {
            guard let folder = TranscriptFile.folder(of: podcast), try disk.exists(folder) else { continue }
            // The list first: it must not speak of files that are gone.
            for name in try disk.list(folder).sorted(by: { a, _ in a == "list.jsonl" }) { try disk.remove("\(folder)/\(name)") }
            try disk.removeFolder(folder)
            try disk.syncFolder(Self.folder)
        }
    }
}
