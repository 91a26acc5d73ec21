import Domain
import Synchronization

extension WireHead {
    /// True for differing lengths, in one field or in several, which leave the body's end unknown (RFC 9110, 8.6). A
    /// transfer encoding marks the end itself, so lengths do not count (RFC 9112, 6.3).
    var hasConflictingLengths: Bool {
        guard transferEncoding == nil, let contentLength, contentLength.utf8.contains(UInt8(ascii: ",")) else { return false }
        let lengths = contentLength.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
        return lengths.contains { $0 != lengths.first }
    }
}

/// A request in progress: the mailbox between the loop's thread, which fills it, and the task that reads it.
///
/// It is bounded: if the task is slower than the network, the loop pauses the transfer until the mailbox is empty.
final class Transfer: Sendable {
    enum Event {
        /// Pieces of a 200's body as they were sent.
        case bytes([UInt8])
        case ended((any Error)?)
    }

    /// Bytes at which the task is woken.
    private let portion: Int
    /// Most bytes that may wait for the task.
    private let capacity: Int
    /// The time after which the task is woken for fewer bytes, so that the file of a slow download keeps growing.
    private static let maxDelay = Duration.milliseconds(20)

    private struct State {
        var head: WireHead?
        var bytes = [UInt8]()
        /// The memory of an earlier piece, to be reused.
        var spare = [UInt8]()
        var end: (any Error)??
        var times: WireTimes?
        var page: [UInt8] = []
        var waiter: UnsafeContinuation<Event, Never>?
        var isPaused = false
        var handedAt: ContinuousClock.Instant?

        /// The next event; nil if there is none yet.
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
        portion = request.isMedia ? 512 << 10 : 32 << 10
        capacity = 2 * portion
    }

    // MARK: The task's side

    /// The head of the response; nil until it has arrived.
    var head: WireHead? { state.withLock { $0.head } }

    /// The body of a response other than 200.
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

    /// Returns a piece's memory for reuse: for a large file, allocating memory costs more than reading into it.
    ///
    /// - Parameter piece: must not be used elsewhere.
    func reuse(_ piece: consuming [UInt8]) {
        piece.removeAll(keepingCapacity: true)
        let spare = piece
        state.withLock { $0.spare = spare }
    }

    // MARK: The loop's side

    func begin(_ head: WireHead) { state.withLock { $0.head = head } }

    /// - Returns: false if the mailbox is full. Then the transfer is paused, and the same bytes are offered again later.
    func add(_ bytes: some Collection<UInt8>) -> Bool {
        let (taken, wake) = state.withLock { state -> (Bool, (UnsafeContinuation<Event, Never>, Event)?) in
            guard state.bytes.count < capacity else {
                state.isPaused = true
                return (false, nil)
            }
            if request.isMedia, state.bytes.isEmpty { state.bytes.reserveCapacity(capacity + bytes.count) }
            state.bytes.append(contentsOf: bytes)
            guard request.isMedia else { return (true, state.wake(portion)) }
            let now = ContinuousClock.now
            let isLate = state.handedAt.map { now - $0 > Self.maxDelay } ?? true
            let wake = state.wake(isLate ? 1 : portion)
            if wake != nil { state.handedAt = now }
            return (true, wake)
        }
        if let (waiter, event) = wake { waiter.resume(returning: event) }
        return taken
    }

    func addPage(_ bytes: some Collection<UInt8>) { state.withLock { $0.page += bytes } }

    /// Ends the transfer: without a failure, with a `FetchFailure`, or with a `SystemFailure` if this machine failed.
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
