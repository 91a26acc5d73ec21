import Domain
import Synchronization

/// Reads a recording a second time, with its bodies. Holds the exchanges that were read but not repeated yet, by fetch.
final class RecordedExchanges: Sendable {
    /// One hop of a fetch.
    struct Hop: Sendable {
        var turn: Record.Turn
        var head: [UInt8] = []
        var pieces: [WirePiece] = []
        var body: Result<WireBody, FetchFailure>?
        /// nil until the recording was read up to it.
        var end: Record.Exchange?

        var isWhole: Bool {
            if case .granted = turn { return end != nil }
            return true
        }
    }

    private struct Reading: ~Copyable {
        var reader: RecordReader
        /// True after the last batch was read.
        var isDone = false
        /// Batches and steps that were read on the way to an exchange.
        var batches: [RunBatch] = []
        var steps: [RunStep] = []
    }

    private let reading: Mutex<Reading>
    private let hops = Mutex<[UInt64: [Hop]]>([:])

    /// - Throws: `RecordingFailure`.
    init(_ path: String) throws(RecordingFailure) { reading = Mutex(Reading(reader: try RecordReader(path))) }

    /// Reads up to the next batch; nil after the last one.
    func nextBatch() throws -> RunBatch? {
        try reading.withLock { reading in
            while reading.batches.isEmpty, !reading.isDone, try readOn(&reading) {}
            return reading.batches.isEmpty ? nil : reading.batches.removeFirst()
        }
    }

    /// Reads up to the next step after the last batch; nil at the end.
    func nextStep() throws -> RunStep? {
        try reading.withLock { reading in
            while reading.steps.isEmpty, try readOn(&reading) {}
            return reading.steps.isEmpty ? nil : reading.steps.removeFirst()
        }
    }

    /// Reads one record; false at the end.
    private func readOn(_ reading: inout Reading) throws -> Bool {
        guard let read = try Recording.next(&reading.reader) else { return false }
        switch read.record {
        case .committing(let batch): reading.batches.append(batch)
        case .done: reading.isDone = true
        case .step(let step): reading.steps.append(step)
        default: add(read.record, read.bytes)
        }
        return true
    }

    private func add(_ record: Record, _ bytes: ArraySlice<UInt8>) {
        guard let fetch = record.fetch else { return }
        hops.withLock { hops in
            if case .turn(_, _, _, let turn) = record { return hops[fetch, default: []].append(Hop(turn: turn)) }
            guard let last = hops[fetch]?.indices.last else { return }
            switch record {
            case .head: hops[fetch]?[last].head = Array(bytes)
            case .body(_, .sent): hops[fetch]?[last].pieces.append(.sent(Array(bytes)))
            case .body(_, .decoded): hops[fetch]?[last].pieces.append(.decoded(Array(bytes)))
            case .read(_, let body): hops[fetch]?[last].body = body
            case .ended(_, let end): hops[fetch]?[last].end = end
            default: break
            }
        }
    }

    /// Removes and returns the next hop of a fetch, reading the recording until it is complete; nil if the fetch has no
    /// more hops.
    func next(of fetch: UInt64) -> Hop? {
        while true {
            if let hop = take(fetch, ifWhole: true) { return hop }
            let isAtEnd = reading.withLock { (try? readOn(&$0)) != true }
            if isAtEnd { return take(fetch, ifWhole: false) }
        }
    }

    private func take(_ fetch: UInt64, ifWhole: Bool) -> Hop? {
        hops.withLock { hops in
            guard let first = hops[fetch]?.first, first.isWhole || !ifWhole else { return nil }
            hops[fetch]?.removeFirst()
            if hops[fetch]?.isEmpty == true { hops[fetch] = nil }
            return first
        }
    }
}
