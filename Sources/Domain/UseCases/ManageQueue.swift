/// The play queue: an ordered list without repeats.
public struct ManageQueue: Sendable {
    let queue: any QueueRepository
    let podcasts: any PodcastRepository
    let episodes: any EpisodeRepository

    public init(queue: any QueueRepository, podcasts: any PodcastRepository, episodes: any EpisodeRepository) {
        self.queue = queue
        self.podcasts = podcasts
        self.episodes = episodes
    }

    /// The queued episodes, in order. Entries whose episode the library no longer has are left out.
    public func list() async throws -> [ListedEpisode] {
        try await listed(try await queue.entries().map(\.episodeID))
    }

    /// Appends those that are not queued yet, and returns them.
    public func add(_ ids: [EpisodeID], now: Timestamp) async throws -> [EpisodeID] {
        try await queue.update { entries in
            var queued = Set(entries.map(\.episodeID))
            let added = ids.filter { queued.insert($0).inserted }
            entries += added.map { QueueEntry(episodeID: $0, addedAt: now) }
            return added
        }
    }

    /// Returns those that were queued.
    public func remove(_ ids: [EpisodeID]) async throws -> [EpisodeID] {
        try await queue.update { entries in
            let removed = Set(entries.map(\.episodeID)).intersection(ids)
            entries.removeAll { removed.contains($0.episodeID) }
            return ids.filter(removed.contains)
        }
    }

    /// Moves an entry to a position counted from 1; positions past the end mean the end.
    /// Returns its new position, or nil if it is not queued.
    public func move(_ id: EpisodeID, to position: Int) async throws -> Int? {
        try await queue.update { entries in
            guard let index = entries.firstIndex(where: { $0.episodeID == id }) else { return nil }
            let entry = entries.remove(at: index)
            let target = min(max(position - 1, 0), entries.count)
            entries.insert(entry, at: target)
            return target + 1
        }
    }

    /// Removes the first entry whose episode the library has, and the entries before it; nil if there is none.
    public func next() async throws -> ListedEpisode? {
        for entry in try await queue.entries() {
            guard let first = try await listed([entry.episodeID]).first else { continue }
            let taken = try await queue.update { entries in
                guard let index = entries.firstIndex(where: { $0.episodeID == entry.episodeID }) else { return false }
                entries.removeSubrange(...index)
                return true
            }
            // Another process may have taken it meanwhile.
            return taken ? first : try await next()
        }
        return nil
    }

    /// Returns how many there were.
    public func clear() async throws -> Int {
        try await queue.update { entries in
            defer { entries.removeAll() }
            return entries.count
        }
    }

    /// The entry named by an id, the beginning of one, or words of a title; nil if there is none.
    ///
    /// - Throws: `LookupFailure` if there are several.
    public func entry(_ name: String) async throws -> EpisodeID? {
        let (prefix, queued) = (EpisodeIDPrefix(name), try await queue.entries().map(\.episodeID))
        var matches = prefix.map { prefix in queued.filter(prefix.matches) } ?? []
        if let exact = matches.first(where: { $0.text == prefix?.text }) { return exact }
        if matches.count != 1 {
            let titled = TitleName(name).best(among: try await episodes.episodes(queued)) { $0.item.title }
            if !titled.isEmpty { matches = titled.map(\.id) }
        }
        guard matches.count > 1 else { return matches.first }
        throw LookupFailure.ambiguousEpisode(name, candidates: try await episodes.episodes(matches))
    }

    private func listed(_ ids: [EpisodeID]) async throws -> [ListedEpisode] {
        guard !ids.isEmpty else { return [] }
        let owners = Dictionary(
            try await podcasts.podcasts(Array(Set(ids.map(\.podcastID)))).map { ($0.id, $0) }, uniquingKeysWith: { a, _ in a })
        return try await episodes.episodes(ids).compactMap { episode in
            owners[episode.podcastID].map { ListedEpisode(podcast: $0, episode: episode) }
        }
    }
}
