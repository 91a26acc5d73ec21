internal import Domain

/// A query's matches in one segment, document by document.
struct SegmentMatches {
    /// The documents that match.
    let cursor: Cursor
    /// The cursor of each leaf of the expression; nil if the segment does not contain the leaf.
    let leaves: [TextCursor?]
    private let expression: MatchExpression

    init(_ expression: MatchExpression, in segment: Int, of vocabulary: Vocabulary) {
        self.expression = expression
        leaves = expression.leaves.map { $0.cursor(in: segment, of: vocabulary) }
        cursor = expression.node.cursor(leaves, in: vocabulary.snapshot.segments[segment])
    }

    /// Fills in the weight of each term in the current document.
    func weigh(_ weigher: Weigher, into weights: inout [Float]) {
        for term in weights.indices { weights[term] = 0 }
        eachScoringLeaf { leaf, cursor in
            if let term = leaf.term { weights[term] += leaf.factor * weigher.weigh(cursor.frequency, of: self.cursor.document) }
        }
    }

    /// Calls `body` for each leaf that counts for the score and occurs in the current document.
    func eachScoringLeaf(_ body: (MatchExpression.Leaf, TextCursor) -> Void) {
        for (leaf, cursor) in zip(expression.leaves, leaves) {
            guard leaf.term != nil, let cursor else { continue }
            cursor.advance(to: self.cursor.document)
            if cursor.document == self.cursor.document { body(leaf, cursor) }
        }
    }
}

extension MatchExpression.Leaf {
    /// nil if the segment does not contain the leaf.
    func cursor(in number: Int, of vocabulary: Vocabulary) -> TextCursor? {
        let segment = vocabulary.snapshot.segments[number]
        var cursors: [TextCursor] = []
        var rarest: Postings?
        for word in words {
            switch word {
            case .term(let key):
                guard let postings = vocabulary.postings(of: key)[number] else { return nil }
                cursors.append(TermCursor(postings, in: segment, column: column))
                if postings.count < rarest?.count ?? .max { rarest = postings }
            case .prefix(let key):
                let all = vocabulary.postings(prefix: key, in: number)
                if all.isEmpty { return nil }
                cursors.append(
                    words.count == 1
                        ? PrefixCursor(all, in: segment, column: column)
                        : AnyTermCursor(all.map { TermCursor($0, in: segment, column: column) }))
            }
        }
        // Only the last word of a phrase may be a prefix, so one of the others is the rarest term.
        let text =
            if cursors.count > 1, let rarest {
                PhraseCursor(cursors, sieve: TermCursor(rarest, in: segment, column: column))
            } else {
                cursors[0]
            }
        guard let language else { return text }
        return vocabulary.postings(of: language)[number].map {
            LimitedCursor(text, to: TermCursor($0, in: segment, column: nil))
        }
    }
}

extension MatchExpression.Node {
    func cursor(_ leaves: [TextCursor?], in segment: Segment) -> Cursor {
        switch self {
        case .leaf(let number): leaves[number] ?? Cursor()
        case .all(let parts): AllCursor(parts.map { $0.cursor(leaves, in: segment) })
        case .any(let parts): AnyCursor(parts.map { $0.cursor(leaves, in: segment) })
        case .without(let wanted, let unwanted):
            WithoutCursor(wanted.cursor(leaves, in: segment), unwanted.cursor(leaves, in: segment))
        case .every: EveryCursor(segment)
        case .passing(let filter): FilterCursor(filter, segment)
        case .podcast(let id): ListCursor(segment.row(of: id).map { segment.documents(of: segment.podcast($0)) } ?? [])
        case .episodes(let ids):
            MemberCursor.pays(ids, segment) ? MemberCursor(ids, segment) : ListCursor(segment.documents(of: ids))
        }
    }
}
