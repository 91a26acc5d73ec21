public import Domain

extension UnknownCondition {
    /// One line on standard error: the search goes on with the words.
    public var note: String { "'\(text.oneLine)' is not a field or condition and was searched as words; \(advice)" }

    fileprivate var advice: String {
        if !suggestions.isEmpty { return "did you mean \(suggestions.map { "'\($0.oneLine)'" }.joined(separator: " or "))?" }
        // A name that is known takes few values, or a form that help explains.
        if !known.isEmpty, known.count < 5 { return "try \(known.map { "'\($0)'" }.joined(separator: " or "))" }
        return "see 'jimmy help search'"
    }
}

extension FailureLine {
    /// For commands that act on what a query finds: a slip must not change it.
    public init?(refusing query: SearchQuery, for command: String) {
        guard let part = query.unknown.first else { return nil }
        self.init(command, "'\(part.text.oneLine)' is not a field or condition", status: .usage, advice: part.advice)
    }
}

/// Lists that show only their beginning say so.
public enum CutList {
    /// nil if everything is shown.
    ///
    /// - Parameter option: what shows more, such as `--limit N`.
    public static func note(shown: Int, of total: MatchCount, option: String = "--limit N") -> String? {
        let remaining = total.count - shown
        guard remaining > 0 else { return nil }
        return "\(total.isExact ? "" : "At least ")\(remaining) more; '\(option)' shows more."
    }
}
