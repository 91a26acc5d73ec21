import Synchronization

/// The memory for encoded bodies that all fetches of one fetcher hold at a time.
final class HeldMemory: Sendable {
    private let limit: Int
    private let used = Atomic(0)

    /// - Parameter limit: bytes.
    init(limit: Int) { self.limit = limit }

    fileprivate func take(_ bytes: Int) -> Bool {
        if used.add(bytes, ordering: .relaxed).newValue <= limit { return true }
        free(bytes)
        return false
    }

    fileprivate func free(_ bytes: Int) { used.subtract(bytes, ordering: .relaxed) }
}

/// An encoded body that is held until its hash is known.
final class HeldBody {
    private(set) var pieces: [[UInt8]] = []
    private var size = 0
    private let memory: HeldMemory

    init(in memory: HeldMemory) { self.memory = memory }

    deinit { memory.free(size) }

    /// Returns false if there is no memory for it. Then the piece is not held.
    func add(_ piece: [UInt8]) -> Bool {
        guard memory.take(piece.count) else { return false }
        size += piece.count
        pieces.append(piece)
        return true
    }
}
