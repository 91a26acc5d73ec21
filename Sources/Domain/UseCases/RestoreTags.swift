/// Gives episodes the tags that lines of `jimmy tag --dump` say. Lines whose episode is not in the library wait for it.
public struct RestoreTags: Sendable {
    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let tags: any TagRepository

    public init(podcasts: any PodcastRepository, episodes: any EpisodeRepository, tags: any TagRepository) {
        self.podcasts = podcasts
        self.episodes = episodes
        self.tags = tags
    }

    public struct Report: Sendable {
        /// How many episodes were found.
        public var episodes = 0
        public var waiting: [TagLine] = []
    }

    /// A line that cannot be read; nothing was changed.
    public struct BadLine: Error, Equatable, Sendable {
        public var number: Int

        public init(number: Int) { self.number = number }
    }

    /// - Parameter text: lines; empty ones and those that begin with `#` are passed over. A later line about an episode
    ///   wins over an earlier one.
    public func callAsFunction(_ text: String, now: Timestamp) async throws -> Report {
        var lines: [TagLine] = []
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            if line.isEmpty || line.hasPrefix("#") { continue }
            guard let line = TagLine(line) else { throw BadLine(number: number + 1) }
            lines.append(line)
        }
        let (found, waiting) = try await find(lines)
        var changes = TagChanges()
        let before = try await tags.tags(of: Array(found.keys))
        for (id, line) in found {
            // A file on the disk does not go because a line says nothing of it.
            changes.tags[id] = line.tags.union((before[id] ?? []).intersection([.downloaded]))
        }
        changes.waiting = waiting
        changes.settled = Array(found.values)
        try await tags.apply(changes, undoableAt: now)
        return Report(episodes: found.count, waiting: waiting)
    }

    /// Gives waiting tags to episodes that have appeared since.
    ///
    /// - Parameter feedURLs: only lines of these feeds; nil for all.
    public func placeWaiting(of feedURLs: Set<String>? = nil) async throws {
        let waiting = try await tags.waitingTags().filter { feedURLs?.contains($0.feedURL) ?? true }
        guard !waiting.isEmpty else { return }
        let (found, _) = try await find(waiting)
        guard !found.isEmpty else { return }
        var changes = TagChanges()
        let before = try await tags.tags(of: Array(found.keys))
        // A tag that the owner gave since then stays. What a refresh saw first was dealt with before.
        for (id, line) in found { changes.tags[id] = (before[id] ?? []).subtracting([.new]).union(line.tags) }
        changes.settled = Array(found.values)
        try await tags.apply(changes)
    }

    /// The episodes that lines name, and the lines that name none, in their order.
    private func find(_ lines: [TagLine]) async throws -> (found: [EpisodeID: TagLine], waiting: [TagLine]) {
        var found: [EpisodeID: TagLine] = [:]
        var waiting: Set<TagLine> = []
        let byFeed = Dictionary(grouping: lines, by: \.feedURL)
        let podcasts = try await podcasts(at: Array(byFeed.keys))
        for (feedURL, lines) in byFeed {
            guard let podcast = podcasts[feedURL] else {
                waiting.formUnion(lines)
                continue
            }
            let names = EpisodeNames(try await episodes.stored(of: podcast.id).episodes)
            for line in lines {
                let ids = names.episodes(line.key)
                for id in ids { found[id] = line }
                if ids.isEmpty { waiting.insert(line) }
            }
        }
        return (found, lines.filter(waiting.contains))
    }

    /// By the URL that they are, or once were, fetched from.
    private func podcasts(at feedURLs: [String]) async throws -> [String: Podcast] {
        var byURL: [String: Podcast] = [:]
        for podcast in try await podcasts.podcasts(at: feedURLs) { byURL[podcast.feedURL] = podcast }
        let missing = Set(feedURLs).subtracting(byURL.keys)
        guard !missing.isEmpty else { return byURL }
        try await podcasts.forEach { podcast in
            for move in podcast.fetch.moves where missing.contains(move.from) && byURL[move.from] == nil {
                byURL[move.from] = podcast
            }
            return true
        }
        return byURL
    }
}

/// The episodes of a podcast by what may name them in a line.
private struct EpisodeNames {
    private var unique: [String: EpisodeID] = [:]
    private var any: [String: [EpisodeID]] = [:]

    init(_ episodes: [StoredEpisode]) {
        for (id, key) in EpisodeKey.unique(episodes) { unique[key] = id }
        for episode in episodes {
            for key in Set(EpisodeKey.all(episode.keys)) { any[key, default: []].append(episode.id) }
        }
    }

    func episodes(_ key: String) -> [EpisodeID] { unique[key].map { [$0] } ?? any[key] ?? [] }
}
