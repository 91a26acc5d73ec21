public import Addresses
public import Domain
import Synchronization

/// The wire that repeats a recording: every fetch receives the same responses as then.
public final class ReplayWire: Wire {
    private let exchanges: RecordedExchanges
    private let secrets: OpenedSecrets
    private let readHead: @Sendable ([UInt8]) -> WireHead
    /// Hops whose requests were granted but not sent yet.
    private let granted = Mutex<[UInt64: RecordedExchanges.Hop]>([:])

    /// - Parameter readHead: parses a head.
    init(_ exchanges: RecordedExchanges, _ secrets: OpenedSecrets, readHead: @escaping @Sendable ([UInt8]) -> WireHead) {
        self.exchanges = exchanges
        self.secrets = secrets
        self.readHead = readHead
    }

    public func enter(_ url: WebURL, _ visit: Visit) async throws -> Visit.Entry {
        guard let hop = exchanges.next(of: visit.number) else { throw Self.unrecorded }
        switch hop.turn {
        case .granted:
            granted.withLock { $0[visit.number] = hop }
            return .granted
        case .shared: return .shared
        case .refused(let failure): throw failure.error
        }
    }

    public func exchange(
        _ request: WireRequest, _ visit: Visit, receive: (WireHead, WirePiece) throws -> Void
    ) async -> WireOutcome {
        var outcome = WireOutcome()
        var hop = granted.withLock { $0.removeValue(forKey: visit.number) }
        // Files are read without waiting for a turn.
        if hop == nil { hop = exchanges.next(of: visit.number) }
        guard let hop, let end = hop.end else {
            outcome.failure = Self.unrecorded
            return outcome
        }
        outcome.duration = .nanoseconds(end.nanoseconds)
        outcome.times = end.times
        outcome.body = hop.body
        var head = readHead(secrets.restored(hop.head))
        // Responses for files have no head.
        if hop.head.isEmpty, FeedURL.filePath(request.url) != nil, end.failure == nil { head.status = 200 }
        if head.status > 0 { outcome.head = head }
        do {
            for piece in hop.pieces {
                if case .decoded(let bytes) = piece {
                    try receive(head, .decoded(secrets.restored(bytes)))
                } else {
                    try receive(head, piece)
                }
            }
            outcome.failure = end.failure?.error
            if case .failure(let failure) = hop.body {
                outcome.failure = failure
            } else if end.isRefused {
                outcome.failure = Self.unrecorded
            }
        } catch {
            outcome.failure = error
        }
        return outcome
    }

    /// The failure if another version of the program, or another library, requests more than was recorded.
    private static let unrecorded = FetchFailure(.protocol, detail: .reported("not in the recording"))
}
