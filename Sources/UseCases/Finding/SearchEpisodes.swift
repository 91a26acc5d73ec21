public import Domain
public import Results
public import Searching

/// Searches the library's episodes.
///
/// 1. The index is reconciled if that is little work. If it is too much, or if the index cannot be written, it is
///   searched as it is.
/// 2. The index gives the matching episodes; their texts come from the library.
public struct SearchEpisodes: Sendable {
    private let library: Repositories
    private let index: any SearchIndex
    private let expansion: QueryExpansion

    /// Most episodes that a search indexes before it answers: about a tenth of a second's work.
    private static let maxIndexed = 1_000
    /// Most places of a transcript that a result shows.
    private static let maxMoments = 10

    public init(_ library: Repositories, index: any SearchIndex, expansion: QueryExpansion = QueryExpansion()) {
        self.library = library
        self.index = index
        self.expansion = expansion
    }

    /// Fills in the data that the query's conditions need (`queue`, `tagged`, `hidden`, `now`), and searches.
    ///
    /// - Parameters:
    ///   - isComplete: true to index all changes first, however many there are.
    ///   - progress: called while podcasts are indexed, if any must be.
    /// - Throws: `IndexFailure` if the index cannot be read; `LibraryFailure`.
    public func run(
        _ request: SearchRequest, now: Timestamp, isComplete: Bool = false,
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> SearchOutcome {
        let limit = isComplete ? Int.max : Self.maxIndexed
        var (results, request, outcome) = try await answer(request, now, limit: limit, progress) {
            try await index.search($0)
        }
        outcome.suggestion = results.suggestion
        outcome.isBySound = results.isBySound
        outcome.total = results.total
        outcome.unknown = SearchQuery(text: request.text, now: now).unknown
        outcome.podcasts = Array(try await library.podcasts.podcasts(results.podcasts).prefix(request.limit))
        var unreadable: [UnreadablePodcast] = []
        let rows = try await rows(results, request) { unreadable.append($0) }
        outcome.episodes = Array(rows.prefix(request.limit - outcome.podcasts.count))
        let named = Set(outcome.unreadable.map(\.id))
        outcome.unreadable += unreadable.filter { !named.contains($0.id) }
        outcome.facets = results.facets
        let counted = (results.facets[.podcast] ?? []).map { PodcastID(text: $0.value) }
        for podcast in try await library.podcasts.podcasts(counted) { outcome.titles[podcast.id.text] = podcast.displayTitle }
        return outcome
    }

    /// All matching episodes, newest first: at most `request.limit` after the first `offset`.
    ///
    /// - Returns: their ids; the outcome says whether some may be missing.
    public func matches(
        _ request: SearchRequest, now: Timestamp, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> (ids: [EpisodeID], outcome: SearchOutcome) {
        var (ids, request, outcome) = try await answer(request, now, progress) { try await index.episodes(matching: $0) }
        outcome.unknown = SearchQuery(text: request.text, now: now).unknown
        return (ids, outcome)
    }

    /// The number of matching episodes.
    ///
    /// - Returns: the outcome says whether some may be missing.
    public func count(_ request: SearchRequest, now: Timestamp) async throws -> (count: Int, outcome: SearchOutcome) {
        let (count, _, outcome) = try await answer(request, now) { try await index.count(matching: $0) }
        return (count, outcome)
    }

    /// Merges hits of one episode in several podcasts, then asks for more hits to fill the limit.
    ///
    /// - Parameter damaged: called for each podcast whose file is damaged, which is then left out.
    private func rows(
        _ results: SearchResults, _ request: SearchRequest, damaged: ((UnreadablePodcast) -> Void)?
    ) async throws -> [FoundEpisode] {
        let episodes = try await foundEpisodes(results.hits, request, damaged)
        let rows = Self.merged(try await Self.numberedFirst(inOrder(episodes, request), request))
        let missing = results.hits.count - rows.count
        guard missing > 0, results.hits.count == request.limit else { return rows }
        var second = request
        second.limit += missing + 20
        second.facets = []
        let more = try await index.search(second).hits
        return Array(
            Self.merged(try await inOrder(try await foundEpisodes(more, second, { _ in }), request)).prefix(request.limit))
    }

    /// For `#100`, puts titles with that sign and number before those with the number alone.
    private static func numberedFirst(_ episodes: [FoundEpisode], _ request: SearchRequest) -> [FoundEpisode] {
        let numbers = request.text.split(whereSeparator: \.isWhitespace).filter {
            $0.hasPrefix("#") && $0.count > 1 && $0.dropFirst().allSatisfy(\.isNumber)
        }
        guard request.sort == .relevance, !numbers.isEmpty else { return episodes }
        func hasAll(_ episode: FoundEpisode) -> Bool {
            let words = (episode.episode.item.title ?? "").split { !($0 == "#" || $0.isNumber) }
            return numbers.allSatisfy(words.contains)
        }
        return episodes.filter(hasAll) + episodes.filter { !hasAll($0) }
    }

    /// Orders results by date as all lists are ordered; the index knows only the dates.
    private func inOrder(_ episodes: [FoundEpisode], _ request: SearchRequest) async throws -> [FoundEpisode] {
        guard request.sort != .relevance else { return episodes }
        let rows = Dictionary(episodes.map { ($0.episode.id, $0) }, uniquingKeysWith: { first, _ in first })
        let listed = episodes.map { ListedEpisode(podcast: $0.podcast, episode: $0.episode) }
        return try await OrderEpisodes(library)(listed, oldestFirst: request.sort == .oldest)
            .compactMap { rows[$0.episode.id] }
    }

    private static func merged(_ episodes: [FoundEpisode]) -> [FoundEpisode] {
        var rows: [FoundEpisode] = []
        var rowIndices: [SameEpisode: Int] = [:]
        for episode in episodes {
            let same = SameEpisode(episode.episode.item)
            if let row = same.flatMap({ rowIndices[$0] }), rows[row].podcast.id != episode.podcast.id {
                rows[row].others.append(FoundEpisode.OtherListing(id: episode.episode.id, podcast: episode.podcast))
            } else {
                if let same { rowIndices[same] = rows.count }
                rows.append(episode)
            }
        }
        return rows
    }

    /// Asks the index after reconciling it.
    private func answer<Answer>(
        _ request: SearchRequest, _ now: Timestamp, limit: Int = .max, _ progress: (Int, Int) -> Void = { _, _ in },
        _ ask: (SearchRequest) async throws -> Answer
    ) async throws -> (Answer, SearchRequest, SearchOutcome) {
        // Both read from the library, which may take a round trip to a server.
        async let completed = completed(request, now: now)
        do {
            let outcome = try await reconciled(limit: limit, progress)
            return (try await ask(completed), try await completed, outcome)
        } catch IndexFailure.damaged {
            // The damaged index has been reset; it is rebuilt from the library, then asked again.
            let outcome = try await reconciled(limit: limit, progress)
            return (try await ask(completed), try await completed, outcome)
        }
    }

    private func reconciled(limit: Int = .max, _ progress: (Int, Int) -> Void) async throws -> SearchOutcome {
        var outcome = SearchOutcome(episodes: [])
        let reconcile = ReconcileIndex(library, index: index)
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
        request.text = expansion.expanded(request.text, now: now)
        let query = SearchQuery(text: request.text, now: now)
        let conditions = query.allConditions
        if conditions.contains(where: { $0.kind == .inQueue }) {
            request.queue = try await library.queue.entries().map(\.episodeID)
        }
        let hidesArchived = !request.includesArchived && !conditions.contains(SearchQuery.Condition(.tagged(.archived)))
        let wanted = query.ownTags.union(hidesArchived ? [.archived] : [])
        let tagged = try await library.tags.episodes(tagged: wanted)
        for tag in wanted { request.tagged[tag] = tagged[tag] ?? [] }
        request.taggedPodcasts = try await taggedPodcasts(query.ownTags.subtracting(Tag.meaningful))
        let noteWords = query.noteWords
        if !noteWords.isEmpty {
            let all = try await library.bookmarks.bookmarks()
            for words in noteWords { request.marked[words] = ManageBookmarks.episodes(noted: words, in: all) }
        }
        if hidesArchived { request.hidden = tagged[.archived] ?? [] }
        return request
    }

    private func taggedPodcasts(_ tags: Set<Tag>) async throws -> [Tag: [PodcastID]] {
        var tagged: [Tag: [PodcastID]] = [:]
        if tags.isEmpty { return tagged }
        try await library.podcasts.forEach { podcast in
            for tag in Set(podcast.settings.tags.compactMap { Tag($0) }).intersection(tags) {
                tagged[tag, default: []].append(podcast.id)
            }
            return true
        }
        return tagged
    }

    private func foundEpisodes(
        _ hits: [SearchHit], _ request: SearchRequest, _ damaged: ((UnreadablePodcast) -> Void)?
    ) async throws -> [FoundEpisode] {
        guard !hits.isEmpty else { return [] }
        let ids = hits.map(\.episodeID)
        // Together they take one round trip to a server.
        async let podcasts = library.podcasts.podcasts(Array(Set(ids.map(\.podcastID))))
        async let allTags = library.tags.tags(of: ids)
        async let segments = library.transcripts.segments(of: hits.filter(\.isSpoken).map(\.episodeID))
        let stored = try await library.episodes.episodes(ids, damaged: damaged)
        let texts = Dictionary(stored.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let byID = Dictionary(try await podcasts.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let (tags, spoken) = (try await allTags, try await segments)
        let snippets = index.snippets(for: request)
        return hits.compactMap { hit in
            guard let episode = texts[hit.episodeID], let podcast = byID[episode.podcastID] else { return nil }
            let segments = spoken[hit.episodeID]?.filter { $0.isChapter == hit.isChapter } ?? []
            var snippet = segments.isEmpty ? nil : snippets.snippet(of: hit, in: segments)
            if snippet?.matches.isEmpty ?? true { snippet = nil }
            let shown = snippet ?? snippets.snippet(of: hit, in: episode, of: podcast)
            var result = FoundEpisode(
                episode: episode, podcast: podcast, score: hit.score,
                field: shown.matches.isEmpty ? hit.field : shown.field, snippet: shown,
                start: shown.matches.isEmpty ? hit.start : shown.start)
            if snippet != nil, !hit.isChapter, shown.start != nil {
                (result.moments, result.momentCount) = snippets.moments(of: hit, in: segments, limit: Self.maxMoments)
                if let first = result.moments.first { (result.snippet, result.start) = (first, first.start) }
            }
            result.hasMostWords = hit.hasMostWords
            result.tags = tags[hit.episodeID] ?? []
            result.explanation = hit.explanation
            return result
        }
    }
}

extension SearchHit {
    fileprivate var isSpoken: Bool { field == SearchQuery.Field.transcript.rawValue || isChapter }
    fileprivate var isChapter: Bool { field == SearchQuery.Field.chapter.rawValue }
}
