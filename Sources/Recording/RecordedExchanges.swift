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
    }

    private struct Reading: ~Copyable {
        var reader: RecordReader
        /// The last batch was read.
        var isDone = false
        /// Batches and steps that were passed on the way to an exchange.
        var batches: [RunBatch] = []
        var steps: [RunStep] = []
    }

    private let reading: Mutex<Reading>
    private let state = Mutex(State())

    /// - Throws: `RecordingFailure`.
    init(_ path: String) throws(RecordingFailure) { reading = Mutex(Reading(reader: try RecordReader(path))) }

    /// Reads up to the next batch; nil after the last one.
    func nextBatch() throws -> RunBatch? {
        try reading.withLock { reading in
            if !reading.batches.isEmpty { return reading.batches.removeFirst() }
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
            switch read.record {
            case .committing(let batch): reading.batches.append(batch)
            case .done: reading.isDone = true
            case .step(let step): reading.steps.append(step)
            default: add(read.record, read.bytes)
            }
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

    /// Takes the next hop of a fetch out; reads on until it is there. nil if the fetch has no more.
    func next(of fetch: UInt64) -> Hop? {
        while true {
            if let hop = state.withLock({ Self.take(fetch, from: &$0, ifWhole: true) }) { return hop }
            if !readOn() { return state.withLock { Self.take(fetch, from: &$0, ifWhole: false) } }
        }
    }

    private static func take(_ fetch: UInt64, from state: inout State, ifWhole: Bool) -> Hop? {
        guard let first = state.hops[fetch]?.first, first.isWhole || !ifWhole else { return nil }
        state.hops[fetch]?.removeFirst()
        if state.hops[fetch]?.isEmpty == true { state.hops[fetch] = nil }
        return first
    }
}
