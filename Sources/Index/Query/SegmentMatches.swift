internal import Domain

/// A query's matches in one segment.
struct SegmentMatches {
    /// The documents that match.
    let cursor: Cursor
    /// For each leaf of the expression, where it stands; nil where the segment does not have it.
    private let leaves: [TextCursor?]
    private let expression: MatchExpression

    /// Terms that one prefix may stand for.
    private static let mostTerms = 20_000

    init(_ expression: MatchExpression, in segment: Segment, _ effort: Effort) {
        self.expression = expression
        let leaves = expression.leaves.map { SegmentMatches.cursor(of: $0, in: segment, effort) }
        self.leaves = leaves
        cursor = SegmentMatches.cursor(of: expression.node, leaves, in: segment)
    }

    /// Calls `body` for each leaf that stands in the current document, with its places in `scratch`.
    func eachOccurrence(_ scratch: OccurrenceList, _ body: (MatchExpression.Leaf) -> Void) {
        for (leaf, cursor) in zip(expression.leaves, leaves) {
            guard leaf.term != nil, let cursor else { continue }
            cursor.advance(to: self.cursor.document)
            guard cursor.document == self.cursor.document else { continue }
            scratch.removeAll()
            cursor.read(into: scratch)
            body(leaf)
        }
    }

    private static func cursor(of node: MatchExpression.Node, _ leaves: [TextCursor?], in segment: Segment) -> Cursor {
        switch node {
        case .leaf(let number): leaves[number] ?? Cursor()
        case .all(let parts): AllCursor(parts.map { cursor(of: $0, leaves, in: segment) })
        case .any(let parts): AnyCursor(parts.map { cursor(of: $0, leaves, in: segment) })
        case .without(let wanted, let unwanted):
            WithoutCursor(cursor(of: wanted, leaves, in: segment), cursor(of: unwanted, leaves, in: segment))
        case .every: EveryCursor(segment)
        case .passing(let filter): FilterCursor(filter, segment)
        case .podcast(let id):
            ListCursor(segment.row(of: id).map { segment.documents(of: segment.podcast($0)) } ?? [])
        case .episodes(let ids): ListCursor(ids.compactMap { document(of: $0, in: segment) })
        }
    }

    private static func document(of id: EpisodeID, in segment: Segment) -> Int? {
        segment.row(of: id.podcastID).flatMap { segment.document(of: id, in: segment.podcast($0)) }
    }

    private static func cursor(of leaf: MatchExpression.Leaf, in segment: Segment, _ effort: Effort) -> TextCursor? {
        var words: [TextCursor] = []
        for word in leaf.words {
            switch word {
            case .term(let key):
                guard let postings = segment.postings(of: key) else { return nil }
                words.append(TermCursor(postings, in: segment, column: leaf.column))
            case .prefix(let key):
                var all: [TermCursor] = []
                segment.eachTerm(prefix: key) { walk in
                    all.append(TermCursor(walk.postings, in: segment, column: leaf.column))
                    return all.count < mostTerms
                }
                if all.isEmpty { return nil }
                words.append(AnyTermCursor(all))
            }
        }
        return words.count == 1 ? words[0] : PhraseCursor(words, effort)
    }
}
