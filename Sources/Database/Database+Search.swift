public import Domain

extension Database {
    // MARK: Words

    /// The totals over all episodes that ranking needs.
    public struct IndexTotals: Sendable {
        public var episodes = 0
        public var titleBytes = 0
        public var textBytes = 0
        /// False if the totals were estimated from one shard.
        public var isExact = true
    }

    /// Number of episodes above which counts are estimated from one shard.
    private static let maxCounted = 200_000

    public func indexTotals() async throws -> IndexTotals {
        let first = try await totals([.owner])
        guard first.episodes * Shard.count > Self.maxCounted else { return try await totals(Shard.all) }
        return IndexTotals(
            episodes: first.episodes * Shard.count, titleBytes: first.titleBytes * Shard.count,
            textBytes: first.textBytes * Shard.count, isExact: false)
    }

    private func totals(_ shards: [Shard]) async throws -> IndexTotals {
        var totals = IndexTotals()
        for row in try await session.read(shards.map { Transaction(.totals, $0) }).all {
            totals.episodes += row.int(0)
            totals.titleBytes += row.int(1)
            totals.textBytes += row.int(2)
        }
        return totals
    }

    /// How many episodes contain each of these terms; estimated if the totals are.
    public func episodes(withEach terms: [UInt64], _ totals: IndexTotals) async throws -> [UInt64: Int] {
        guard !terms.isEmpty else { return [:] }
        let shards = totals.isExact ? Shard.all : [.owner]
        let rows = try await session.read(
            shards.map { shard in Transaction(.episodeCounts, shard, .ints(terms.map { shard.term($0) })) })
        var counts: [UInt64: Int] = [:]
        for (shard, rows) in zip(shards, rows) {
            for row in rows { counts[shard.hash(row.number(0) ?? 0), default: 0] += row.int(1) * Shard.count / shards.count }
        }
        return counts
    }

    /// The entries that are in the word list.
    public func storedWords(among words: [[UInt8]]) async throws -> Set<[UInt8]> {
        guard !words.isEmpty else { return [] }
        let rows = try await session.read(Shard.all.map { Transaction(.knownWords, $0, .byteLists(words)) })
        return Set(rows.all.compactMap { $0.bytes(0) })
    }

    /// Number of words read for one beginning.
    private static let maxWords = 20_000

    /// The endings with which these beginnings form entries of the word list, sorted; only the first ones if there are
    /// very many.
    public func words(behind beginnings: [[UInt8]]) async throws -> [[UInt8]: [[UInt8]]] {
        guard !beginnings.isEmpty else { return [:] }
        let ends = beginnings.map { $0 + [0xFF] }
        let rows = try await session.read(
            Shard.all.map { Transaction(.wordsBehind, $0, .byteLists(beginnings), .byteLists(ends), .int(Self.maxWords)) })
        var endings: [[UInt8]: Set<[UInt8]>] = [:]
        for row in rows.all {
            guard let beginning = row.bytes(0), let word = row.bytes(1) else { continue }
            endings[beginning, default: []].insert(Array(word.dropFirst(beginning.count)))
        }
        return endings.mapValues { $0.sorted { $0.lexicographicallyPrecedes($1) } }
    }

    public func podcasts(withTerm term: UInt64) async throws -> [PodcastID] {
        let rows = try await session.read(Shard.all.map { Transaction(.podcastsWithTerm, $0, .int($0.term(term))) })
        return rows.all.map { PodcastID(text: $0.text(0)) }.sorted()
    }

    // MARK: Candidates

    /// Episodes that may match, in the order of their dates.
    ///
    /// - Parameter limit: approximate number of episodes.
    public func candidates(
        _ request: CandidateRequest, after position: CandidatePage.Position?, limit: Int
    ) async throws -> CandidatePage {
        // For most searches the newest candidates are spread evenly over the shards.
        let page = try await page(request, after: position, limit: limit, perShard: max(limit / 13, 64))
        if page.candidates.count >= limit / 2 || page.next == nil { return page }
        return try await self.page(request, after: position, limit: limit, perShard: limit)
    }

    private func page(
        _ request: CandidateRequest, after position: CandidatePage.Position?, limit: Int, perShard: Int
    ) async throws -> CandidatePage {
        let replies = try await session.read(
            Shard.all.map { shard in
                var condition = ConditionText(shard, from: 6)
                var text = condition.text(request.condition)
                if !request.isCommon, let terms = request.condition.neededTerms {
                    text += " AND " + condition.text(.anyTerm(terms))
                }
                let start = position.map { ($0.published, $0.id.podcastID.text + $0.id.ownText) }
                let parameters: [Parameter] = [
                    .int(request.published.lowerBound), .int(request.published.upperBound),
                    .int(start?.0 ?? (request.oldestFirst ? -1 : .max)), .text(start?.1 ?? ""),
                ]
                let statement = Statement.candidates(
                    text, oldestFirst: request.oldestFirst, byDate: request.isCommon, limit: 6 + condition.parameters.count)
                return Transaction(Call(statement, shard, parameters + condition.parameters + [.int(perShard)]))
            })
        typealias Candidate = (published: Int64, id: EpisodeID, row: Row)
        var (candidates, end) = ([Candidate](), Candidate?.none)
        func isBefore(_ a: Candidate, _ b: Candidate) -> Bool {
            if a.published != b.published { return request.oldestFirst ? a.published < b.published : a.published > b.published }
            return a.id < b.id
        }
        for rows in replies {
            let own = rows.compactMap { row in
                EpisodeID(text: "\(row.text(0))-\(row.text(1))").map { (published: row.number(2) ?? 0, id: $0, row: row) }
            }
            candidates += own
            // If a shard may have more rows, candidates beyond its last row may be incomplete.
            if rows.count == perShard, let last = own.last { end = end.map { isBefore(last, $0) ? last : $0 } ?? last }
        }
        candidates.sort(by: isBefore)
        if let end { candidates = candidates.filter { !isBefore(end, $0) } }
        let hasMore = end != nil || candidates.count > limit
        candidates = Array(candidates.prefix(limit))
        return CandidatePage(
            candidates: candidates.map { SearchCandidate(id: $0.id, published: $0.published, summary: $0.row.bytes(3) ?? []) },
            next: hasMore ? candidates.last.map { CandidatePage.Position(published: $0.published, id: $0.id) } : nil)
    }

    /// The channels of these podcasts.
    public func channels(of podcasts: [PodcastID]) async throws -> [PodcastID: Channel] {
        try await channelRows(of: podcasts).mapValues(\.channel)
    }
}

extension TermCondition {
    /// Terms of which every matching episode contains at least one; nil if there are none or many.
    ///
    /// They are queried in addition to the condition. This does not change the result, but shows the server how few
    /// rows match: otherwise it expects thousands for any rare term, and scans all episodes by date.
    fileprivate var neededTerms: [UInt64]? {
        switch self {
        case .terms(let terms): terms.isEmpty ? nil : [terms[terms.count - 1]]
        case .anyTerm(let terms): terms.isEmpty || terms.count > 8 ? nil : terms
        case .all(let parts): parts.lazy.compactMap(\.neededTerms).first
        case .any(let parts):
            parts.reduce([UInt64]?([])) { terms, part in terms.flatMap { terms in part.neededTerms.map { terms + $0 } } }
                .flatMap { $0.isEmpty || $0.count > 8 ? nil : $0 }
        case .podcast, .episodes, .every: nil
        }
    }
}

/// A condition as SQL text, and its parameters.
private struct ConditionText {
    private let shard: Shard
    private let first: Int
    private(set) var parameters: [Parameter] = []

    /// - Parameter first: the number of the first parameter.
    init(_ shard: Shard, from first: Int) { (self.shard, self.first) = (shard, first) }

    mutating func text(_ condition: TermCondition) -> String {
        switch condition {
        case .every: return "true"
        case .terms(let terms): return terms.isEmpty ? "true" : "terms @> \(add(.ints(terms.map { shard.term($0) })))"
        case .anyTerm(let terms): return terms.isEmpty ? "false" : "terms && \(add(.ints(terms.map { shard.term($0) })))"
        case .podcast(let id): return "podcast = \(add(.text(id.text)))"
        case .episodes(let ids):
            let own = ids.filter { Shard($0.podcastID) == shard }
            if own.isEmpty { return "false" }
            let (podcasts, names) = (own.map(\.podcastID.text), own.map { String($0.ownText) })
            return "(podcast, own) IN (SELECT * FROM unnest(\(add(.texts(podcasts)))::bytea[], \(add(.texts(names)))::bytea[]))"
        case .all(let parts): return joined(parts.filter { $0 != .every }, " AND ", otherwise: "true")
        case .any(let parts):
            // Most conditions are single terms: forms of one word.
            let single = parts.flatMap { if case .terms(let terms) = $0, terms.count == 1 { terms } else { [UInt64]() } }
            let others = parts.filter { if case .terms(let terms) = $0 { terms.count != 1 } else { true } }
            if others.contains(.every) { return "true" }
            return joined((single.isEmpty ? [] : [.anyTerm(single)]) + others, " OR ", otherwise: "false")
        }
    }

    private mutating func joined(_ parts: [TermCondition], _ word: String, otherwise: String) -> String {
        var texts: [String] = []
        for part in parts { texts.append(text(part)) }
        return texts.isEmpty ? otherwise : texts.count == 1 ? texts[0] : "(" + texts.joined(separator: word) + ")"
    }

    private mutating func add(_ parameter: Parameter) -> String {
        parameters.append(parameter)
        return "$\(first + parameters.count - 1)"
    }
}
