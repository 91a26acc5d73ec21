/// A change of the owner's data with the step that takes it back, as a library stores it: at once, or in this order.
///
/// 1. The step. After a crash it takes back nothing, which is harmless; a change without its step could not be taken back.
/// 2. The tags, the queue and the positions, as far as they changed.
/// 3. Steps that go: those that the new one displaces, and the one that the change has settled. After a crash a settled step
///    finds its own result, and the next step displaces what is too much.
public struct OwnedBatch: Sendable {
    /// nil if there is nothing to take back.
    public var recording: UndoRecording?
    public var tags: TagChanges
    /// nil if unchanged.
    public var queue: [QueueEntry]?
    public var positions: PositionChanges
    /// nil if unchanged.
    public var bookmarks: [Bookmark]?
    /// The numbers of steps that go.
    public var dropped: [Int]

    /// - Parameters:
    ///   - number: the step that the change settles; nil for none.
    ///   - steps: all stored steps; read only if a step is recorded.
    public init(
        from before: OwnedState, to after: OwnedState, _ step: UndoStep?, settling number: Int?,
        among steps: () throws -> [(number: Int, step: UndoStep?)]
    ) rethrows {
        if let step, !step.isEmpty { recording = UndoRecording(step, among: try steps(), keepingRedo: number != nil) }
        tags = after.tagChanges(since: before)
        queue = after.queue == before.queue ? nil : after.queue
        positions = PositionChanges(from: before.positions, to: after.positions)
        bookmarks = after.bookmarks == before.bookmarks ? nil : after.bookmarks
        dropped = Array(Set(recording?.displaced ?? []).union([number].compactMap { $0 })).sorted()
    }
}

/// A step with its number, and the steps that it displaces: those beyond the newest `UndoStep.limit`, those older than
/// `UndoStep.lifetime`, and after a new command those that would do something again.
public struct UndoRecording: Sendable {
    public var step: UndoStep
    public var number: Int
    /// In no order.
    public var displaced: [Int]

    /// - Parameters:
    ///   - steps: all stored steps; nil in place of one that cannot be read, whose age is not known.
    ///   - keepingRedo: false for a new command.
    public init(_ step: UndoStep, among steps: [(number: Int, step: UndoStep?)], keepingRedo: Bool) {
        self.step = step
        number = (steps.map(\.number).max() ?? 0) + 1
        var remaining = 1
        displaced = []
        for (number, earlier) in steps.sorted(by: { $0.number > $1.number }) {
            let isExpired = earlier.map { $0.mark.at < step.mark.at + -UndoStep.lifetime } ?? false
            let isUndone = !keepingRedo && earlier?.isRedo ?? false
            if isExpired || isUndone || remaining == UndoStep.limit { displaced.append(number) } else { remaining += 1 }
        }
    }
}
