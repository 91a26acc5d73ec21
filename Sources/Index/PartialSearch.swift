public import Domain

/// A search of a library whose index is elsewhere: it says which episodes may match, and finds and ranks among these as if
/// they were in an index of the whole library.
///
/// ```
/// request ─▶ candidates ─▶ (words are asked for, and again) ─▶ ranked ─▶ episodes of the best ─▶ search ─▶ of the next …
/// ```
/// As long as `words` has questions after a call, they are to be answered, and the call is to be made again.
public struct PartialSearch {
    private let request: SearchRequest
    private let query: SearchQuery
    private let words: LibraryWords

    public init(_ request: SearchRequest, _ words: LibraryWords) {
        (self.request, self.words) = (request, words)
        query = SearchQuery(text: request.text, now: request.now)
    }

    /// nil where nothing is asked for that an index could know.
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

    /// What is left of a value beside a place tells seconds apart.
    private static let placeMask: UInt64 = 0xF_FFFF

    /// Whether going through all episodes by date costs less than finding all matches: of these there are many then, and an
    /// episode is not compared with hundreds of words.
    private func isCommon(_ expression: MatchExpression) -> Bool {
        let matches = Double(expression.episodes(words))
        return matches * matches > Double(words.episodes) * Self.costOfOthers && !expression.hasPrefix
    }

    /// Candidates that are asked for, times what it costs to read the terms of an episode more than to find one.
    private static let costOfOthers = 30_000.0

    /// Candidates in the order in which they may be hits, but for those that do not match.
    ///
    /// - Returns: also whether all of these match.
    public func ranked(_ candidates: [SearchCandidate], titled: Set<EpisodeID>) -> (best: [RankedCandidate], areMatches: Bool) {
        let vocabulary = Vocabulary(IndexSnapshot(), words)
        guard let expression = MatchExpression(query, request, vocabulary: vocabulary) else { return ([], true) }
        let ranking = CandidateRanking(
            expression, Ranking(expression, IndexSnapshot(), now: request.now, weights: words.weights), words)
        var (all, isKnown) = ([RankedCandidate](), true)
        for candidate in candidates {
            guard let score = ranking.mostScore(of: candidate) else { continue }
            isKnown = isKnown && score < .infinity
            let value = titled.contains(candidate.id) ? .infinity : score
            all.append(RankedCandidate(candidate, most: request.sort.value(of: value, candidate.published)))
        }
        // Those with equal values stay in the order of their dates.
        let order = all.indices.map { all[$0].most.descending & ~Self.placeMask | UInt64($0) }.sorted()
        let isPlain = expression.isOnlyWords && DocumentFilter(query.conditions, request).isEmpty
        return (order.map { all[Int($0 & Self.placeMask)] }, isPlain && isKnown)
    }

    /// The matches among these episodes.
    ///
    /// - Throws: `IndexFailure`.
    public func search(in parts: [IndexedPodcast]) throws -> SearchResults {
        IndexSearch(try SmallIndex(parts).snapshot, words).results(query, request)
    }

    /// All of these episodes that match, newest first.
    public func episodes(in parts: [IndexedPodcast]) throws -> [EpisodeID] {
        IndexSearch(try SmallIndex(parts).snapshot, words).episodes(matching: request)
    }

    /// The nearest spelling that the library has; nil if there is none.
    ///
    /// - Returns: also whether any episode that has the word matches.
    public var correction: (text: String, isMatch: Bool)? {
        Spelling(vocabulary: Vocabulary(IndexSnapshot(), words)).correction(of: request.text, query)
            .map { ($0, IndexSearch.isOneWord(query, request)) }
    }

    /// Which episodes may be like this one.
    public static func candidates(like episode: Episode, of podcast: Podcast, _ words: LibraryWords) -> CandidateRequest {
        let terms = SimilarEpisodes(IndexSnapshot(), words).tellingTerms(of: episode, podcast).terms
        return CandidateRequest(.anyTerm(terms.map(\.hash)))
    }

    public static func similar(
        to episode: Episode, of podcast: Podcast, limit: Int, in parts: [IndexedPodcast], _ words: LibraryWords
    ) throws -> [SimilarHit] {
        SimilarEpisodes(try SmallIndex(parts).snapshot, words).hits(like: episode, of: podcast, limit: limit)
    }
}

/// A candidate, and how good a hit it may be.
public struct RankedCandidate: Sendable {
    public let id: EpisodeID
    public let published: Int64
    /// No less than what `SearchRequest.Sort.value` is of the hit.
    public let most: Double

    fileprivate init(_ candidate: SearchCandidate, most: Double) {
        (id, published, self.most) = (candidate.id, candidate.published, most)
    }
}

extension Double {
    /// A number that is the smaller the greater this one is.
    fileprivate var descending: UInt64 { sign == .minus ? bitPattern : ~bitPattern & .max >> 1 }
}

extension SearchRequest.Sort {
    /// What decides first which of two hits comes before the other: that of which it is more.
    ///
    /// - Parameter published: as in `EpisodeTerms`. Without a date an episode comes last in both orders.
    public func value(of score: Double, _ published: Int64) -> Double {
        switch self {
        case .relevance: score
        case .date: Double(published)
        case .oldest: published == 0 ? -.infinity : -Double(published)
        }
    }
}
