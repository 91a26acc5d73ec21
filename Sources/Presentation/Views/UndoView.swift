public import Domain
public import Results

/// A command that was taken back, or done again, and exactly what that changed.
public struct UndoView: View {
    let change: UndoChange
    let verb: String

    public init(_ change: UndoChange, verb: String) { (self.change, self.verb) = (change, verb) }

    public static let nothing = "Nothing to undo."
    public static func changedSince(_ change: UndoChange) -> String {
        "Nothing was changed back: what 'jimmy \(change.mark.command.rawValue)' changed was changed again since."
    }
    public static let nothingToRedo = "Nothing to redo."

    public func lines(for display: Display) -> [String] {
        let command = change.mark.command.rawValue
        guard display.isTerminal else { return [([command] + changes).map(\.oneLine).joined(separator: "\t")] }
        return display.fitted("\(verb): \(display.styled("jimmy \(command)", .bold))")
            + changes.flatMap { display.fitted("  " + $0.oneLine) }
    }

    private var changes: [String] {
        // Tags and queue entries go with their podcasts.
        guard change.unsubscribed.isEmpty else { return change.unsubscribed.map { "unsubscribed from \($0.displayTitle)" } }
        return change.subscribed.map { "subscribed to \($0.displayTitle) again" }
            + change.edited.flatMap { EditView.changes(from: $0.before, to: $0.after) } + tags + lines + queue
            + positions + bookmarks + setting
    }

    private var tags: [String] {
        let changes = change.owned.tags.changes.sorted { $0.value.lexicographicallyPrecedes($1.value) }
        return changes.map { change, episodes in
            let words = change.added.sorted().map { "+\($0)" } + change.removed.sorted().map { "-\($0)" }
            return "\(words.joined(separator: " ")): \(counted(episodes.count, "episode"))"
        }
    }

    /// Lines that wait for their episodes; those of a podcast come and go with it.
    private var lines: [String] {
        guard change.subscribed.isEmpty else { return [] }
        let tags = change.owned.tags
        return [(tags.waiting.count, "back"), (tags.settled.count, "removed")].filter { $0.0 > 0 }.map {
            "\(counted($0, "waiting line")) \($1)"
        }
    }

    private var queue: [String] {
        let queue = change.owned.queue
        let (left, joined) = (Set(queue.removed.map(\.entry.episodeID)), Set(queue.added.map(\.entry.episodeID)))
        let moved = left.intersection(joined).count
        return [
            (joined.count - moved, "queue: %@ back"), (left.count - moved, "queue: %@ removed"), (moved, "queue: %@ moved back"),
        ].filter { $0.0 > 0 }.map { $1.replacing("%@", with: counted($0, "episode")) }
    }

    private var positions: [String] {
        change.owned.positions.compactMap { position in
            let (before, after) = (position.before, position.after)
            if let change = Self.change(from: before?.seconds, to: after?.seconds) { return "position: \(change)" }
            return Self.change(from: before?.secondsHeard, to: after?.secondsHeard).map { "heard: \($0)" }
        }
    }

    /// nil if they read the same.
    private static func change(from before: Double?, to after: Double?) -> String? {
        let (before, after) = (formattedDuration(before ?? 0), formattedDuration(after ?? 0))
        return before == after ? nil : "\(before) → \(after)"
    }

    private var setting: [String] {
        change.setting.map { setting in
            ["\(setting.name): \(setting.after ?? "default") → \(setting.before ?? "default")"]
        } ?? []
    }

    private var bookmarks: [String] {
        let (removed, added) = (change.owned.bookmarks.removed, change.owned.bookmarks.added)
        return added.map { "bookmark back: \(BookmarkWording.place($0))" }
            + removed.map { "bookmark removed: \(BookmarkWording.place($0))" }
    }

    public func jsonLines(_ emit: (String) -> Void) { emit(jsonLine(Row(change: change, changes: changes))) }

    private struct Row: Fields {
        let change: UndoChange
        let changes: [String]

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("command", change.mark.command.rawValue)
            visitor.time("at", change.mark.at)
            let podcasts = change.subscribed + change.unsubscribed + change.edited.map(\.after)
            visitor.texts("podcastIDs", podcasts.map(\.id.text))
            visitor.integer("tagged", change.owned.taggedEpisodes.count)
            visitor.integer("queued", Set((change.owned.queue.added + change.owned.queue.removed).map(\.entry.episodeID)).count)
            visitor.texts("changes", changes)
        }
    }
}

/// The commands that can be taken back: number, time, command, what it changed.
public struct UndoListView: View {
    let steps: [NumberedStep]

    public init(_ steps: [NumberedStep]) { self.steps = steps }

    public func lines(for display: Display) -> [String] {
        steps.flatMap { numbered in
            let time = display.isTerminal ? numbered.step.mark.at.localDateAndTime : numbered.step.mark.at.description
            let line = ["\(numbered.number)", time, numbered.step.mark.command.rawValue, Self.objects(numbered.step)]
                .map(\.oneLine).joined(separator: display.isTerminal ? "  " : "\t")
            return display.isTerminal ? display.fitted(line) : [line]
        }
    }

    private static func objects(_ step: UndoStep) -> String {
        let podcasts = Set(step.removed.map(\.id) + step.added + step.edited.map(\.id)).count
        let queued = (step.queue.added + step.queue.removed).map(\.entry.episodeID)
        let marked = (step.bookmarks.added + step.bookmarks.removed).map(\.episodeID)
        let episodes = Set(step.taggedEpisodes + queued + step.positions.map(\.episode) + marked).count
        if let setting = step.setting { return setting.name }
        if podcasts > 0 { return counted(podcasts, "podcast") }
        let lines = step.tags.waiting.count + step.tags.settled.count
        return episodes == 0 && lines > 0 ? counted(lines, "line") : counted(episodes, "episode")
    }

    public func jsonLines(_ emit: (String) -> Void) {
        for step in steps { emit(jsonLine(Row(numbered: step))) }
    }

    private struct Row: Fields {
        let numbered: NumberedStep

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.integer("number", numbered.number)
            visitor.text("command", numbered.step.mark.command.rawValue)
            visitor.time("at", numbered.step.mark.at)
        }
    }
}

extension FailureLine {
    init(_ failure: UndoFailure) {
        switch failure {
        case .isFinal(let mark, let earlier):
            let time = mark.at.localDateAndTime
            self.init(
                "undo", "the last change cannot be taken back: jimmy \(mark.command.rawValue), \(time); nothing was changed",
                status: .incomplete,
                advice: earlier.map { "'jimmy undo \($0.number)' takes back jimmy \($0.mark.command.rawValue)" })
        }
    }
}
