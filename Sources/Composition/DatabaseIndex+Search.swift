import Database
import Domain
import Index

/// Searching. The terms show which episodes may be the best hits, and only the texts of these are read.
extension DatabaseIndex {
    /// Number of candidates per page, the newest episodes that may match.
    static let maxCandidates = 10_000

    func search(_ request: SearchRequest) async throws -> SearchResults {
        let (words, totals) = try await libraryWords()
        let search = PartialSearch(request, words)
        guard let candidateRequest = try await answered(words, totals, { search.candidates }) else {
            return SearchResults(hits: [])
        }
        var best = BestHits(request)
        var next: CandidatePage.Position?
        repeat {
            let page = try await library.candidates(candidateRequest, after: next, limit: Self.maxCandidates)
            var titled: [SearchCandidate] = []
            if next == nil, let title = candidateRequest.exactTitle {
                let request = CandidateRequest(.all([.terms([title]), candidateRequest.condition]))
                titled = try await library.candidates(request, after: nil, limit: 100).candidates
            }
            try await addBest(of: page, titled, to: &best, search)
            next = page.next
        } while next != nil && best.hits.count < request.limit
        var results = best.results
        if !totals.isExact { results.total.isExact = false }
        if let title = candidateRequest.podcastTitle { results.podcasts = try await library.podcasts(withTerm: title) }
        if results.hits.isEmpty, request.limit > 0 {
            results.suggestion = try await suggestion(for: request, search, words, totals)
        }
        return results
    }

    /// Examines the candidates that may be among the best, until all others must be worse.
    private func addBest(
        of page: CandidatePage, _ titled: [SearchCandidate], to best: inout BestHits, _ search: PartialSearch
    ) async throws {
        let pageIDs = Set(page.candidates.map(\.id))
        let (ranked, areMatches) = search.ranked(
            page.candidates + titled.filter { !pageIDs.contains($0.id) }, titled: Set(titled.map(\.id)))
        best.begin(ranked, isLast: page.next == nil)
        var size = max(Self.firstExamined, best.request.limit * 2)
        // All candidates are examined if facets need the counts of all matches, or if there are only a few.
        if !best.request.facets.isEmpty || !areMatches && ranked.count <= Self.maxCounted { size = ranked.count }
        var remaining = ranked[...]
        while let next = remaining.first, best.mayTake(next) {
            let ids = remaining.prefix(size).map(\.id)
            remaining = remaining.dropFirst(size)
            best.add(try search.search(in: try await parts(ids)))
            size *= 4
        }
        best.end(examined: ranked.count - remaining.count, areMatches: areMatches)
    }

    /// Number of candidates that a search examines first.
    private static let firstExamined = 64
    /// Number of candidates up to which all are examined to count the matches exactly.
    private static let maxCounted = 500

    private func suggestion(
        for request: SearchRequest, _ search: PartialSearch, _ words: LibraryWords, _ totals: Database.IndexTotals
    ) async throws -> String? {
        guard let correction = try await answered(words, totals, { search.correction }) else { return nil }
        if correction.isMatch { return correction.text }
        var second = request
        (second.text, second.limit, second.facets) = (correction.text, 1, [])
        return try await self.episodes(matching: second).isEmpty ? nil : correction.text
    }

    func episodes(matching request: SearchRequest) async throws -> [EpisodeID] {
        let (words, totals) = try await libraryWords()
        var request = request
        request.sort = .date
        // The first pages of candidates do not depend on later ones, so results are counted from the beginning.
        let range = request.offset..<min(request.offset + request.limit, SearchRequest.maxResults)
        (request.offset, request.limit) = (0, range.upperBound)
        let search = PartialSearch(request, words)
        guard let candidateRequest = try await answered(words, totals, { search.candidates }) else { return [] }
        var ids: [EpisodeID] = []
        var next: CandidatePage.Position?
        var size = min(max(Self.firstExamined, request.limit), Self.maxCandidates)
        repeat {
            let page = try await library.candidates(candidateRequest, after: next, limit: size)
            ids += try search.episodes(in: try await parts(search.ranked(page.candidates, titled: []).best.map(\.id)))
            next = page.next
            size = min(size * 4, Self.maxCandidates)
        } while next != nil && ids.count < request.limit
        return Array(ids[range.clamped(to: 0..<ids.count)])
    }

    func count(matching request: SearchRequest) async throws -> Int {
        var request = request
        (request.offset, request.limit) = (0, SearchRequest.maxResults)
        return try await episodes(matching: request).count
    }

    func similar(to episode: Episode, of podcast: Podcast, limit: Int) async throws -> [SimilarHit] {
        let (words, totals) = try await libraryWords()
        let candidateRequest = try await answered(words, totals) { PartialSearch.candidates(like: episode, of: podcast, words) }
        let page = try await library.candidates(candidateRequest, after: nil, limit: Self.maxCandidates)
        let parts = try await parts(page.candidates.map(\.id))
        return try PartialSearch.similar(to: episode, of: podcast, limit: limit, in: parts, words)
    }

    nonisolated func snippets(for request: SearchRequest) -> any SnippetMaking { SnippetMaker(request) }

    // MARK: Words

    private func libraryWords() async throws -> (LibraryWords, Database.IndexTotals) {
        let totals = try await library.indexTotals()
        let languages = LibraryWords.languagesBeginning
        let words = LibraryWords(
            episodes: totals.episodes, titleBytes: totals.titleBytes, textBytes: totals.textBytes,
            languages: try await library.words(behind: [languages])[languages] ?? [])
        return (words, totals)
    }

    /// Calls `body` until it has no open questions.
    private func answered<Result>(
        _ words: LibraryWords, _ totals: Database.IndexTotals, _ body: () -> Result
    ) async throws -> Result {
        while true {
            let result = body()
            let questions = words.takeQuestions()
            if questions.isEmpty { return result }
            try await answer(questions, words, totals)
        }
    }

    private func answer(
        _ questions: LibraryWords.Questions, _ words: LibraryWords, _ totals: Database.IndexTotals
    ) async throws {
        let beginnings = Array(questions.beginnings)
        let endings = try await library.words(behind: beginnings)
        for beginning in beginnings { words.answer(beginning: beginning, endings[beginning] ?? []) }
        // A term that is not in the word list occurs nowhere. One that is in the list occurs at least once, even if an
        // estimate is 0.
        let terms = Array(questions.counts.union(questions.guesses))
        let storedWords = try await library.storedWords(among: terms.map { LibraryWords.entry(of: $0) })
        let present = terms.filter { storedWords.contains(LibraryWords.entry(of: $0)) }
        let counts = try await library.episodes(withEach: present.map { XXH64.hash($0) }, totals)
        for term in terms { words.answer(term, 0) }
        for term in present { words.answer(term, max(counts[XXH64.hash(term)] ?? 0, totals.isExact ? 0 : 1)) }
    }

    // MARK: Episodes

    /// Number of bytes of transcripts that a search reads at most.
    private static let maxBytes = 64 << 20

    /// The episodes in the form that the index takes, by podcast.
    private func parts(_ ids: [EpisodeID]) async throws -> [IndexedPodcast] {
        let owners = Array(Set(ids.map(\.podcastID)))
        let states = try await library.indexedStates(of: owners)
        let channels = try await library.channels(of: owners)
        let podcasts = try await library.podcasts(owners)
        var (episodes, transcripts) = ([Episode](), [EpisodeID: [TranscriptSegment]]())
        var (remaining, bytes) = (ids[...], 0)
        while !remaining.isEmpty, bytes < Self.maxBytes {
            let page = Array(remaining.prefix(1_000))
            remaining = remaining.dropFirst(1_000)
            episodes += try await library.episodes(page)
            for (id, segments) in try await library.segments(of: page) {
                transcripts[id] = segments
                bytes += segments.reduce(0) { $0 + $1.text.utf8.count }
            }
        }
        let spoken = Dictionary(grouping: transcripts) { $0.key.podcastID }
        let own = Dictionary(grouping: Dictionary(episodes.map { ($0.id, $0) }) { a, _ in a }.values, by: \.podcastID)
        return podcasts.compactMap { podcast in
            guard let state = states[podcast.id], let episodes = own[podcast.id] else { return nil }
            return IndexedPodcast(
                podcast, channels[podcast.id] ?? Channel(), language: state.language, episodes,
                Dictionary(uniqueKeysWithValues: (spoken[podcast.id] ?? []).map { ($0.key, $0.value) }))
        }
    }
}
