internal import Domain

/// The documents of a segment in whose transcripts words of a query are close together.
///
/// Nearly every word is somewhere in a long transcript, so what tells a passage that somebody remembers is that its words
/// are near each other. A passage is a window of the transcript with all words of the query, or, of alternatives, with most
/// of them. Its closeness is added to the score of the document; `Ranking` says how much.
final class SpokenPassages {
    /// A word of the query, in all its forms.
    private struct Word {
        var cursors: [TextCursor]
        let any: AnyCursor
        let rarity: Double
    }

    /// The rarest first.
    private let words: [Word]
    /// The number of them that a passage has.
    private let minWords: Int
    /// The most that a passage spans.
    private let maxSpan: UInt32
    private let strength: Double
    /// Documents that may have a passage.
    private let lead: Cursor

    /// For each word its places in the current document, and these in the order of words.
    private var lists: [OccurrenceList]
    private var places: [UInt64] = []

    /// nil if no document of the segment can have one.
    init?(_ plan: SearchPlan, in number: Int) {
        let (expression, vocabulary) = (plan.expression, plan.vocabulary)
        guard let query = expression.spokenWords, let transcripts = vocabulary.postings(of: Facet.transcript)[number] else {
            return nil
        }
        var words = query.words.compactMap { leaves -> Word? in
            let cursors = leaves.compactMap { expression.leaves[$0].spoken?.cursor(in: number, of: vocabulary) }
            guard !cursors.isEmpty, let term = expression.leaves[leaves[0]].term else { return nil }
            return Word(cursors: cursors, any: AnyCursor(cursors), rarity: plan.ranking.terms[term])
        }
        guard words.count >= query.minWords else { return nil }
        words.sort { $0.any.cost < $1.any.cost }
        self.words = words
        minWords = query.minWords
        maxSpan = UInt32(Ranking.maxPassage(of: query.words.count))
        strength = Ranking.closenessStrength(of: query.words.count, isSpokenOnly: query.isSpokenOnly)
        // A document with `minWords` words has one of those that are more than the others.
        let rarest = words.prefix(words.count - query.minWords + 1).map(\.any)
        let needed = query.minWords == words.count ? words.map(\.any) : [AnyCursor(rarest)]
        lead = AllCursor(needed + [TermCursor(transcripts, in: plan.snapshot.segments[number], column: nil)])
        lists = words.map { _ in OccurrenceList() }
    }

    /// Calls `body` with each document of the range that has such a passage, and its closeness.
    func each(in range: Range<Int>, _ body: (Int, Double) -> Void) {
        lead.advance(to: range.lowerBound)
        while lead.document < range.upperBound {
            if let closeness = closeness(in: lead.document) { body(lead.document, closeness) }
            lead.advance(to: lead.document + 1)
        }
    }

    private func closeness(in document: Int) -> Double? {
        var present: [Int] = []
        for (index, word) in words.enumerated() {
            if present.count + words.count - index < minWords { return nil }
            word.any.advance(to: document)
            guard word.any.document == document else { continue }
            let list = lists[index]
            list.removeAll()
            for cursor in word.cursors where cursor.document == document { cursor.read(into: list) }
            // Compounds have no place among the words.
            list.keep { $0.column == Column.transcript.rawValue }
            if list.count == 0 { continue }
            if word.cursors.count > 1 { list.sort() }
            present.append(index)
        }
        guard present.count >= minWords else { return nil }
        collectPlaces(present.sorted { lists[$0].count < lists[$1].count })
        return closest().map { strength * $0 }
    }

    /// Fills in the places that may belong to a passage: those near the words that occur least, of which each passage has
    /// one.
    private func collectPlaces(_ present: [Int]) {
        places.removeAll(keepingCapacity: true)
        func add(_ index: Int, _ place: Int) {
            places.append(UInt64(lists[index][place].position) << 8 | UInt64(truncatingIfNeeded: index))
        }
        let rare = present.prefix(present.count - minWords + 1)
        for index in rare { for place in 0..<lists[index].count { add(index, place) } }
        places.sort()
        let anchors = places.count
        for index in present.dropFirst(rare.count) {
            let list = lists[index]
            var anchor = 0
            for place in 0..<list.count {
                let position = list[place].position
                while anchor < anchors, UInt32(places[anchor] >> 8) + maxSpan <= position { anchor += 1 }
                if anchor == anchors { break }
                if UInt32(places[anchor] >> 8) < position + maxSpan { add(index, place) }
            }
        }
        places.sort()
    }

    /// The best of all windows.
    private func closest() -> Double? {
        guard places.count >= minWords else { return nil }
        var best: Double?
        for last in places.indices {
            let end = UInt32(places[last] >> 8)
            var (seen, count, rarity): (UInt64, Int, Double) = (0, 0, 0)
            var first = last
            while first >= 0, case let start = UInt32(places[first] >> 8), end - start < maxSpan {
                let index = Int(places[first] & 0xFF)
                if seen & 1 << UInt64(index) == 0 {
                    seen |= 1 << UInt64(index)
                    (count, rarity) = (count + 1, rarity + words[index].rarity)
                    if count >= minWords {
                        let share = min(1, Double(count) / Double(end - start + 1))
                        best = max(best ?? 0, rarity * Ranking.closeness(share))
                    }
                    if count == words.count { break }
                }
                first -= 1
            }
        }
        return best
    }
}

extension MatchExpression {
    /// The words of a query that may be said close together.
    struct SpokenWords {
        /// For each word the numbers of its leaves.
        var words: [[Int]]
        /// The number of words that a passage has.
        var minWords: Int
        /// True if the query asks for what was said alone.
        var isSpokenOnly: Bool
    }

    /// nil for a single word, and for too many.
    var spokenWords: SpokenWords? {
        let text = text(of: node)
        var words = words(of: text)
        var minWords = words.count
        if case .any(let parts) = text, words.count == 1 {
            // Alternatives, unless they are forms of one word.
            let alternatives = parts.flatMap(self.words)
            if Set(alternatives.joined().map { leaves[$0].term }).count > 1 {
                words = alternatives
                minWords = Ranking.minWords(of: words.count)
            }
        }
        guard (2...Ranking.maxPassageWords).contains(words.count) else { return nil }
        return SpokenWords(
            words: words, minWords: minWords, isSpokenOnly: words.joined().allSatisfy { leaves[$0].column == .transcript })
    }

    /// The node without its conditions.
    private func text(of node: Node) -> Node {
        switch node {
        case .without(let wanted, _): return text(of: wanted)
        case .all(let parts):
            let texts = parts.filter { !words(of: $0).isEmpty }
            return texts.count == 1 ? text(of: texts[0]) : node
        default: return node
        }
    }

    /// For each word the leaves that may match in a transcript. Alternatives are one word.
    private func words(of node: Node) -> [[Int]] {
        switch node {
        case .leaf, .any:
            let leaves = alternatives(of: node) ?? []
            return leaves.isEmpty ? [] : [leaves]
        case .all(let parts): return parts.flatMap(words)
        case .without(let wanted, _): return words(of: wanted)
        case .every, .podcast, .episodes, .passing: return []
        }
    }

    /// nil for anything but words.
    private func alternatives(of node: Node) -> [Int]? {
        switch node {
        case .leaf(let number): return leaves[number].term != nil && leaves[number].spoken != nil ? [number] : []
        case .any(let parts):
            let leaves = parts.map(alternatives)
            return leaves.contains { $0 == nil } ? nil : leaves.flatMap { $0 ?? [] }
        default: return nil
        }
    }
}

extension MatchExpression.Leaf {
    /// The leaf in transcripts alone; nil if it asks for another column. Advertising is left out.
    fileprivate var spoken: Self? {
        guard column == nil || column == .transcript else { return nil }
        var leaf = self
        leaf.column = .transcript
        return leaf
    }
}
