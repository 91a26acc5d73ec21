public import Domain

/// Properties of the output that results are formatted for.
public struct Display: Sendable {
    /// On a terminal: columns, relative dates, local time. In a pipe: one record per line, tabs between fields, UTC.
    public var isTerminal: Bool
    public var hasColor: Bool
    /// Columns of the terminal.
    public var width: Int
    public var now: Timestamp
    /// Shortened ids for a terminal.
    public var shortIDs = ShortIDs()

    public init(isTerminal: Bool, hasColor: Bool = false, width: Int = 80, now: Timestamp) {
        self.isTerminal = isTerminal
        self.hasColor = hasColor
        self.width = max(width, 20)
        self.now = now
    }

    /// The line wrapped between words to fit the terminal, with continuation lines indented. In a pipe it is not
    /// wrapped.
    public func fitted(_ line: String) -> [String] {
        guard isTerminal, line.withoutStyles.displayWidth > width else { return [line] }
        let margin = line.prefix { $0 == " " }
        var lines: [String] = []
        var current = String(margin)
        var used = margin.count
        var isStart = true
        for word in line.dropFirst(margin.count).split(separator: " ") {
            let needed = String(word).withoutStyles.displayWidth
            if !isStart, used + 1 + needed > width {
                lines.append(current)
                current = margin + "  "
                used = margin.count + 2
                isStart = true
            }
            current += (isStart ? "" : " ") + word
            used += (isStart ? 0 : 1) + needed
            isStart = false
        }
        return lines + [current]
    }

    /// The id, shortened on a terminal and complete in a pipe.
    func shown(_ id: PodcastID) -> String { isTerminal ? shortIDs.text(id) : id.text }
    func shown(_ id: EpisodeID) -> String { isTerminal ? shortIDs.text(id) : id.text }

    func styled(_ text: String, _ style: Style?) -> String {
        guard hasColor, let style, !text.isEmpty else { return text }
        return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }
}

/// Colours have a meaning: red for failures, yellow for attention, green for new; the others are for emphasis.
enum Style: String {
    case bold = "1", dim = "2", failed = "31", new = "32", attention = "33", match = "1;33", bar = "36"
}

extension String {
    /// Without the escape sequences of `Display.styled`.
    fileprivate var withoutStyles: String {
        var result = ""
        var remaining = self[...]
        while let start = remaining.firstRange(of: "\u{1B}["), let end = remaining[start.upperBound...].firstIndex(of: "m") {
            result += remaining[..<start.lowerBound]
            remaining = remaining[remaining.index(after: end)...]
        }
        return result + remaining
    }
}
