import Domain
public import Searching

extension UnknownCondition {
    /// One line on standard error; the search continues with the words.
    public var note: String { "'\(text.oneLine)' is not a field or condition and was searched as words; \(advice)" }

    fileprivate var advice: String {
        if !suggestions.isEmpty { return "did you mean \(suggestions.map { "'\($0.oneLine)'" }.joined(separator: " or "))?" }
        // A known name takes only a few values, or a form that help explains.
        if !allowed.isEmpty, allowed.count < 5 { return "try \(allowed.map { "'\($0)'" }.joined(separator: " or "))" }
        return "see 'jimmy help search'"
    }
}

extension FailureLine {
    /// For commands that act on the results of a query, which a misspelling must not change.
    public init?(refusing query: SearchQuery, for command: String) {
        guard let part = query.unknown.first else { return nil }
        self.init(command, "'\(part.text.oneLine)' is not a field or condition", status: .usage, advice: part.advice)
    }
}

/// The note of a list that shows only its beginning.
public enum CutList {
    public static let isEmpty = "A limit of 0 shows nothing."

    /// nil if everything is shown.
    ///
    /// - Parameter option: the option that shows more.
    public static func note(shown: Int, of total: MatchCount, option: String = "--limit N") -> String? {
        let remaining = total.count - shown
        guard remaining > 0 else { return nil }
        return "\(total.isExact ? "" : "At least ")\(remaining) more; '\(option)' shows more."
    }
}
