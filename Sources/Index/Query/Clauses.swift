internal import Domain

extension MatchExpression {
    /// An expression as a list: documents contain a word of each clause, and satisfy all conditions.
    struct Clauses {
        /// For each clause, the numbers of its leaves.
        var words: [[Int]] = []
        var conditions: [Node] = []
        var unwanted: Node?
    }

    /// nil for expressions of any other form.
    func clauses(of node: Node) -> Clauses? {
        var clauses = Clauses()
        var unwanted: [Node] = []
        /// Returns false if the node has another form.
        func add(_ node: Node) -> Bool {
            switch node {
            case .every: break
            case .leaf(let number):
                if leaves[number].term == nil { clauses.conditions.append(node) } else { clauses.words.append([number]) }
            case .all(let parts): return parts.allSatisfy(add)
            case .without(let wanted, let other):
                unwanted.append(other)
                return add(wanted)
            case .any(let parts):
                var numbers: [Int] = []
                for part in parts {
                    guard case .leaf(let number) = part, leaves[number].term != nil else { return false }
                    numbers.append(number)
                }
                clauses.words.append(numbers)
            case .podcast, .episodes, .passing: clauses.conditions.append(node)
            }
            return true
        }
        guard add(node), !clauses.words.isEmpty, weights.count <= 16, leaves.count <= 256 else { return nil }
        // A word of several clauses would be weighed several times.
        let words = clauses.words.joined()
        if Set(words).count < words.count { return nil }
        clauses.unwanted = unwanted.isEmpty ? nil : .any(unwanted)
        return clauses
    }
}
