/// The owner's tags, queue, positions and bookmarks as one, and the steps by which their changes can be taken back.
public protocol UndoRepository: Sendable {
    /// Makes a step durable. Called before a change of podcasts, so that undoing a step whose change was lost in a crash
    /// does nothing. Deletes steps older than `UndoStep.lifetime` and those beyond the newest `UndoStep.limit`.
    ///
    /// - Parameter keepingRedo: false for a new command, after which nothing is done again.
    func record(_ step: UndoStep, keepingRedo: Bool) async throws

    /// All steps, newest first.
    func steps() async throws -> [NumberedStep]

    /// Stores removed podcasts again, with the episodes and transcripts that their step kept. Those whose ids are taken
    /// stay unchanged.
    ///
    /// - Returns: the podcasts that came back.
    func restore(_ podcasts: [Podcast], of number: Int) async throws -> [Podcast]

    /// Changes tags, queue, positions and bookmarks in one atomic batch, with the step that takes the change back.
    ///
    /// - Parameters:
    ///   - episodes: those whose tags and positions are read and changed.
    ///   - number: a step that is deleted in the same batch, or after it; nil for none.
    ///   - change: returns the step; nil for none.
    func changeOwned<Result: Sendable>(
        of episodes: [EpisodeID], settling number: Int?,
        _ change: @Sendable (inout OwnedState) throws -> (result: Result, step: UndoStep?)
    ) async throws -> Result
}

public struct NumberedStep: Equatable, Sendable {
    public var number: Int
    public var step: UndoStep

    public init(number: Int, step: UndoStep) { (self.number, self.step) = (number, step) }
}

extension UndoRepository {
    /// Changes tags, queue, positions and bookmarks, and leaves a step if that changed anything.
    public func changeOwned<Result: Sendable>(
        of episodes: [EpisodeID], undoable mark: UndoMark, _ change: @Sendable (inout OwnedState) throws -> Result
    ) async throws -> Result {
        try await changeOwned(of: episodes, settling: nil) { state in
            let before = state
            let result = try change(&state)
            return (result, UndoStep(mark, from: before, to: state))
        }
    }
}
