public import Domain

/// Undoes the last command.
public struct UndoCommands: Sendable {
    private let undo: any UndoRepository
    private let reconcile: ReconcileIndex

    public init(undo: any UndoRepository, reconcile: ReconcileIndex) {
        self.undo = undo
        self.reconcile = reconcile
    }

    /// - Returns: the undone step; nil if there was none.
    public func callAsFunction(now: Timestamp) async throws -> UndoStep? {
        guard let step = try await undo.undo(now: now) else { return nil }
        // An index that cannot be written now is reconciled later.
        if !step.removed.isEmpty || !step.edited.isEmpty { _ = try? await reconcile() }
        return step
    }
}
