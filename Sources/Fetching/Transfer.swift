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
    private let portion: Int
    /// The most bytes that may wait for the task.
    private let capacity: Int
    /// After so long the task is woken for less, so that a slow file grows while it comes.
    private static let patience = Duration.milliseconds(20)

    private struct State {
        var head: WireHead?
        var bytes = [UInt8]()
        /// Memory of an earlier piece, for the next one.
        var spare = [UInt8]()
        var end: (any Error)??
        var times: WireTimes?
        var page: [UInt8] = []
        var waiter: UnsafeContinuation<Event, Never>?
        var isPaused = false
        var handedAt: ContinuousClock.Instant?

        /// The next event, if there is one.
        mutating func take(_ portion: Int) -> Transfer.Event? {
            if bytes.count >= portion || (end != nil && !bytes.isEmpty) {
                defer { (bytes, spare) = (spare, []) }
                return .bytes(bytes)
            }
            return end.map { .ended($0) }
        }

        mutating func wake(_ portion: Int) -> (UnsafeContinuation<Transfer.Event, Never>, Transfer.Event)? {
            guard let waiter, let event = take(portion) else { return nil }
            self.waiter = nil
            return (waiter, event)
        }
    }

    let request: WireRequest
    private let state = Mutex(State())

    init(_ request: WireRequest) {
        self.request = request
        portion = request.isMedia ? 512 << 10 : 64 << 10
        capacity = (request.isMedia ? 2 : 4) * portion
    }

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
            return (state.take(portion), state.isPaused)
        }
        if wasPaused { unpause() }
        if let ready { return ready }
        return await withUnsafeContinuation { continuation in
            let ready = state.withLock { state -> Event? in
                if let ready = state.take(portion) { return ready }
                state.waiter = continuation
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    /// The pieces of a large file use the same memory again and again: fresh memory costs more than what is read into it.
    ///
    /// - Parameter piece: nobody else uses it.
    func reuse(_ piece: consuming [UInt8]) {
        piece.removeAll(keepingCapacity: true)
        let spare = piece
        state.withLock { $0.spare = spare }
    }

    // MARK: The loop's side

    func begin(_ head: WireHead) { state.withLock { $0.head = head } }

    /// - Returns: false if the mailbox is full. Then the transfer is paused, and the same bytes are offered again later.
    func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (taken, wake) = state.withLock { state -> (Bool, (UnsafeContinuation<Event, Never>, Event)?) in
            guard state.bytes.count < capacity else {
                state.isPaused = true
                return (false, nil)
            }
            if request.isMedia, state.bytes.isEmpty { state.bytes.reserveCapacity(capacity + bytes.count) }
            state.bytes.append(contentsOf: bytes)
            guard request.isMedia else { return (true, state.wake(portion)) }
            let now = ContinuousClock.now
            let isLate = state.handedAt.map { now - $0 > Self.patience } ?? true
            let wake = state.wake(isLate ? 1 : portion)
            if wake != nil { state.handedAt = now }
            return (true, wake)
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
            return state.wake(portion)
        }
        if let (waiter, event) = wake { waiter.resume(returning: event) }
    }

    var hasEnded: Bool { state.withLock { $0.end != nil } }
}
