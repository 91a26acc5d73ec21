/// Finds the likely meaning of a misspelt name, such as a command, an option, a setting or a field of a query.
public enum NearestName {
    /// The candidates nearest to `name`, several if equally near; empty if none is near enough to be likely.
    public static func suggestions(for name: String, among candidates: [String]) -> [String] {
        let name = name.lowercased()
        guard !name.isEmpty else { return [] }
        let rated = candidates.compactMap { candidate in
            distance(name, candidate.lowercased()).map { (distance: $0, name: candidate) }
        }
        guard let least = rated.map(\.distance).min() else { return [] }
        return rated.filter { $0.distance == least }.map(\.name)
    }

    /// nil if they are too different for one to be a misspelling of the other.
    private static func distance(_ name: String, _ candidate: String) -> Int? {
        let edits = edits(Array(name), Array(candidate))
        // One edit in a word of three letters, two from five, three from eight.
        let length = max(name.count, candidate.count)
        if edits <= (length < 5 ? 1 : length < 8 ? 2 : 3), edits < length - 1 { return edits }
        // The beginning of a name, or one of its words: `interval` for `min-interval`.
        let isPart = name.count > 1 && candidate.hasPrefix(name) || candidate.split(separator: "-").contains { $0 == name }
        return isPart ? 4 : nil
    }

    /// The number of insertions, deletions, replacements and swaps of neighbours that turn one into the other.
    /// Source: optimal string alignment distance.
    private static func edits(_ a: [Character], _ b: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
                row.append(cost)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}
