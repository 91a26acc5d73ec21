public import Domain

/// A search of a library whose index is elsewhere: it says which episodes may match, and finds and ranks among these as if
/// they were in an index of the whole library.
///
/// ```
/// request ─▶ candidates ─▶ (words are asked for, and again) ─▶ episodes ─▶ search
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
            oldestFirst: request.sort == .oldest, exactTitle: title.map { PodcastTerms.term(ofTitle: $0) },
            podcastTitle: isTitle ? title.map { Facet.podcast(titled: $0).hash } : nil)
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
