public import Domain

/// A search of a library whose index is elsewhere. It determines which episodes may match, and searches and ranks these
/// as if they were in an index of the whole library.
///
/// ```
/// request ─▶ candidates ─▶ (answer the questions of words, repeat) ─▶ ranked ─▶ search the best ─▶ the next ─▶ …
/// ```
/// If `words` has questions after a call, answer them and repeat the call.
public struct PartialSearch {
    private let request: SearchRequest
    private let query: SearchQuery
    private let words: LibraryWords

    public init(_ request: SearchRequest, _ words: LibraryWords) {
        (self.request, self.words) = (request, words)
        query = SearchQuery(text: request.text, now: request.now)
    }

    /// nil if the query contains nothing that an index could answer.
    public var candidates: CandidateRequest? {
        guard let expression = MatchExpression(query, request, vocabulary: Vocabulary(IndexSnapshot(), words)) else { return nil }
        let isTitle = query.conditions.isEmpty && query.wantedTerms.allSatisfy { $0.field == nil } && request.podcast == nil
        let title = expression.titleHash
        return CandidateRequest(
            expression.condition(words), published: DocumentFilter(query.conditions, request).published,
            oldestFirst: request.sort == .oldest, isCommon: isCommon(expression),
            exactTitle: title.map { PodcastTerms.term(ofTitle: $0) },
            podcastTitle: isTitle ? title.map { Facet.podcast(titled: $0).hash } : nil)
    }

    /// The low bits of a value, which hold an index; the others still distinguish seconds.
    private static let indexMask: UInt64 = 0xF_FFFF

    /// Whether walking all episodes by date costs less than finding all matches, because these are many. Never with a
    /// prefix: each episode would be compared with hundreds of words.
    private func isCommon(_ expression: MatchExpression) -> Bool {
        let matches = Double(expression.episodes(words))
        return matches * matches > Double(words.episodes) * Self.costOfOthers && !expression.hasPrefix
    }

    /// The number of candidates requested, times the cost of reading an episode's terms relative to finding the
    /// episode.
    private static let costOfOthers = 30_000.0

    /// The candidates in the order in which they may be hits, without those that cannot match.
    ///
    /// - Returns: also whether all of these certainly match.
    public func ranked(_ candidates: [SearchCandidate], titled: Set<EpisodeID>) -> (best: [RankedCandidate], areMatches: Bool) {
        let vocabulary = Vocabulary(IndexSnapshot(), words)
        guard let expression = MatchExpression(query, request, vocabulary: vocabulary) else { return ([], true) }
        let ranking = CandidateRanking(
            expression, Ranking(expression, IndexSnapshot(), now: request.now, weights: words.weights), words)
        var (all, areSummarized) = ([RankedCandidate](), true)
        for candidate in candidates {
            guard let score = ranking.maxScore(of: candidate) else { continue }
            areSummarized = areSummarized && score < .infinity
            let value = titled.contains(candidate.id) ? .infinity : score
            all.append(RankedCandidate(candidate, most: request.sort.value(of: value, candidate.published)))
        }
        // Candidates with equal values stay in the order of their dates.
        let order = all.indices.map { all[$0].most.descending & ~Self.indexMask | UInt64($0) }.sorted()
        let isPlain = expression.isOnlyWords && DocumentFilter(query.conditions, request).isEmpty
        return (order.map { all[Int($0 & Self.indexMask)] }, isPlain && areSummarized)
    }

    /// Searches these episodes.
    ///
    /// - Throws: `IndexFailure`.
    public func search(in parts: [IndexedPodcast]) throws -> SearchResults {
        IndexSearch(try SmallIndex(parts).snapshot, words).results(query, request)
    }

    /// The matches among these episodes, newest first.
    public func episodes(in parts: [IndexedPodcast]) throws -> [EpisodeID] {
        IndexSearch(try SmallIndex(parts).snapshot, words).episodes(matching: request)
    }

    /// The nearest spelling that the library contains; nil if there is none.
    ///
    /// - Returns: also whether every episode with the word matches.
    public var correction: (text: String, isMatch: Bool)? {
        Spelling(vocabulary: Vocabulary(IndexSnapshot(), words)).correction(of: request.text, query)
            .map { ($0, IndexSearch.isOneWord(query, request)) }
    }

    /// The candidates that may be similar to this episode.
    public static func candidates(like episode: Episode, of podcast: Podcast, _ words: LibraryWords) -> CandidateRequest {
        let terms = SimilarEpisodes(IndexSnapshot(), words).distinctiveTerms(of: episode, podcast).terms
        return CandidateRequest(.anyTerm(terms.map(\.hash)))
    }

    public static func similar(
        to episode: Episode, of podcast: Podcast, limit: Int, in parts: [IndexedPodcast], _ words: LibraryWords
    ) throws -> [SimilarHit] {
        SimilarEpisodes(try SmallIndex(parts).snapshot, words).hits(like: episode, of: podcast, limit: limit)
    }
}

/// A candidate and the best value that it may have as a hit.
public struct RankedCandidate: Sendable {
    public let id: EpisodeID
    public let published: Int64
    /// At least the hit's `SearchRequest.Sort.value`.
    public let most: Double

    fileprivate init(_ candidate: SearchCandidate, most: Double) {
        (id, published, self.most) = (candidate.id, candidate.published, most)
    }
}

extension Double {
    /// A number that decreases as this one increases.
    fileprivate var descending: UInt64 { sign == .minus ? bitPattern : ~bitPattern & .max >> 1 }
}

extension SearchRequest.Sort {
    /// The value by which hits are ordered first, highest first.
    ///
    /// - Parameter published: as in `EpisodeTerms`. An episode without a date comes last in both orders.
    public func value(of score: Double, _ published: Int64) -> Double {
        switch self {
        case .relevance: score
        case .date: Double(published)
        case .oldest: published == 0 ? -.infinity : -Double(published)
        }
    }
}
