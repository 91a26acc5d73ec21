public import Domain
public import Results

/// Gives episodes the tags, positions and bookmarks in the lines of `jimmy tag --dump`. Lines for missing episodes wait for them.
public struct RestoreTags: Sendable {
    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let tags: any TagRepository
    private let undo: any UndoRepository

    public init(_ library: Repositories) {
        podcasts = library.podcasts
        episodes = library.episodes
        tags = library.tags
        undo = library.undo
    }

    /// - Parameter text: the lines; empty ones and those that begin with `#` are skipped. A later line about an episode
    ///   wins over an earlier one.
    public func callAsFunction(_ text: String, now: Timestamp) async throws -> RestoredTags {
        var lines: [TagLine] = []
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            if line.isEmpty || line.hasPrefix("#") { continue }
            guard let line = TagLine(line) else { throw MalformedTagLine(number: number + 1) }
            lines.append(line)
        }
        let (matches, waiting) = try await find(lines)
        try await undo.changeOwned(of: Array(matches.keys), undoable: UndoMark(.tag, at: now)) { state in
            for (id, line) in matches {
                // A line never changes `downloaded`, which reflects a file on disk.
                let tags = line.tags.union((state.tags[id] ?? []).intersection([.downloaded]))
                state.tags[id] = tags.isEmpty ? nil : tags
                state.take(line.facts, of: id, now: now)
            }
            state.enqueue(matches, now: now)
            state.waiting = TagLine.waiting(state.waiting, settling: Array(matches.values), adding: waiting)
        }
        return RestoredTags(episodes: matches.count, waiting: waiting)
    }

    /// Applies waiting lines to episodes that have appeared since.
    ///
    /// - Parameter feedURLs: only lines of these feeds; nil for all.
    public func placeWaiting(of feedURLs: Set<String>? = nil, now: Timestamp) async throws {
        let waiting = try await tags.waitingTags().filter { feedURLs?.contains($0.feedURL) ?? true }
        guard !waiting.isEmpty else { return }
        let (matches, _) = try await find(waiting)
        guard !matches.isEmpty else { return }
        try await undo.changeOwned(of: Array(matches.keys), settling: nil) { state in
            for (id, line) in matches {
                // Tags given since then stay. `new` is removed: the owner dealt with the episode before.
                state.tags[id] = (state.tags[id] ?? []).subtracting([.new]).union(line.tags)
                state.take(line.facts, of: id, now: now)
            }
            state.enqueue(matches, now: now)
            state.waiting = TagLine.waiting(state.waiting, settling: Array(matches.values), adding: [])
            return ((), nil)
        }
    }

    /// Adds what lines from elsewhere say to what the owner has, and leaves the step that takes it back.
    ///
    /// - Parameter verdicts: the podcasts that the command added before; they are part of the step.
    func add(_ lines: [TagLine], of verdicts: [ImportVerdict], as mark: UndoMark) async throws -> RestoredTags {
        let (matches, waiting) = try await find(lines)
        try await undo.changeOwned(of: Array(matches.keys), settling: nil) { state in
            let before = state
            for (id, line) in matches {
                state.tag([id], TagEdit(adding: line.tags))
                state.take(line.facts, of: id, now: mark.at)
            }
            state.enqueue(matches, now: mark.at)
            state.waiting = TagLine.waiting(state.waiting, settling: Array(matches.values), adding: waiting)
            var step = UndoStep(mark, from: before, to: state)
            step.add(verdicts)
            return ((), step)
        }
        return RestoredTags(episodes: matches.count, waiting: waiting)
    }

    /// The episodes that the lines name, and the lines that name none, in order.
    private func find(_ lines: [TagLine]) async throws -> (matches: [EpisodeID: TagLine], waiting: [TagLine]) {
        var matches: [EpisodeID: TagLine] = [:]
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
                var ids = names.episodes(line.key)
                if ids.isEmpty, let other = line.facts.otherKey { ids = names.episodes(other) }
                for id in ids { matches[id] = line }
                if ids.isEmpty { waiting.insert(line) }
            }
        }
        return (matches, lines.filter(waiting.contains))
    }

    /// Podcasts by their current or a former feed URL.
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

/// The episodes of a podcast by the keys that may name them.
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
