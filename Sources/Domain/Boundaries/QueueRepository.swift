/// The play queue.
public protocol QueueRepository: Sendable {
    func entries() async throws -> [QueueEntry]
    /// Replaces the queue by what `change` makes of it; durable when it returns. No other writer changes the queue between
    /// the reading and the writing.
    func update<T: Sendable>(_ change: @Sendable (inout [QueueEntry]) throws -> T) async throws -> T
}
