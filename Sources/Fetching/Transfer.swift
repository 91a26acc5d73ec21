import Domain
import Synchronization

extension WireHead {
    /// Lengths that differ, in one field or in several: nobody can tell where the body ends (RFC 9110, 8.6). A body with a
    /// transfer encoding has its own end, and no length counts (RFC 9112, 6.3).
    var hasConflictingLengths: Bool {
        guard transferEncoding == nil, let contentLength, contentLength.utf8.contains(UInt8(ascii: ",")) else { return false }
        let lengths = contentLength.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
        return lengths.contains { $0 != lengths.first }
    }
}

/// A request under way: the mailbox between the loop's thread, which fills it, and the task that reads it.
///
/// It is bounded: if the task is slower than the network, the loop pauses the transfer until the mailbox is empty.
final class Transfer: Sendable {
    enum Event {
        /// Pieces of a 200's body as they were sent.
        case bytes([UInt8])
        case ended((any Error)?)
    }

    /// Bytes for which the task is woken.
    private static let portion = 64 << 10
    /// The most bytes that may wait for the task.
    private static let capacity = 256 << 10

    private struct State {
        var head: WireHead?
        var bytes = [UInt8]()
        var end: (any Error)??
        var times: WireTimes?
        var page: [UInt8] = []
        var waiter: UnsafeContinuation<Event, Never>?
        var isPaused = false

        /// The next event, if there is one.
        mutating func take() -> Transfer.Event? {
            if bytes.count >= Transfer.portion || (end != nil && !bytes.isEmpty) {
                defer { bytes = [] }
                return .bytes(bytes)
            }
            return end.map { .ended($0) }
        }

        mutating func wake() -> (UnsafeContinuation<Transfer.Event, Never>, Transfer.Event)? {
            guard let waiter, let event = take() else { return nil }
            self.waiter = nil
            return (waiter, event)
        }
    }

    let request: WireRequest
    private let state = Mutex(State())

    init(_ request: WireRequest) { self.request = request }

    // MARK: The task's side

    /// The head of the response; nil until it has arrived.
    var head: WireHead? { state.withLock { $0.head } }

    /// The body of a response that is not a 200.
    var page: [UInt8] { state.withLock { $0.page } }

    /// nil until the transfer has ended by itself.
    var times: WireTimes? { state.withLock { $0.times } }

    /// The next piece of the body, or the end. Calls `unpause` if the loop had paused the transfer.
    func next(unpause: () -> Void) async -> Event {
        let (ready, wasPaused) = state.withLock { state -> (Event?, Bool) in
            defer { state.isPaused = false }
            return (state.take(), state.isPaused)
        }
        if wasPaused { unpause() }
        if let ready { return ready }
        return await withUnsafeContinuation { continuation in
            let ready = state.withLock { state -> Event? in
                if let ready = state.take() { return ready }
                state.waiter = continuation
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    // MARK: The loop's side

    func begin(_ head: WireHead) { state.withLock { $0.head = head } }

    /// - Returns: false if the mailbox is full. Then the transfer is paused, and the same bytes are offered again later.
    func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (taken, wake) = state.withLock { state -> (Bool, (UnsafeContinuation<Event, Never>, Event)?) in
            guard state.bytes.count < Transfer.capacity else {
                state.isPaused = true
                return (false, nil)
            }
            state.bytes.append(contentsOf: bytes)
            return (true, state.wake())
        }
        if let (waiter, event) = wake { waiter.resume(returning: event) }
        return taken
    }

    func addPage(_ bytes: UnsafeRawBufferPointer) { state.withLock { $0.page += bytes } }

    /// The transfer has ended: without a failure, with a `FetchFailure`, or with a `SystemFailure` if this machine failed.
    /// Only the first end counts.
    func end(_ failure: (any Error)?, _ times: WireTimes? = nil) {
        let wake = state.withLock { state -> (UnsafeContinuation<Event, Never>, Event)? in
            if state.end == nil { (state.end, state.times) = (.some(failure), times) }
            return state.wake()
        }
        if let (waiter, event) = wake { waiter.resume(returning: event) }
    }

    var hasEnded: Bool { state.withLock { $0.end != nil } }
}
