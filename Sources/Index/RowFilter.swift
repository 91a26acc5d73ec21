internal import Domain

/// The conditions of a search that are columns of `episodes` (`e`), as SQL. Numbers only: no text of the user's.
struct RowFilter {
    private(set) var sql: [String] = []

    init(
        _ conditions: [SearchQuery.Condition], _ request: SearchRequest, state: IndexState, database: Database
    ) throws {
        if let since = request.since { add(.after(since), state: state) }
        if let until = request.until { add(.before(until + 1), state: state) }
        for condition in conditions {
            switch condition.kind {
            case .inQueue:
                let rows = try RowFilter.rows(of: request.queue, database).map(String.init).joined(separator: ",")
                sql.append("words.rowid \(condition.isNegated ? "NOT " : "")IN (\(rows))")
            case .isNew:
                let sign = condition.isNegated ? "<" : ">="
                sql.append(request.newSince.map { "e.firstSeenAt \(sign) \($0.seconds)" } ?? (condition.isNegated ? "1" : "0"))
            default:
                if !condition.isNegated {
                    add(condition.kind, state: state)
                } else if let negated = RowFilter.column(condition.kind) {
                    sql.append("NOT (\(negated))")
                }
            }
        }
    }

    /// A condition, and what it means for the row numbers, so that FTS5 can leave out whole stretches.
    private mutating func add(_ kind: SearchQuery.Condition.Kind, state: IndexState) {
        guard let column = RowFilter.column(kind) else { return }
        sql.append(column)
        if case .after(let time) = kind { sql.append("words.rowid >= \(IndexWriter.minute(of: time))") }
        if case .before(let time) = kind { sql.append("words.rowid <= \(IndexWriter.minute(of: time) + state.spread)") }
    }

    private static func column(_ kind: SearchQuery.Condition.Kind) -> String? {
        switch kind {
        case .after(let time): "e.publishedAt >= \(time.seconds)"
        case .before(let time): "e.publishedAt < \(time.seconds)"
        case .longer(let seconds): "e.duration > \(seconds)"
        case .shorter(let seconds): "e.duration < \(seconds)"
        case .season, .type, .inQueue, .isNew, .hasTranscript, .hasChapters: nil
        }
    }

    private static func rows(of ids: [EpisodeID], _ database: Database) throws -> [Int] {
        try ids.compactMap { id in
            let row = try database.statement(
                "SELECT rowid FROM episodes WHERE podcast = (SELECT key FROM podcasts WHERE id = ?1) AND name = ?2")
            row.bind(1, id.podcastID.text)
            row.bind(2, IndexWriter.name(of: id))
            defer { row.reset() }
            return try row.step() ? row.int(0) : nil
        }
    }
}
