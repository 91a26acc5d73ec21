import Domain
import Synchronization

/// Reads a recording a second time, with its bodies. Holds the exchanges that were read and not repeated yet, by fetch.
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

    private struct Reading: ~Copyable {
        var reader: RecordReader
        /// The last batch was read.
        var isDone = false
        /// Steps that were passed on the way to an exchange.
        var steps: [RunStep] = []
    }

    private let reading: Mutex<Reading>
    private let state = Mutex(State())

    /// - Throws: `RecordingFailure`.
    init(_ path: String) throws(RecordingFailure) { reading = Mutex(Reading(reader: try RecordReader(path))) }

    /// Reads up to the next batch; nil after the last one.
    func nextBatch() throws -> RunBatch? {
        try reading.withLock { reading in
            while !reading.isDone, let read = try Recording.next(&reading.reader) {
                switch read.record {
                case .committing(let batch): return batch
                case .done: reading.isDone = true
                default: add(read.record, read.bytes)
                }
            }
            return nil
        }
    }

    /// Reads up to the next step after the last batch; nil at the end.
    func nextStep() throws -> RunStep? {
        try reading.withLock { reading in
            if !reading.steps.isEmpty { return reading.steps.removeFirst() }
            while let read = try Recording.next(&reading.reader) {
                if case .step(let step) = read.record { return step }
                add(read.record, read.bytes)
            }
            return nil
        }
    }

    /// Reads one record; false at the end.
    private func readOn() -> Bool {
        reading.withLock { reading in
            guard let read = try? Recording.next(&reading.reader) else { return false }
            if case .step(let step) = read.record { reading.steps.append(step) } else { add(read.record, read.bytes) }
            return true
        }
    }

    private func add(_ record: Record, _ bytes: ArraySlice<UInt8>) {
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

    /// What was read since can be taken.
    ///
    /// - Parameter isAtEnd: no batch is read ahead any more: who misses an exchange reads on.
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
            let (hop, isAtEnd) = state.withLock { (Self.take(fetch, from: &$0, ifWhole: true), $0.isAtEnd) }
            if let hop { return hop }
            if isAtEnd {
                if readOn() { continue }
                return state.withLock { Self.take(fetch, from: &$0, ifWhole: false) }
            }
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

    private static func take(_ fetch: UInt64, from state: inout State, ifWhole: Bool) -> Hop? {
        guard let first = state.hops[fetch]?.first, first.isWhole || !ifWhole else { return nil }
        state.hops[fetch]?.removeFirst()
        if state.hops[fetch]?.isEmpty == true { state.hops[fetch] = nil }
        return first
    }
}
