import Domain
import Synchronization

/// The bytes that a run may still fetch. The size of a file is known only from the server's response, since sizes in
/// feeds are often wrong.
final class DownloadRoom: Sendable {
    /// There is no room for this file; nothing of it was stored.
    struct Spent: Error {}

    private let state: Mutex<(remaining: Int, refusals: Int)>
    /// Most files that may be refused. The next one may be smaller, but a server is not asked a hundred times.
    private static let maxRefusals = 3

    init(_ bytes: Int?) { state = Mutex((bytes ?? .max, 0)) }

    /// True if requesting another file is pointless.
    var isSpent: Bool { state.withLock { $0.remaining <= 0 || $0.refusals >= Self.maxRefusals } }

    /// Takes the bytes and returns true, or takes nothing if there is not enough room.
    fileprivate func take(_ bytes: Int) -> Bool {
        state.withLock { state in
            guard bytes <= state.remaining else {
                state.refusals += 1
                return false
            }
            if state.remaining != .max { state.remaining -= bytes }
            return true
        }
    }

    fileprivate func give(back bytes: Int) { state.withLock { if $0.remaining != .max { $0.remaining += bytes } } }
}

/// The bytes that one file takes of the room.
struct DownloadShare {
    let room: DownloadRoom
    private var taken = 0
    private var used = 0

    init(of room: DownloadRoom) { self.room = room }

    /// - Parameter length: bytes of the coming body; nil if the server does not say.
    /// - Throws: `DownloadRoom.Spent`.
    mutating func begin(_ length: Int?) throws {
        guard let length, length > 0 else { return }
        guard room.take(length) else { throw DownloadRoom.Spent() }
        taken += length
    }

    mutating func use(_ bytes: Int) throws {
        used += bytes
        guard used > taken else { return }
        guard room.take(used - taken) else { throw DownloadRoom.Spent() }
        taken = used
    }

    /// Gives back the bytes that were not received.
    mutating func end() {
        room.give(back: taken - used)
        taken = used
    }
}
