/// Takes back what the last command changed.
public struct UndoCommands: Sendable {
    private let undo: any UndoRepository
    private let reconcile: ReconcileIndex

    public init(undo: any UndoRepository, reconcile: ReconcileIndex) {
        self.undo = undo
        self.reconcile = reconcile
    }

    /// - Returns: what was taken back; nil if there was nothing.
    public func callAsFunction(now: Timestamp) async throws -> UndoStep? {
        guard let step = try await undo.undo(now: now) else { return nil }
        // An index that cannot be written now is reconciled later.
        if !step.removed.isEmpty || !step.edited.isEmpty { _ = try? await reconcile() }
        return step
    }
}
