/// One line of a search's answer.
public struct FoundEpisode: Sendable {
    public var episode: Episode
    public var podcast: Podcast
    /// Higher is better.
    public var score: Double
    /// The field that matched, as in `jimmy parse`.
    public var field: String
    public var snippet: Snippet
    /// Seconds into the episode, for a transcript.
    public var start: Double?
    /// The owner's.
    public var tags: Set<Tag> = []
    /// The same episode in other podcasts, which matched as well.
    public var others: [OtherPlace] = []
    public var explanation: HitExplanation?

    /// Where else an episode is listed.
    public struct OtherPlace: Sendable {
        public var id: EpisodeID
        public var podcast: Podcast
    }

    public init(episode: Episode, podcast: Podcast, score: Double, field: String, snippet: Snippet, start: Double? = nil) {
        self.episode = episode
        self.podcast = podcast
        self.score = score
        self.field = field
        self.snippet = snippet
        self.start = start
    }
}

/// What a search found.
public struct SearchOutcome: Sendable {
    /// Best first.
    public var episodes: [FoundEpisode]
    /// Where nothing was found: the nearest spelling that would find something.
    public var suggestion: String?
    /// Why the index could not be brought in line with the library, so that something may be missing.
    public var indexFailure: IndexFailure?
    public var unreadable: [UnreadablePodcast] = []
    /// Podcasts that changed and are not indexed yet, because that would take long. The next refresh indexes them.
    public var postponed = 0
    /// Podcasts whose title is what was asked for.
    public var podcasts: [Podcast] = []
    public var facets: [SearchFacet: [FacetCount]] = [:]
    /// Titles of the podcasts in `facets`.
    public var titles: [String: String] = [:]
    /// How many episodes match, those beyond the limit included.
    public var total = MatchCount(0)
    /// Parts of the query that look like conditions and are searched as words.
    public var unknown: [UnknownCondition] = []

    public init(episodes: [FoundEpisode]) { self.episodes = episodes }
}

/// Searches the library's episodes.
///
/// 1. The index is brought in line with the library, if that is little work. Otherwise, and where it cannot be written, what
///    it has is searched.
/// 2. The index says which episodes match; their texts come from the library.
public struct SearchEpisodes: Sendable {
    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let transcripts: any TranscriptRepository
    private let tags: any TagRepository
    private let queue: any QueueRepository
    private let index: any SearchIndex

    /// Episodes that a search brings into the index before it answers: a tenth of a second's work.
    private static let mostIndexed = 1_000

    public init(
        podcasts: any PodcastRepository, episodes: any EpisodeRepository, transcripts: any TranscriptRepository,
        tags: any TagRepository, queue: any QueueRepository, index: any SearchIndex
    ) {
        self.podcasts = podcasts
        self.episodes = episodes
        self.transcripts = transcripts
        self.tags = tags
        self.queue = queue
        self.index = index
    }

    /// Fills in what the query's conditions need (`queue`, `tagged`, `hidden`, `now`).
    ///
    /// - Parameter progress: called with how many of how many podcasts are indexed, if any must be.
    /// - Throws: `IndexFailure` if the index cannot be read; `LibraryFailure`.
    public func run(
        _ request: SearchRequest, now: Timestamp, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> SearchOutcome {
        let request = try await completed(request, now: now)
        var (results, outcome) = try await answer(limit: Self.mostIndexed, progress) { try await index.search(request) }
        outcome.suggestion = results.suggestion
        outcome.total = results.total
        outcome.unknown = SearchQuery(text: request.text, now: now).unknown
        outcome.podcasts = Array(try await podcasts.podcasts(results.podcasts).prefix(request.limit))
        outcome.episodes = Array(try await rows(results, request).prefix(request.limit - outcome.podcasts.count))
        outcome.facets = results.facets
        let counted = (results.facets[.podcast] ?? []).map { PodcastID(text: $0.value) }
        for podcast in try await podcasts.podcasts(counted) { outcome.titles[podcast.id.text] = podcast.displayTitle }
        return outcome
    }

    /// All episodes that match, newest first, at most `request.limit` of them behind the first `offset`.
    ///
    /// - Returns: their ids; in the outcome, whether something may be missing.
    public func matches(
        _ request: SearchRequest, now: Timestamp, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> (ids: [EpisodeID], outcome: SearchOutcome) {
        let request = try await completed(request, now: now)
        var (ids, outcome) = try await answer(progress) { try await index.episodes(matching: request) }
        outcome.unknown = SearchQuery(text: request.text, now: now).unknown
        return (ids, outcome)
    }

    /// How many episodes match.
    ///
    /// - Returns: in the outcome, whether something may be missing.
    public func count(_ request: SearchRequest, now: Timestamp) async throws -> (count: Int, outcome: SearchOutcome) {
        let request = try await completed(request, now: now)
        return try await answer { try await index.count(matching: request) }
    }

    /// The hits, those of one episode in several podcasts as one; then more are asked for, so that there are as many as wanted.
    private func rows(_ results: SearchResults, _ request: SearchRequest) async throws -> [FoundEpisode] {
        let rows = Self.merged(try await found(results.hits, request))
        let missing = results.hits.count - rows.count
        guard missing > 0, results.hits.count == request.limit else { return rows }
        var second = request
        second.limit += missing + 20
        second.facets = []
        let more = try await index.search(second).hits
        return Array(Self.merged(try await found(more, second)).prefix(request.limit))
    }

    private static func merged(_ found: [FoundEpisode]) -> [FoundEpisode] {
        var rows: [FoundEpisode] = []
        var places: [SameEpisode: Int] = [:]
        for episode in found {
            let same = SameEpisode(episode.episode.item)
            if let place = same.flatMap({ places[$0] }), rows[place].podcast.id != episode.podcast.id {
                rows[place].others.append(FoundEpisode.OtherPlace(id: episode.episode.id, podcast: episode.podcast))
            } else {
                if let same { places[same] = rows.count }
                rows.append(episode)
            }
        }
        return rows
    }

    /// What the index, in line with the library, says.
    private func answer<Answer>(
        limit: Int = .max, _ progress: (Int, Int) -> Void = { _, _ in }, _ ask: () async throws -> Answer
    ) async throws -> (Answer, SearchOutcome) {
        do {
            let outcome = try await reconciled(limit: limit, progress)
            return (try await ask(), outcome)
        } catch IndexFailure.damaged {
            // The index is empty now: made anew from the library, it answers.
            let outcome = try await reconciled(limit: limit, progress)
            return (try await ask(), outcome)
        }
    }

    private func reconciled(limit: Int = .max, _ progress: (Int, Int) -> Void) async throws -> SearchOutcome {
        var outcome = SearchOutcome(episodes: [])
        let reconcile = ReconcileIndex(podcasts: podcasts, episodes: episodes, transcripts: transcripts, index: index)
        do {
            let result = try await reconcile(limit: limit, progress: progress)
            (outcome.unreadable, outcome.postponed) = (result.unreadable, result.postponed)
        } catch let failure as IndexFailure where failure != .damaged {
            outcome.indexFailure = failure
        }
        return outcome
    }

    private func completed(_ request: SearchRequest, now: Timestamp) async throws -> SearchRequest {
        var request = request
        request.now = now
        let query = SearchQuery(text: request.text, now: now)
        let conditions = query.allConditions
        if conditions.contains(where: { $0.kind == .inQueue }) { request.queue = try await queue.entries().map(\.episodeID) }
        let hidesArchived = !request.includesArchived && !conditions.contains(SearchQuery.Condition(.tagged(.archived)))
        let wanted = query.ownTags.union(hidesArchived ? [.archived] : [])
        let found = try await tags.episodes(tagged: wanted)
        for tag in wanted { request.tagged[tag] = found[tag] ?? [] }
        if hidesArchived { request.hidden = found[.archived] ?? [] }
        return request
    }

    private func found(_ hits: [SearchHit], _ request: SearchRequest) async throws -> [FoundEpisode] {
        guard !hits.isEmpty else { return [] }
        let byID = Dictionary(
            try await podcasts.podcasts(Array(Set(hits.map(\.episodeID.podcastID)))).map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first })
        let stored = try await episodes.episodes(hits.map(\.episodeID))
        let texts = Dictionary(stored.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let tags = try await tags.tags(of: hits.map(\.episodeID))
        let spoken = try await transcripts.segments(of: hits.filter(\.isSpoken).map(\.episodeID))
        let snippets = index.snippets(for: request)
        return hits.compactMap { hit in
            guard let episode = texts[hit.episodeID], let podcast = byID[episode.podcastID] else { return nil }
            let said = spoken[hit.episodeID]?.filter { $0.isChapter == hit.isChapter } ?? []
            var snippet = said.isEmpty ? nil : snippets.snippet(of: hit, in: said)
            if snippet?.matches.isEmpty ?? true { snippet = nil }
            let shown = snippet ?? snippets.snippet(of: hit, in: episode, of: podcast)
            var found = FoundEpisode(
                episode: episode, podcast: podcast, score: hit.score,
                field: shown.matches.isEmpty ? hit.field : shown.field, snippet: shown,
                start: shown.matches.isEmpty ? hit.start : shown.start)
            found.tags = tags[hit.episodeID] ?? []
            found.explanation = hit.explanation
            return found
        }
    }
}

extension SearchHit {
    fileprivate var isSpoken: Bool { field == SearchQuery.Field.transcript.rawValue || isChapter }
    fileprivate var isChapter: Bool { field == SearchQuery.Field.chapter.rawValue }
}
