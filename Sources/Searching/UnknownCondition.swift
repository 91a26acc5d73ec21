import Domain

/// Part of a query that looks like a field or a condition but is neither: `titel:storm`, `is:nwe`, `after:soon`. It is
/// searched as words.
public struct UnknownCondition: Equatable, Sendable {
    /// As typed.
    public var text: String
    /// Its likely meanings; empty if nothing is similar.
    public var suggestions: [String]
    /// What the query language allows here: all names, all values of this name, or examples of them.
    public var allowed: [String]

    /// Conditions whose values are a few words.
    static let values: KeyValuePairs = [
        "is": ["new", "played", "starred", "archived", "downloaded", "queued", "withdrawn"], "in": ["queue"],
        "has": ["transcript", "chapters", "marks"], "source": ["published", "home"], "type": ["full", "trailer", "bonus"],
    ]
    /// Conditions whose values are dates, spans or numbers, with examples.
    static let open: KeyValuePairs = [
        "after": ["2024-03-01", "2w"], "before": ["2024-03-01", "2w"], "added": ["2024-03-01", "2w"],
        "longer": ["30m", "1h"], "shorter": ["30m", "1h"], "season": ["2"],
    ]

    /// Fields, whose values are words.
    private static let fields = SearchQuery.Field.allCases.map(\.rawValue) + ["said", "tag", "mark"]

    /// nil for text that is not meant as a condition: a time such as `12:30`, a URL, a word ending in a colon that is no
    /// field. A field without a value is what a script with an empty variable asks for.
    ///
    /// - Parameters:
    ///   - name: the text before the colon, which is not a field.
    ///   - value: the text after it, which cannot be read.
    init?(name: String, value: String) {
        guard name.count > 1, name.utf8.allSatisfy({ (0x61...0x7A).contains($0 | 0x20) || $0 == UInt8(ascii: "-") }),
            !value.hasPrefix("//")
        else { return nil }
        text = "\(name):\(value)"
        let folded = name.lowercased()
        if let (name, values) = Self.values.first(where: { $0.key == folded }) {
            suggestions = NearestName.suggestions(for: value, among: values).map { "\(name):\($0)" }
            allowed = values.map { "\(name):\($0)" }
        } else if let (name, examples) = Self.open.first(where: { $0.key == folded }) {
            (suggestions, allowed) = ([], examples.map { "\(name):\($0)" })
        } else if value.isEmpty, Self.fields.contains(folded) {
            (suggestions, allowed) = ([], ["\(folded):word"])
        } else {
            guard !value.isEmpty, !Self.schemes.contains(folded) else { return nil }
            let names = Self.fields + Self.values.map(\.key) + Self.open.map(\.key)
            let near = NearestName.suggestions(for: name, among: names)
            // Short names that lack a letter and have a wrong one.
            let alike = names.filter { $0.first == folded.first && $0.count < 5 && abs($0.count - folded.count) < 2 }
            suggestions = (near.isEmpty ? alike : near).map { "\($0):\(value)" }
            allowed = names.map { $0 + ":" }
        }
    }

    /// URLs without `//`.
    private static let schemes: Set<String> = ["mailto", "tel", "urn", "data", "feed", "magnet", "doi", "isbn"]
}
