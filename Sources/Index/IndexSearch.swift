internal import Domain

/// One search in the index.
///
/// What is ranked: the newest 2,000 matches, and every episode whose title is exactly what was asked for. So a query
/// with up to 2,000 matches is ranked in full; of a common word's matches older ones take part only by their title.
/// That bounds the work: FTS5 hands out matches by row number, newest first, at 1 to 2 µs each, and a word that
/// stands in most of a million episodes would take more than a second. A phrase of common words is looked for among the
/// newest 100,000 episodes first, and that is all if it stands there 200 times.
struct IndexSearch {
    private static let rankedMatches = 2_000
    private static let enoughOfACommonPhrase = 200

    private let database: Database
    private let state: IndexState

    init(_ database: Database) throws {
        self.database = database
        state = try IndexState(of: database)
    }

    func search(_ request: SearchRequest) throws -> SearchResults {
        let query = SearchQuery(text: request.text)
        let vocabulary = Vocabulary(database: database)
        var hits: [SearchHit] = []
        if let expression = try MatchExpression(
            query, podcast: request.podcast, vocabulary: vocabulary, episodeCount: state.episodes)
        {
            hits = try self.hits(of: expression, query.conditions, request)
        }
        if !hits.isEmpty { return SearchResults(hits: hits) }
        guard let corrected = try Spelling(vocabulary: vocabulary).correction(of: request.text, query) else {
            return SearchResults(hits: [])
        }
        var second = request
        second.text = corrected
        second.limit = 1
        let expression = try MatchExpression(
            SearchQuery(text: corrected), podcast: request.podcast, vocabulary: vocabulary, episodeCount: state.episodes)
        let helps = try expression.map { try !self.hits(of: $0, query.conditions, second).isEmpty } ?? false
        return SearchResults(hits: [], suggestion: helps ? corrected : nil)
    }

    // MARK: Candidates

    private struct Candidate {
        var rowid: Int
        var publishedAt: Int
        var isExactTitle: Bool
        var score: Ranking.Score
    }

    private func hits(
        of expression: MatchExpression, _ conditions: [SearchQuery.Condition], _ request: SearchRequest
    ) throws -> [SearchHit] {
        let filter = try RowFilter(conditions, request, state: state, database: database)
        let ranking = Ranking(expression: expression, state: state, now: request.now)
        let count = max(Self.rankedMatches, request.limit)
        var candidates: [Candidate] = []
        var known: Set<Int> = []
        if let hash = expression.titleHash {
            let titled = "words.rowid IN (SELECT rowid FROM episodes WHERE titleHash = \(hash) ORDER BY rowid DESC LIMIT 200)"
            candidates = try read(expression, filter.sql + [titled], limit: 200, ranking, isExactTitle: true)
            known = Set(candidates.map(\.rowid))
        }
        var matches: [Candidate] = []
        if expression.hasCommonPhrase, state.recent > 0, request.limit < Self.enoughOfACommonPhrase {
            let recent = filter.sql + ["words.rowid >= \(state.recent)"]
            matches = try read(expression, recent, limit: count, ranking, isExactTitle: false)
        }
        if matches.count < Self.enoughOfACommonPhrase {
            matches = try read(expression, filter.sql, limit: count, ranking, isExactTitle: false)
        }
        candidates += matches.filter { !known.contains($0.rowid) }
        switch request.sort {
        case .relevance:
            candidates.sort { a, b in
                a.isExactTitle != b.isExactTitle
                    ? a.isExactTitle : (a.score.value, a.publishedAt, a.rowid) > (b.score.value, b.publishedAt, b.rowid)
            }
        case .date:
            candidates.sort { a, b in (a.publishedAt, a.score.value, a.rowid) > (b.publishedAt, b.score.value, b.rowid) }
        }
        return try candidates.prefix(max(0, request.limit)).compactMap(hit)
    }

    private func read(
        _ expression: MatchExpression, _ conditions: [String], limit: Int, _ ranking: Ranking, isExactTitle: Bool
    ) throws -> [Candidate] {
        let row = try database.statement(
            """
            SELECT words.rowid, occurrences(words), e.publishedAt, e.titleLength, e.textLength
            FROM words CROSS JOIN episodes AS e ON e.rowid = words.rowid
            WHERE \((["words MATCH ?1"] + conditions).joined(separator: " AND "))
            ORDER BY words.rowid DESC LIMIT ?2
            """)
        row.bind(1, expression.text)
        row.bind(2, limit)
        defer { row.reset() }
        var candidates: [Candidate] = []
        var termScores = [Double](repeating: 0, count: expression.weights.count)
        while try row.step() {
            let publishedAt = row.optionalInt(2)
            let score = row.withBlob(1) {
                ranking.score(
                    occurrences: $0, titleLength: row.int(3), textLength: row.int(4), publishedAt: publishedAt,
                    termScores: &termScores)
            }
            candidates.append(
                Candidate(
                    rowid: row.int(0), publishedAt: publishedAt ?? .min, isExactTitle: isExactTitle, score: score))
        }
        return candidates
    }

    private func hit(_ candidate: Candidate) throws -> SearchHit? {
        let row = try database.statement(
            "SELECT p.id, e.name FROM episodes AS e JOIN podcasts AS p ON p.key = e.podcast WHERE e.rowid = ?1")
        row.bind(1, candidate.rowid)
        defer { row.reset() }
        guard try row.step(), let id = EpisodeID(text: row.text(0) + "-" + row.text(1)) else { return nil }
        let isSpoken = candidate.score.column == .transcript
        return SearchHit(
            episodeID: id, score: candidate.score.value + (candidate.isExactTitle ? 100 : 0),
            field: candidate.score.column.field,
            start: isSpoken ? try start(of: candidate.rowid, at: candidate.score.transcriptPosition) : nil)
    }

    /// The second at which the word at this position of the transcript is spoken.
    private func start(of rowid: Int, at position: Int?) throws -> Double? {
        guard let position else { return nil }
        let row = try database.statement("SELECT starts FROM transcripts WHERE rowid = ?1")
        row.bind(1, rowid)
        defer { row.reset() }
        guard try row.step() else { return nil }
        return row.withBlob(0) { bytes in
            var start: Double?
            for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
                guard Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) <= position else { break }
                start = Double(bytes.loadUnaligned(fromByteOffset: offset + 4, as: Float.self))
            }
            return start
        }
    }
}
