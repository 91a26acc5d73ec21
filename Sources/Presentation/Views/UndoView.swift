public import Domain

/// The undone command and what it had changed.
public struct UndoView: View {
    let step: UndoStep
    /// Podcasts whose edit was undone.
    let edited: [Podcast]

    public init(_ step: UndoStep, edited: [Podcast]) { (self.step, self.edited) = (step, edited) }

    public static let nothing = "Nothing to undo."

    public func lines(for display: Display) -> [String] {
        guard display.isTerminal else { return [[step.command.rawValue, objects].map(\.oneLine).joined(separator: "\t")] }
        return display.fitted("Undone: \(display.styled("jimmy \(step.command.rawValue)", .bold)), \(objects).")
    }

    private var titles: [String] {
        (step.removed + edited).map(\.displayTitle)
    }

    private var objects: String {
        if !titles.isEmpty { return titles.joined(separator: ", ") }
        return counted(step.command == .tag ? episodes : step.queue.count, "episode")
    }

    private var episodes: Int { step.tags.changes.values.reduce(0) { $0 + $1.count } }

    public func jsonLines(_ emit: (String) -> Void) { emit(jsonLine(Row(step: step, episodes: episodes))) }

    private struct Row: Fields {
        let step: UndoStep
        let episodes: Int

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("command", step.command.rawValue)
            visitor.time("at", step.at)
            visitor.texts("podcastIDs", step.removed.map(\.id.text) + step.edited.map(\.id.text))
            visitor.integer("tagged", episodes)
            visitor.integer("queued", step.queue.count)
        }
    }
}
