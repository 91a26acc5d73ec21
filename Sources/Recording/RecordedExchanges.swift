import Domain
import Synchronization

/// The exchanges of a recording that were read and not repeated yet, by fetch.
final class RecordedExchanges: Sendable {
    /// One hop of a fetch.
    struct Hop: Sendable {
        var turn: Record.Turn
        var head: [UInt8] = []
        var pieces: [WirePiece] = []
        var body: Result<WireBody, FetchFailure>?
        /// nil while the recording was not read so far.
        var end: Record.Exchange?

        var isWhole: Bool {
            if case .granted = turn { return end != nil }
            return true
        }
    }

    private struct State {
        var hops: [UInt64: [Hop]] = [:]
        var isAtEnd = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func add(_ record: Record, _ bytes: ArraySlice<UInt8>) {
        guard let fetch = record.fetch else { return }
        state.withLock { state in
            if case .turn(_, _, _, let turn) = record { return state.hops[fetch, default: []].append(Hop(turn: turn)) }
            guard let last = state.hops[fetch]?.indices.last else { return }
            switch record {
            case .head: state.hops[fetch]?[last].head = Array(bytes)
            case .body(_, .sent): state.hops[fetch]?[last].pieces.append(.sent(Array(bytes)))
            case .body(_, .decoded): state.hops[fetch]?[last].pieces.append(.decoded(Array(bytes)))
            case .read(_, let body): state.hops[fetch]?[last].body = body
            case .ended(_, let end): state.hops[fetch]?[last].end = end
            default: break
            }
        }
    }

    /// What was added since can be taken.
    func wake(isAtEnd: Bool = false) {
        let waiting = state.withLock { state in
            if isAtEnd { state.isAtEnd = true }
            defer { state.waiting = [] }
            return state.waiting
        }
        waiting.forEach { $0.resume() }
    }

    /// Takes the next hop of a fetch out; waits until the recording was read so far. nil if it has no more.
    func next(of fetch: UInt64) async -> Hop? {
        while true {
            let (hop, isAtEnd) = state.withLock { state -> (Hop?, Bool) in
                guard let first = state.hops[fetch]?.first, first.isWhole || state.isAtEnd else { return (nil, state.isAtEnd) }
                state.hops[fetch]?.removeFirst()
                if state.hops[fetch]?.isEmpty == true { state.hops[fetch] = nil }
                return (first, state.isAtEnd)
            }
            if hop != nil || isAtEnd { return hop }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.isAtEnd || state.hops[fetch]?.first?.isWhole == true { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }
}
