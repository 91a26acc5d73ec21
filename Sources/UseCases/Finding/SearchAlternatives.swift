public import Domain
public import Results
public import Searching

extension SearchEpisodes {
    /// The results of a query near to one that finds nothing; nil if there are none.
    ///
    /// - Parameter suggestion: the nearest spelling.
    public func alternative(
        to request: SearchRequest, suggestion: String?, now: Timestamp
    ) async throws -> (SearchAlternative, SearchOutcome)? {
        if let suggestion, let outcome = try await outcome(suggestion, request, now) { return (.spelling(suggestion), outcome) }
        let words = Self.words(of: request.text, now)
        guard (2...Self.maxWords).contains(words.count) else { return nil }
        var missing: [QueryWord] = []
        for word in words where try await isMissing(word, request, now) { missing.append(word) }
        if !missing.isEmpty, missing.count < words.count {
            guard let outcome = try await outcome(request.text.without(missing), request, now) else { return nil }
            return (.without(missing.map(\.text)), outcome)
        }
        var best: (word: QueryWord, outcome: SearchOutcome)?
        for word in words.reversed() {
            guard let outcome = try await outcome(request.text.without([word]), request, now) else { continue }
            if outcome.total.count > best?.outcome.total.count ?? 0 { best = (word, outcome) }
        }
        return best.map { (.apart($0.word.text), $0.outcome) }
    }

    private static let maxWords = 8

    /// The words that must all occur; empty if the query is more than words.
    private static func words(of text: String, _ now: Timestamp) -> [QueryWord] {
        guard case .all(let parts) = SearchQuery(text: text, now: now).expression else { return [] }
        return parts.compactMap { if case .term(let term) = $0 { QueryWord(term) } else { nil } }
    }

    private func isMissing(_ word: QueryWord, _ request: SearchRequest, _ now: Timestamp) async throws -> Bool {
        var alone = request
        (alone.text, alone.facets) = (String(decoding: Array(request.text.utf8)[word.range], as: UTF8.self), [])
        return try await count(alone, now: now).count == 0
    }

    /// nil if the search finds nothing.
    private func outcome(_ text: String, _ request: SearchRequest, _ now: Timestamp) async throws -> SearchOutcome? {
        var other = request
        other.text = text
        let outcome = try await run(other, now: now)
        return outcome.isEmpty ? nil : outcome
    }
}

/// A word or phrase of a query, with its field and quotes.
private struct QueryWord {
    let text: String
    /// UTF-8 offsets in the query.
    let range: Range<Int>

    init(_ term: SearchQuery.Term) {
        text = term.text
        let quotes = term.isPhrase ? 1 : 0
        let field = term.field.map { $0.rawValue.utf8.count + 1 } ?? 0
        range = max(0, term.range.lowerBound - field - quotes)..<term.range.upperBound + quotes + (term.isPrefix ? 1 : 0)
    }
}

extension String {
    fileprivate func without(_ words: [QueryWord]) -> String {
        var bytes = Array(utf8)
        for word in words.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            bytes.removeSubrange(word.range.clamped(to: 0..<bytes.count))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
