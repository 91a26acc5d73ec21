import Domain
import Synchronization

/// The episodes and channels of podcasts.
actor EpisodeStore: EpisodeRepository, FolderStore {
    let writer: LibraryWriter
    private let records: PodcastRecords
    private let files: EpisodeFiles
    /// Kept from batch to batch: new memory costs a fault for each page.
    private lazy var fileWriter = EpisodeFileWriter()
    /// Reads episodes for the comparisons of the current run; nil outside of runs.
    private nonisolated let reader = Mutex<EpisodeReader?>(nil)

    nonisolated var unownedExecutor: UnownedSerialExecutor { writer.unownedExecutor }

    /// - Parameter places: nil without a cache.
    init(_ writer: LibraryWriter, _ records: PodcastRecords, _ places: EpisodePlaces?) {
        self.writer = writer
        self.records = records
        files = EpisodeFiles(disk: writer.disk, places: places)
    }

    // MARK: Reading

    nonisolated func stored(of podcast: PodcastID, knowing items: KnownItems) async throws -> StoredPodcast {
        if let reader = reader.withLock(\.self), let stored = await reader.stored(of: podcast, knowing: items) { return stored }
        return try await read(podcast, items)
    }

    private func read(_ podcast: PodcastID, _ items: KnownItems) throws -> StoredPodcast {
        try file(podcast, .lines).map { try files.stored($0, knowing: items) } ?? StoredPodcast()
    }

    func channel(of podcast: PodcastID) throws -> Channel? { try file(podcast, .only([]))?.channel() }

    func episodes(of podcast: PodcastID) throws -> [Episode] {
        guard let file = try file(podcast, .checked) else { return [] }
        return try file.episodes.indices.map { try file.episode($0) }
    }

    /// Lines do not tell since when they are in their file.
    func episodes(of podcast: PodcastID, changedAfter contentRevision: Int) -> [Episode]? { nil }

    nonisolated func episodes(_ ids: [EpisodeID]) async throws -> [Episode] {
        // Most comparisons need none, and need not wait for the library while it writes a batch.
        if ids.isEmpty { return [] }
        if let reader = reader.withLock(\.self), let podcast = ids.first?.podcastID, ids.allSatisfy({ $0.podcastID == podcast }),
            let episodes = await reader.episodes(ids, of: podcast)
        {
            return episodes
        }
        return try await read(ids)
    }

    private func read(_ ids: [EpisodeID]) throws -> [Episode] {
        var byID: [EpisodeID: Episode] = [:]
        for (podcast, wanted) in Dictionary(grouping: ids, by: \.podcastID) {
            let wanted = Set(wanted)
            guard let file = try file(podcast, .only(wanted)) else { continue }
            byID.merge(try file.episodes(wanted)) { $1 }
        }
        return ids.compactMap { byID[$0] }
    }

    func episodes(of podcasts: [PodcastID], withOwnIDPrefix prefix: String, limit: Int) throws -> [Episode] {
        var matches: [Episode] = []
        for podcast in podcasts {
            guard let file = try file(podcast, .all) else { continue }
            for index in file.episodes.indices where file.id(index)?.ownText.hasPrefix(prefix) ?? false {
                if matches.count == limit { return matches }
                matches.append(try file.episode(index))
            }
        }
        return matches
    }

    func lengths(of ids: [EpisodeID]) throws -> [EpisodeID: Int] {
        var lengths: [EpisodeID: Int] = [:]
        for (podcast, wanted) in Dictionary(grouping: ids, by: \.podcastID) {
            guard let file = try file(podcast, .all) else { continue }
            let beginnings = Set(wanted.map { $0.ownText.prefix(ShortIDs.minLength) })
            let all = file.episodes.indices.compactMap { file.id($0)?.ownText }
                .filter { beginnings.contains($0.prefix(ShortIDs.minLength)) }
            for id in wanted { lengths[id] = ShortIDs.length(of: id.ownText, among: all) }
        }
        return lengths
    }

    func unsubscribed(withIDPrefix prefix: String, limit: Int) throws -> [Podcast] {
        // The podcasts that the log names, and the files whose log line was lost with a damaged log.
        let files = try files.unsubscribed()
        let ids = try records.assumeIsolated { records in
            try records.ask { records in
                records.unsubscribed.union(files).filter { $0.text.hasPrefix(prefix) && !records.contains($0) }
            }
        }
        var podcasts: [Podcast] = []
        for id in ids.sorted() where podcasts.count < limit {
            guard let file = try file(id, .all) else { continue }
            let channel = try file.channel()
            let since = try file.episodes.isEmpty ? Timestamp(seconds: 0) : file.episode(0).firstSeenAt
            var podcast = Podcast(id: id, feedURL: channel.feedURL ?? "", subscribedAt: since)
            podcast.title = channel.title
            podcast.author = channel.author
            podcast.episodeCount = file.episodes.count
            podcast.episodesRevision = file.revision
            podcasts.append(podcast)
        }
        return podcasts
    }

    /// The file of a podcast, checked against its record; nil if no episodes are stored yet.
    ///
    /// If another process writes meanwhile, apparent damage may be an unsubscription followed by a new subscription
    /// since the log was read. It is real damage if the log, read again, has no further removal.
    private func file(_ podcast: PodcastID, _ extent: EpisodeFiles.Extent) throws -> EpisodeFile? {
        // The record is read before the file: a writer writes them in the opposite order, so the file is never behind.
        var record = try fileRecord(podcast)
        while true {
            do {
                let file = try files.read(podcast, extent, atLeast: record.revision, isAlone: writer.isWriting)
                if let file { return file }
                guard let folder = record.folder else { return nil }
                throw Damage.missing.failure(EpisodeFile.name(podcast, in: folder) ?? podcast.text)
            } catch let failure as LibraryFailure {
                guard case .damaged = failure, !writer.isWriting else { throw failure }
                let removalsBefore = record.removals
                records.assumeIsolated { $0.reload() }
                record = try fileRecord(podcast)
                if record.removals == removalsBefore { throw failure }
            }
        }
    }

    private func fileRecord(_ podcast: PodcastID) throws -> PodcastTable.FileRecord {
        try records.assumeIsolated { records in try records.ask { $0.fileRecord(podcast) } }
    }

    // MARK: Batches

    /// Requires a batch, as the others do.
    func store(_ changes: [PodcastChanges]) throws { try files.write(changes, with: &fileWriter) { try file($0, .lines) } }

    /// Moves episodes to those of unsubscribed podcasts. Returns the podcasts that have any.
    func keep(_ podcasts: [PodcastID]) throws -> [PodcastID] { try files.keep(podcasts) }

    /// Moves the kept episodes of a podcast back.
    func restore(_ podcast: PodcastID) throws { try files.restore(podcast) }

    func remove(_ podcasts: [PodcastID]) throws { try files.remove(podcasts) }

    /// True if the episodes of a podcast are stored among those of subscriptions.
    func isStored(_ podcast: PodcastID) throws -> Bool { try files.exists(podcast, in: EpisodeFiles.folder) }

    /// A subscription that was not fetched yet takes over the episodes stored from an earlier one.
    func described(_ podcast: Podcast) throws -> Podcast {
        guard podcast.episodesRevision == 0, try files.exists(podcast.id, in: EpisodeFiles.keptFolder) else { return podcast }
        do {
            guard let file = try files.read(podcast.id, .checked, atLeast: 0, isAlone: true) else { return podcast }
            return try podcast.described(by: file)
        } catch LibraryFailure.damaged {
            return podcast
        }
    }

    // MARK: Runs

    func beginRun() {
        let reader = try? EpisodeReader(files)
        self.reader.withLock { $0 = reader }
    }

    nonisolated func claim(_ podcasts: [Podcast]) { reader.withLock(\.self)?.claim(podcasts) }
    nonisolated func settle(_ podcasts: [PodcastID]) { reader.withLock(\.self)?.settle(podcasts) }
    nonisolated func endRun() { reader.withLock { $0 = nil } }
}
