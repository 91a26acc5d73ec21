/// What a misspelt name probably meant, such as a command, an option, a setting or a field of a query.
public enum NearestName {
    /// The known names nearest to `name`; empty unless they are near enough to be likely. Several if they are equally near.
    public static func suggestions(for name: String, among known: [String]) -> [String] {
        let name = name.lowercased()
        guard !name.isEmpty else { return [] }
        let rated = known.compactMap { known in distance(name, known.lowercased()).map { (distance: $0, known: known) } }
        guard let least = rated.map(\.distance).min() else { return [] }
        return rated.filter { $0.distance == least }.map(\.known)
    }

    /// nil if they are too far apart for one to be a slip for the other.
    private static func distance(_ name: String, _ known: String) -> Int? {
        let edits = edits(Array(name), Array(known))
        // One slip in a word of three letters, two from five, three from eight.
        let length = max(name.count, known.count)
        if edits <= (length < 5 ? 1 : length < 8 ? 2 : 3), edits < length - 1 { return edits }
        // The beginning of a name, or one of its words: `interval` for `min-interval`.
        let isPart = name.count > 1 && known.hasPrefix(name) || known.split(separator: "-").contains { $0 == name }
        return isPart ? 4 : nil
    }

    /// Insertions, deletions, replacements and swaps of neighbours that turn one into the other.
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
