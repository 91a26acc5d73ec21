/// The play queue.
public protocol QueueRepository: Sendable {
    func entries() async throws -> [QueueEntry]
    /// Replaces the queue by the result of `change`; durable when it returns. No other writer changes the queue in
    /// between.
    func update<T: Sendable>(_ change: @Sendable (inout [QueueEntry]) throws -> T) async throws -> T
}
