public import Domain

/// Where results are printed, as far as their form depends on it.
public struct Display: Sendable {
    /// On a terminal: columns, relative dates, local time. In a pipe: one record a line, tabs between fields, UTC.
    public var isTerminal: Bool
    public var hasColor: Bool
    /// Columns of the terminal.
    public var width: Int
    public var now: Timestamp

    public init(isTerminal: Bool, hasColor: Bool = false, width: Int = 80, now: Timestamp) {
        self.isTerminal = isTerminal
        self.hasColor = hasColor
        self.width = max(width, 20)
        self.now = now
    }

    func styled(_ text: String, _ style: Style?) -> String {
        guard hasColor, let style, !text.isEmpty else { return text }
        return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }
}

/// Colour has a meaning: red failed, yellow wants attention, green is new; the rest is weight.
enum Style: String {
    case bold = "1", dim = "2", failed = "31", new = "32", attention = "33", match = "1;33", bar = "36"
}
