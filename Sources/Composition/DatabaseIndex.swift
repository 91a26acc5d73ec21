import Database
import Domain
import Index
import Threads

/// The search index of a library in a database: `Database` keeps its terms, `Index` makes and understands them.
///
/// What changed is written as terms. A search asks for the newest episodes with the terms that it needs, and `Index` searches
/// among these.
actor DatabaseIndex: SearchIndex {
    private let library: Database
    private let thread: BlockingThread
    /// Entries of the word list that are known to be there, by their hashes.
    private var knownWords: Set<UInt64> = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Episodes that a search looks at: the newest that may match.
    static let mostCandidates = 10_000

    /// - Parameter thread: makes terms; nil for one of its own.
    /// - Throws: `SystemFailure`.
    init(of library: Database, on thread: BlockingThread?) throws {
        self.library = library
        self.thread = try thread ?? BlockingThread(for: .indexing)
    }

    // MARK: What it has

    func revision() async throws -> Int? { try await library.indexedRevision() }
    func podcasts() async throws -> Set<PodcastID> { try await library.indexedPodcasts() }

    func contentRevisions(of podcasts: [PodcastID]) async throws -> [PodcastID: Int] {
        try await library.indexedStates(of: podcasts).mapValues(\.revision)
    }

    func language(of podcast: PodcastID) async throws -> String? {
        try await library.indexedStates(of: [podcast])[podcast].flatMap { IndexedPodcast.languageCode($0.language) }
    }

    // MARK: Changes

    func save(revision: Int?) async throws {
        guard let revision, try await library.indexedRevision() != revision else { return }
        try await writing { try await library.setIndexedRevision(revision) }
    }

    func reset() async throws {
        knownWords = []
        try await library.resetIndex()
    }

    func add(_ changes: [IndexChange]) async throws {
        guard !changes.isEmpty else { return }
        try await writing {
            var states = try await library.indexedStates(of: changes.map(\.podcastID))
            var (writes, removed, words) = ([Database.IndexWrite](), [PodcastID](), Set<UInt64>())
            for change in changes {
                guard let part = change.part(language: states[change.podcastID]?.language) else {
                    removed.append(change.podcastID)
                    continue
                }
                var terms = try PodcastTerms(of: part)
                let before = states[change.podcastID]
                change.setRevision(of: &terms.state, before: before)
                terms.words.removeAll { word in
                    let hash = Self.hash(word, terms.podcast)
                    words.insert(hash)
                    return knownWords.contains(hash)
                }
                writes.append(Database.IndexWrite(terms, before: before, whole: change.allEpisodes))
                states[change.podcastID] = terms.state
            }
            try await library.dropIndexed(removed)
            try await library.write(writes)
            if knownWords.count > Self.mostKnownWords { knownWords = [] }
            knownWords.formUnion(words)
        }
    }

    private static let mostKnownWords = 2_000_000

    /// A shard has the words of its podcasts, whose ids begin alike.
    private static func hash(_ word: [UInt8], _ podcast: PodcastID) -> UInt64 {
        XXH64.hash(Array(podcast.text.utf8.prefix(1)) + word)
    }

    /// Who may only read finds what others have indexed.
    private func writing(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch DatabaseFailure.denied {
            throw IndexFailure.denied
        }
    }

    // MARK: Searching

    func search(_ request: SearchRequest) async throws -> SearchResults {
        let (words, totals) = try await libraryWords()
        let search = PartialSearch(request, words)
        guard let wanted = try await answered(words, totals, { search.candidates }) else { return SearchResults(hits: []) }
        var found = SearchResults(hits: [])
        var next: CandidatePage.Place?
        repeat {
            let page = try await library.candidates(wanted, after: next, limit: Self.mostCandidates)
            var ids = page.episodes
            if next == nil, let title = wanted.exactTitle {
                let titled = CandidateRequest(.all([.terms([title]), wanted.condition]))
                ids += try await library.candidates(titled, after: nil, limit: 100).episodes
            }
            let parts = try await parts(ids)
            var limited = request
            limited.limit = request.limit - found.hits.count
            let results = try PartialSearch(limited, words).search(in: parts)
            found.add(results, limit: limited.limit, isFirst: next == nil, isLast: page.next == nil)
            next = page.next
        } while next != nil && found.hits.count < request.limit
        if !totals.isExact { found.total.isExact = false }
        if let title = wanted.podcastTitle { found.podcasts = try await library.podcasts(withTerm: title) }
        if found.hits.isEmpty, request.limit > 0 {
            found.suggestion = try await suggestion(for: request, search, words, totals)
        }
        return found
    }

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
        // The first candidates know nothing of those that come later.
        let range = request.offset..<min(request.offset + request.limit, SearchRequest.mostResults)
        (request.offset, request.limit) = (0, range.upperBound)
        let search = PartialSearch(request, words)
        guard let wanted = try await answered(words, totals, { search.candidates }) else { return [] }
        var ids: [EpisodeID] = []
        var next: CandidatePage.Place?
        repeat {
            let page = try await library.candidates(wanted, after: next, limit: Self.mostCandidates)
            ids += try PartialSearch(request, words).episodes(in: try await parts(page.episodes))
            next = page.next
        } while next != nil && ids.count < request.limit
        return Array(ids[range.clamped(to: 0..<ids.count)])
    }

    func count(matching request: SearchRequest) async throws -> Int {
        var request = request
        (request.offset, request.limit) = (0, SearchRequest.mostResults)
        return try await episodes(matching: request).count
    }

    func similar(to episode: Episode, of podcast: Podcast, limit: Int) async throws -> [SimilarHit] {
        let (words, totals) = try await libraryWords()
        let wanted = try await answered(words, totals) { PartialSearch.candidates(like: episode, of: podcast, words) }
        let page = try await library.candidates(wanted, after: nil, limit: Self.mostCandidates)
        return try PartialSearch.similar(to: episode, of: podcast, limit: limit, in: try await parts(page.episodes), words)
    }

    nonisolated func snippet(
        of hit: SearchHit, in episode: Episode, of podcast: Podcast, for request: SearchRequest
    ) -> Snippet {
        SegmentIndex.snippet(of: hit, in: episode, of: podcast, for: request)
    }

    nonisolated func snippet(of hit: SearchHit, in transcript: [TranscriptSegment], for request: SearchRequest) -> Snippet {
        SegmentIndex.snippet(of: hit, in: transcript, for: request)
    }

    // MARK: Words

    private func libraryWords() async throws -> (LibraryWords, Database.IndexTotals) {
        let totals = try await library.indexTotals()
        let languages = LibraryWords.languagesBeginning
        let words = LibraryWords(
            episodes: totals.episodes, titleBytes: totals.titleBytes, textBytes: totals.textBytes,
            languages: try await library.words(behind: [languages])[languages] ?? [])
        return (words, totals)
    }

    /// Calls `body` until it asks for nothing that is not known.
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
        let behind = try await library.words(behind: beginnings)
        for beginning in beginnings { words.answer(beginning: beginning, behind[beginning] ?? []) }
        // What the word list does not have needs not be counted; what it has, an estimate may have missed.
        let terms = Array(questions.counts.union(questions.guesses))
        let known = try await library.known(terms.map { LibraryWords.entry(of: $0) })
        let present = terms.filter { known.contains(LibraryWords.entry(of: $0)) }
        let counts = try await library.episodes(withEach: present.map { XXH64.hash($0) }, totals)
        for term in terms { words.answer(term, 0) }
        for term in present { words.answer(term, max(counts[XXH64.hash(term)] ?? 0, totals.isExact ? 0 : 1)) }
    }

    // MARK: Episodes

    /// Bytes of texts that a search looks at.
    private static let mostBytes = 64 << 20

    /// Episodes as the index wants them, by podcast.
    private func parts(_ ids: [EpisodeID]) async throws -> [IndexedPodcast] {
        let owners = Array(Set(ids.map(\.podcastID)))
        let states = try await library.indexedStates(of: owners)
        let channels = try await library.channels(of: owners)
        let podcasts = try await library.podcasts(owners)
        var (episodes, transcripts) = ([Episode](), [EpisodeID: [TranscriptSegment]]())
        var (remaining, bytes) = (ids[...], 0)
        while !remaining.isEmpty, bytes < Self.mostBytes {
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

extension IndexChange {
    fileprivate var podcastID: PodcastID {
        switch self {
        case .episodes(let podcast, _, _, _, _), .part(let podcast, _, _, _), .whole(let podcast, _, _, _, _): podcast.id
        case .removed(let id): id
        }
    }

    /// nil for a podcast that was removed.
    fileprivate func part(language: String?) -> IndexedPodcast? {
        switch self {
        case .episodes(let podcast, _, let channel, let episodes, let transcripts),
            .part(let podcast, let channel, let episodes, let transcripts):
            IndexedPodcast(podcast, channel, language: language, episodes, transcripts)
        case .whole(let podcast, let channel, let episodes, let transcripts, let added):
            // Only all episodes together may change the language that was decided.
            IndexedPodcast(podcast, channel, language: added.isEmpty ? nil : language, episodes, transcripts)
        case .removed: nil
        }
    }

    /// All episodes of the podcast; nil if these are only some.
    fileprivate var allEpisodes: [EpisodeID]? {
        guard case .whole(_, _, let episodes, _, let added) = self else { return nil }
        return episodes.map(\.id) + added
    }

    /// The index has the podcast's revision only if nothing is missing.
    fileprivate func setRevision(of state: inout IndexedState, before: IndexedState?) {
        switch self {
        case .whole, .removed: break
        case .part: state.revision = 0
        case .episodes(_, let after, _, _, _):
            if before?.revision ?? 0 != after || before?.digest ?? state.digest != state.digest {
                (state.revision, state.digest) = (before?.revision ?? 0, before?.digest ?? state.digest)
            }
        }
    }
}

extension SearchResults {
    /// Adds the matches among the next candidates, of which at most `limit` were wanted.
    fileprivate mutating func add(_ results: SearchResults, limit: Int, isFirst: Bool, isLast: Bool) {
        let seen = Set(hits.map(\.episodeID))
        hits += results.hits.filter { !seen.contains($0.episodeID) }
        if isFirst {
            (total, facets) = (results.total, results.facets)
        } else {
            total = MatchCount(hits.count, isExact: results.hits.count < limit)
        }
        if !isLast { total.isExact = false }
    }
}
