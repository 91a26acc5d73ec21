public import Domain
import Glibc
import JSON
import Threads

/// The episodes: one file a podcast, `podcasts/<id>.jsonl`; `kept/<id>.jsonl` after an unsubscription that keeps them.
public actor EpisodeStore: EpisodeRepository {
    static let folder = "podcasts"
    static let keptFolder = "kept"
    static let backupFolder = "backup/podcasts"

    private let disk: Disk
    private let thread: BlockingThread
    private let podcasts: PodcastStore
    private let isWriter: Bool
    /// A writer's: podcasts of which there is no file. Nobody else makes one as long as the lock is kept.
    private var withoutFile: Set<PodcastID> = []

    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(_ disk: Disk, _ thread: BlockingThread, _ podcasts: PodcastStore, isWriter: Bool) {
        self.disk = disk
        self.thread = thread
        self.podcasts = podcasts
        self.isWriter = isWriter
    }

    // MARK: Reading

    public func kept(of podcast: PodcastID) async throws -> KeptPodcast {
        guard let file = try await file(podcast) else { return KeptPodcast() }
        return KeptPodcast(
            channel: try file.channel(),
            episodes: try file.episodes.indices.compactMap { try file.head($0).kept },
            revision: file.revision)
    }

    public func channel(of podcast: PodcastID) async throws -> Channel? {
        try await file(podcast, wholly: false)?.channel()
    }

    public func episodes(of podcast: PodcastID) async throws -> [Episode] {
        guard let file = try await file(podcast) else { return [] }
        return try file.episodes.indices.map { try file.episode($0) }
    }

    public func episodes(_ ids: [EpisodeID]) async throws -> [Episode] {
        var found: [EpisodeID: Episode] = [:]
        for (podcast, wanted) in Dictionary(grouping: ids, by: \.podcastID) {
            guard let file = try await file(podcast, wholly: false) else { continue }
            var wanted = Set(wanted)
            for index in file.episodes.indices where !wanted.isEmpty {
                guard let id = file.id(index), wanted.remove(id) != nil else { continue }
                found[id] = try file.episode(index)
            }
        }
        return ids.compactMap { found[$0] }
    }

    public func unsubscribed() async throws -> [Podcast] {
        // What the log says, and files whose line in it was lost with a damaged log.
        let kept = try await podcasts.kept().union(disk.list(Self.keptFolder).compactMap(EpisodeFile.podcast(ofName:)))
        let subscribed = Set(try await podcasts.podcasts().map(\.id))
        var found: [Podcast] = []
        for id in kept.subtracting(subscribed).sorted() {
            guard let file = try await file(id, wholly: false) else { continue }
            let channel = try file.channel()
            let since = try file.episodes.isEmpty ? Timestamp(seconds: 0) : file.episode(0).firstSeenAt
            var podcast = Podcast(id: id, feedURL: channel.feedURL ?? "", subscribedAt: since)
            podcast.title = channel.title
            podcast.author = channel.author
            podcast.episodeCount = file.episodes.count
            podcast.revision = file.revision
            found.append(podcast)
        }
        return found
    }

    /// The file of a podcast, checked against what its record says; nil where nothing is kept of it yet.
    ///
    /// Beside a writer, what looks like damage may be an unsubscription and a new subscription since the log was read.
    /// Where the log knows of no removal that it did not know of before, it is damage.
    private func file(_ podcast: PodcastID, wholly: Bool = true) async throws -> EpisodeFile? {
        if withoutFile.contains(podcast) { return nil }
        // The record before the file: a writer goes the other way round, so the file is never behind it.
        var record = try await podcasts.fileRecord(podcast)
        while true {
            do {
                if let file = try read(podcast, wholly, known: record.revision) { return file }
                guard let folder = record.folder else {
                    if isWriter { withoutFile.insert(podcast) }
                    return nil
                }
                throw Damage.missing.failure(EpisodeFile.name(podcast, in: folder) ?? podcast.text)
            } catch let failure as LibraryFailure {
                guard case .damaged = failure else { throw failure }
                let known = record.removals
                record = try await podcasts.fileRecord(podcast, anew: true)
                if record.removals == known { throw failure }
            }
        }
    }

    /// A file moves to `kept/` before the log says so, and back after it has said so. Who misses it in `kept/`, then in
    /// `podcasts/` and then in `kept/` again has missed a removal between its two moves, or there is no such file. Nobody
    /// moves a writer's files.
    private func read(_ podcast: PodcastID, _ wholly: Bool, known: Int) throws -> EpisodeFile? {
        let folders = [Self.folder, Self.keptFolder]
        for folder in isWriter ? folders : folders + folders {
            guard let name = EpisodeFile.name(podcast, in: folder), let bytes = try disk.read(name) else { continue }
            let file = try EpisodeFile(bytes, name: name, podcast: podcast, wholly: wholly)
            if file.revision < known { throw Damage.older.failure(name) }
            return file
        }
        return nil
    }

    // MARK: Writing

    public func apply(_ changes: [PodcastChanges]) async throws {
        var files: [EpisodeFile?] = []
        for change in changes { files.append(try await file(change.podcastID)) }
        // Where the writing fails, the next look at the disk tells.
        withoutFile.subtract(changes.map(\.podcastID))
        try disk.replace(count: changes.count) { publication in
            var writer = EpisodeFileWriter()
            for (change, file) in zip(changes, files) {
                guard let name = EpisodeFile.name(change.podcastID, in: Self.folder) else {
                    throw LibraryFailure.io(file: change.podcastID.text, operation: "open", errno: EINVAL)
                }
                let backup = file == nil ? nil : EpisodeFile.name(change.podcastID, in: Self.backupFolder)
                change.write(over: file, with: &writer)
                try writer.finish { bytes in try publication.write(name, backup: backup) { write in try write(bytes) } }
            }
        }
    }

    /// Podcasts whose record was removed last of all, and whose files are still there.
    func unfinishedRemovals() async throws -> [PodcastID] {
        try await podcasts.lastRemoved().filter { id in
            try EpisodeFile.name(id, in: Self.folder).map { try disk.exists($0) } ?? false
        }
    }

    public func remove(_ ids: [PodcastID], keepingEpisodes: Bool) async throws {
        if keepingEpisodes {
            // The new name is durable before the old one goes.
            for id in ids {
                guard let name = EpisodeFile.name(id, in: Self.folder), let kept = EpisodeFile.name(id, in: Self.keptFolder),
                    try disk.exists(name)
                else { continue }
                try disk.link(name, to: kept)
            }
            try disk.syncFolder(Self.keptFolder)
        }
        for id in ids {
            // The file by which an interrupted removal is known goes last.
            for folder in (keepingEpisodes ? [] : [Self.keptFolder, Self.backupFolder]) + [Self.folder] {
                if let name = EpisodeFile.name(id, in: folder) { try disk.remove(name) }
            }
        }
        try disk.syncFolder(Self.folder)
    }
}

extension PodcastChanges {
    /// Makes the new file, but for its end: lines of episodes that did not change are the old file's bytes.
    func write(over file: EpisodeFile?, with writer: inout EpisodeFileWriter) {
        // Places of what is new, in `added` and behind it `replaced`: copying episodes costs more than writing them.
        let places = 0..<added.count + replaced.count
        func id(_ place: Int) -> EpisodeID { place < added.count ? added[place].id : replaced[place - added.count].id }
        var new = file == nil ? [:] : Dictionary(places.map { (id($0), $0) }, uniquingKeysWith: { $1 })
        let lines = file?.episodes ?? []
        let placesOfLines = lines.indices.map { index in file?.id(index).flatMap { new.removeValue(forKey: $0) } }
        let behind = file == nil ? Array(places) : places.filter { new.removeValue(forKey: id($0)) != nil }

        writer.begin(
            podcast: podcastID, revision: max(revision, (file?.revision ?? 0) + 1), count: lines.count + behind.count
        ) { json in
            if let channel {
                json.value(channel)
            } else if let file, let place = file.channelPlace {
                json.raw(file.bytes[place])
            } else {
                json.object { _ in }
            }
        }
        func add(_ place: Int) {
            if place < added.count { writer.add(added[place]) } else { writer.add(replaced[place - added.count]) }
        }
        for (line, place) in zip(lines, placesOfLines) {
            if let place { add(place) } else if let file { writer.copy(file.bytes, line) }
        }
        behind.forEach(add)
    }
}
