import Domain
import JSON
import Records

/// The play queue.
struct QueueStore: QueueRepository {
    let owner: OwnerWriter

    func entries() async throws -> [QueueEntry] {
        try Self.queue(try await owner.read(OwnerDocument.queue.read))
    }

    func update<T: Sendable>(_ change: @Sendable (inout [QueueEntry]) throws -> T) async throws -> T {
        try await owner.write(reading: [OwnerDocument.queue.read]) { rows in
            let before = try Self.queue(rows[0])
            var entries = before
            let result = try change(&entries)
            return (entries == before ? [] : [Self.write(entries)], result)
        }
    }

    static func queue(_ rows: Rows) throws -> [QueueEntry] {
        try OwnerDocument.queue.list(rows) { try QueueEntry(from: &$0) }
    }

    static func write(_ entries: [QueueEntry]) -> Call {
        OwnerDocument.queue.write { $0.entries(entries) { $0.write(to: &$1) } }
    }
}
