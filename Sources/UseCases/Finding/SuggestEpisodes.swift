public import Domain
public import Results

/// Suggests unheard episodes, ranked by what the owner starred, played and queued, by freshness, and by how rarely the
/// podcast publishes. Without any history, it suggests the newest episode of each podcast.
///
/// 1. `Taste` is derived from the tags and the queue.
/// 2. The index finds episodes similar to liked ones.
/// 3. Records tell which podcasts can have the best episodes; only theirs are read.
/// 4. Each further episode of a podcast scores less than the one before, so that one podcast cannot fill the list.
public struct SuggestEpisodes: Sendable {
    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let tags: any TagRepository
    private let queue: any QueueRepository
    private let similar: FindSimilarEpisodes
    private let listing: ListEpisodes

    /// Most liked episodes for which similar ones are searched.
    private static let maxLiked = 8
    /// Least number of podcasts whose episodes are read.
    private static let minPodcastsRead = 40
    private static let fadingInPodcast = 0.5

    public init(_ library: Repositories, similar: FindSimilarEpisodes, listing: ListEpisodes) {
        podcasts = library.podcasts
        episodes = library.episodes
        tags = library.tags
        queue = library.queue
        self.similar = similar
        self.listing = listing
    }

    /// - Parameter damaged: called for each podcast whose file is damaged, which is then left out; nil to throw instead.
    /// - Throws: `IndexFailure`, `LibraryFailure`.
    public func callAsFunction(
        limit: Int, now: Timestamp, damaged: ((UnreadablePodcast) -> Void)? = nil
    ) async throws -> [SuggestedEpisode] {
        let tagged = try await tags.episodes(tagged: [.starred, .played, .archived])
        let queued = try await queue.entries().map(\.episodeID)
        let (starred, played) = (tagged[.starred] ?? [], tagged[.played] ?? [])
        let taste = Taste(
            starred: starred, played: played, queued: queued, archived: tagged[.archived] ?? [], now: now)
        let likes = try await likes(starred, queued, played, limit)
        var best = try await candidates(taste, likes, limit, damaged)
        best = Self.bestFirst(best)
        var seen: Set<SameEpisode> = []
        best.removeAll { candidate in
            guard let same = SameEpisode(candidate.listed.episode.item) else { return false }
            return !seen.insert(same).inserted
        }
        let tags = try await tags.tags(of: best.prefix(limit).map(\.listed.episode.id))
        return best.prefix(limit).map { suggestion in
            var suggestion = suggestion
            suggestion.listed.tags = tags[suggestion.listed.episode.id] ?? []
            return suggestion
        }
    }

    // MARK: Likeness

    private struct Like {
        var weight: Double
        var title: String
        var terms: [String]
    }

    /// Episodes similar to the most recent liked ones.
    private func likes(
        _ starred: [EpisodeID], _ queued: [EpisodeID], _ played: [EpisodeID], _ limit: Int
    ) async throws -> [EpisodeID: Like] {
        var liked: [ListedEpisode] = []
        for ids in [starred, queued, played] where liked.count < Self.maxLiked {
            let newest = try await listing.order(try await listing.listed(Array(ids.suffix(256))))
            let chosen = Set(liked.map(\.episode.id))
            liked += newest.filter { !chosen.contains($0.episode.id) }.prefix(Self.maxLiked - liked.count)
        }
        var likes: [EpisodeID: Like] = [:]
        for source in liked {
            let title = source.episode.item.title ?? ""
            for like in try await similar(source.episode, of: source.podcast, limit: min(limit, 100)) {
                // A few distinctive words in common add up to about ten.
                let weight = like.score / (like.score + 10)
                if weight <= likes[like.listed.episode.id]?.weight ?? 0 { continue }
                likes[like.listed.episode.id] = Like(weight: weight, title: title, terms: like.terms)
            }
        }
        return likes
    }

    // MARK: Candidates

    private func candidates(
        _ taste: Taste, _ likes: [EpisodeID: Like], _ limit: Int, _ damaged: ((UnreadablePodcast) -> Void)?
    ) async throws -> [SuggestedEpisode] {
        var wanted: [(podcast: Podcast, maxScore: Double)] = []
        let alsoWanted = Set(likes.keys.map(\.podcastID)).union(taste.starred.map(\.podcastID))
        let room = max(Self.minPodcastsRead, 2 * min(limit, 1 << 20))
        try await podcasts.forEach(in: .latestEpisodes()) { podcast in
            var maxScore = taste.score(of: podcast) + taste.timeliness(of: podcast.latestEpisodeAt, of: podcast)
            if alsoWanted.contains(podcast.id) { maxScore += 8 }
            wanted.append((podcast, maxScore))
            if wanted.count >= 2 * room + 512 { Self.keepBest(&wanted, room) }
            return true
        }
        Self.keepBest(&wanted, room)
        var suggestions: [SuggestedEpisode] = []
        for (podcast, _) in wanted {
            var own = try await EpisodeReading.skipping(podcast.id, damaged) { try await episodes.episodes(of: podcast.id) }
                .filter { !$0.isWithdrawn && !taste.settled.contains($0.id) }
                .map { ListedEpisode(podcast: podcast, episode: $0) }
            own = try await listing.order(own)
            if taste.isEmpty { own = Array(own.prefix(1)) }
            let newest = own.first?.episode.id
            let suggested = Self.bestFirst(
                own.map { suggestion($0, taste, likes[$0.episode.id], isNewest: $0.episode.id == newest) })
            var factor = 1.0
            for var suggestion in suggested.prefix(limit) {
                suggestion.score = (suggestion.score * factor * 1_000).rounded() / 1_000
                factor *= Self.fadingInPodcast
                suggestions.append(suggestion)
            }
        }
        return suggestions
    }

    private static func bestFirst(_ suggestions: [SuggestedEpisode]) -> [SuggestedEpisode] {
        suggestions.sorted { ($1.score, $0.listed.episode.id) < ($0.score, $1.listed.episode.id) }
    }

    private static func keepBest(_ wanted: inout [(podcast: Podcast, maxScore: Double)], _ room: Int) {
        wanted.sort { ($1.maxScore, $0.podcast.id) < ($0.maxScore, $1.podcast.id) }
        wanted.removeLast(max(0, wanted.count - room))
    }

    private func suggestion(_ listed: ListedEpisode, _ taste: Taste, _ like: Like?, isNewest: Bool) -> SuggestedEpisode {
        let (episode, podcast) = (listed.episode, listed.podcast)
        var reasons: [SuggestedEpisode.Reason] = []
        if taste.starred.contains(episode.id) { reasons.append(.starred) }
        if let like, !like.terms.isEmpty { reasons.append(.like(title: like.title, terms: like.terms)) }
        if var history = taste.podcasts[podcast.id] {
            if taste.starred.contains(episode.id) { history.starred -= 1 }
            if history != Taste.History() {
                reasons.append(.podcast(starred: history.starred, played: history.played, queued: history.queued))
            }
        }
        if let days = taste.days(since: episode.orderedAt), days <= 14 { reasons.append(.fresh(days: Int(days))) }
        if let days = podcast.daysBetweenEpisodes, days >= 14 { reasons.append(.rare(days: Int(days))) }
        if isNewest { reasons.append(.newest) }
        if reasons.isEmpty { reasons.append(.unheard) }
        return SuggestedEpisode(
            listed: listed, score: taste.score(of: episode, of: podcast, likeness: like?.weight ?? 0), reasons: reasons)
    }
}
