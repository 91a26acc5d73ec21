public import Domain
public import Results

/// The owner's tags, one per line.
public struct TagListView: View {
    let tags: [(tag: Tag, episodes: Int)]

    public init(_ tags: [(tag: Tag, episodes: Int)]) { self.tags = tags }

    public func lines(for display: Display) -> [String] {
        guard display.isTerminal else { return tags.map { "\($0.tag)\t\($0.episodes)" } }
        var table = Table([.init("TAG", minimum: 10), .init("EPISODES", rightAligned: true)])
        table.rows = tags.map { [.init($0.tag.text), .init(grouped($0.episodes))] }
        return table.lines(for: display)
    }

    public func jsonLines(_ emit: (String) -> Void) {
        for (tag, episodes) in tags { emit(jsonLine(Row(tag: tag, episodes: episodes))) }
    }

    private struct Row: Fields {
        let tag: Tag
        let episodes: Int

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("tag", tag.text)
            visitor.integer("episodes", episodes)
        }
    }
}

extension TagEdit.Failure {
    public var line: FailureLine {
        switch self {
        case .invalid(let word):
            FailureLine(
                word, "not a tag", status: .usage,
                advice: "a tag has 1 to \(Tag.maxLength) letters, digits, dots, hyphens and underscores")
        case .reserved(let tag): FailureLine(tag.text, "set and removed by jimmy alone", status: .usage)
        }
    }
}

/// Other wording of `tag` and `seen`.
public enum TagWording {
    public static let nothingMatched = "Nothing matched."
    /// Scripts may read the number, so its digits are not grouped.
    public static func tagged(_ count: Int, _ edit: TagEdit) -> String {
        let episodes = "\(count) \(count == 1 ? "episode" : "episodes")"
        guard edit.added.isEmpty else { return "\(episodes) tagged." }
        return "\(edit.removed.sorted().map(\.text).joined(separator: ", ")) removed from \(episodes)."
    }
    public static func seen(_ count: Int) -> String {
        count == 0 ? "Nothing was new." : "\(counted(count, "episode")) seen."
    }
    public static func written(_ count: Int, to file: String) -> String { "\(counted(count, "line")) written to \(file)." }
    public static func omitted(_ count: Int) -> String {
        "\(counted(count, "episode")) left out, of podcasts that you unsubscribed from: the URLs of their feeds are not stored."
    }
    public static func restored(_ report: RestoredTags) -> String {
        let waiting = report.waiting.count
        let wait = waiting == 1 ? "1 line waits for its episode" : "\(grouped(waiting)) lines wait for their episodes"
        return "\(counted(report.episodes, "episode")) tagged\(waiting == 0 ? "" : "; " + wait)."
    }

    public static func waiting(_ line: TagLine) -> FailureLine {
        FailureLine(line.text, "no such episode; its tags wait for it", status: .incomplete)
    }

    public static func malformed(_ line: MalformedTagLine, in file: String) -> FailureLine {
        FailureLine("\(file), line \(line.number)", "not a line of 'jimmy tag --dump'", status: .badData)
    }

    /// New episodes that an `--on-new` command did not take.
    public static func waitingForHook(_ count: Int) -> String {
        "\(count) new \(count == 1 ? "episode waits" : "episodes wait") for the next refresh with --on-new."
    }
}
