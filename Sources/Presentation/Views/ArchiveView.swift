public import Domain
public import Results

/// The result of reading the older pages of a feed.
public struct ArchiveView: View {
    let outcome: ArchiveOutcome

    public init(_ outcome: ArchiveOutcome) { self.outcome = outcome }

    public func lines(for display: Display) -> [String] {
        let title = outcome.podcast.displayTitle.oneLine
        guard display.isTerminal else {
            let fields = [
                "archive", outcome.podcast.id.text, title, "\(outcome.added)", "\(outcome.changed)", "0",
                outcome.failure?.words ?? "",
            ]
            return [fields.map(\.oneLine).joined(separator: "\t")]
        }
        return display.fitted("\(title): \(counted(outcome.added, "episode")) from \(counted(outcome.pages, "older page")).")
    }

    public func jsonLines(_ emit: (String) -> Void) { emit(jsonLine(Row(outcome: outcome))) }

    private struct Row: Fields {
        let outcome: ArchiveOutcome

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("type", "archive")
            visitor.text("id", outcome.podcast.id.text)
            visitor.text("feedURL", outcome.podcast.feedURL)
            visitor.text("title", outcome.podcast.displayTitle)
            visitor.integer("pages", outcome.pages)
            visitor.integer("added", outcome.added)
            visitor.integer("changed", outcome.changed)
            visitor.flag("complete", outcome.isComplete)
            visitor.text("error", outcome.failure?.words)
        }
    }

    /// Notes on an incomplete result.
    public var notes: [String] {
        let title = outcome.podcast.displayTitle.oneLine
        if outcome.isLoop { return ["\(title): its older pages form a loop; reading stopped there."] }
        guard !outcome.isComplete, outcome.failure == nil else { return [] }
        if let until = outcome.pausedUntil {
            return ["\(title): its server asked for a pause until \(until); 'jimmy refresh --archive' continues after that."]
        }
        return ["\(title): there are more pages; 'jimmy refresh --archive' continues with them."]
    }

    public var failure: FailureLine? {
        outcome.failure.map { FailureLine($0, doing: outcome.podcast.displayTitle.oneLine) }
    }

    public static func nothing(_ podcast: Podcast) -> String { "\(podcast.displayTitle.oneLine): its feed has no older pages." }

    public static func progress(_ title: String, pages: Int, added: Int, width: Int) -> String {
        "\(title.oneLine): \(counted(pages, "older page")), \(counted(added, "episode"))".truncated(to: width - 1)
    }
}
