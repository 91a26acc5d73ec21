public import Domain

extension PodcastListing {
    public func includes(_ podcast: some PodcastFacts) -> Bool {
        switch self {
        case .all: return true
        case .latestEpisodes(let publishedSince):
            if let publishedSince, let latest = podcast.latestEpisodeAt, latest < publishedSince { return false }
            return podcast.episodeCount > 0
        case .transcripts(let text, let now, let byDefault, let all):
            return podcast.episodesRevision > 0 && !podcast.isPaused && podcast.facts(of: text).isWanted ?? byDefault
                && (all || podcast.isDue(text, now))
        }
    }

    public func isBefore(_ a: some PodcastFacts, _ b: some PodcastFacts) -> Bool {
        switch self {
        case .all: return a.id < b.id
        case .latestEpisodes: return isNewer(a, b, undated: .max)
        case .transcripts: return isNewer(a, b, undated: .min)
        }
    }

    private func isNewer(_ a: some PodcastFacts, _ b: some PodcastFacts, undated: Int64) -> Bool {
        let (first, second) = (a.latestEpisodeAt?.seconds ?? undated, b.latestEpisodeAt?.seconds ?? undated)
        return first == second ? a.id < b.id : first > second
    }
}

extension LibraryOverview {
    /// Counts one podcast. The list of podcasts that need attention is set separately.
    ///
    /// - Returns: true if it needs attention.
    public mutating func count(_ podcast: some PodcastFacts, now: Timestamp) -> Bool {
        let facts = podcast.health
        let health = Health(of: facts, now: now)
        podcasts += 1
        episodes += podcast.episodeCount
        self.health[health, default: 0] += 1
        if facts.isFailing { failing += 1 }
        if let dueAt = podcast.dueAt { nextDueAt = min(nextDueAt ?? dueAt, dueAt) }
        return health.needsAttention
    }

    public mutating func setNeedingAttention(_ troubled: [(title: String, id: PodcastID)]) {
        needingAttention = troubled.sorted { ($0.title, $0.id) < ($1.title, $1.id) }
            .prefix(LibraryOverview.attentionLimit).map(\.id)
    }
}
