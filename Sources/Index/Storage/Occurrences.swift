/// Where an occurrence stands in a document: the column and the position of the word in it, in this order.
struct Occurrence: Comparable {
    let number: UInt64

    @inline(__always) init(column: UInt8, position: UInt32) { number = UInt64(column) << 32 | UInt64(position) }

    @inline(__always) var column: Int { Int(number >> 32) }
    @inline(__always) var position: UInt32 { UInt32(truncatingIfNeeded: number) }

    /// The place `words` further on in the same column.
    @inline(__always) func moved(by words: Int) -> UInt64 { number + UInt64(words) }

    @inline(__always) static func < (a: Occurrence, b: Occurrence) -> Bool { a.number < b.number }
}

/// Occurrences in a document, gathered and thrown away millions of times in a search: an array's checks would be most
/// of the work.
final class OccurrenceList {
    private var start = UnsafeMutablePointer<Occurrence>.allocate(capacity: 64)
    private var capacity = 64
    private(set) var count = 0

    deinit { start.deallocate() }

    @inline(__always) subscript(index: Int) -> Occurrence { start[index] }

    @inline(__always) func append(_ occurrence: Occurrence) {
        if count == capacity { grow() }
        start[count] = occurrence
        count += 1
    }

    @inline(never) private func grow() {
        let larger = UnsafeMutablePointer<Occurrence>.allocate(capacity: capacity * 2)
        larger.initialize(from: start, count: count)
        start.deallocate()
        (start, capacity) = (larger, capacity * 2)
    }

    func removeAll() { count = 0 }

    func append(_ other: OccurrenceList) {
        for index in 0..<other.count { append(other[index]) }
    }

    /// Keeps those in this column.
    func keep(column: Column) {
        var kept = 0
        for index in 0..<count where start[index].column == column.rawValue {
            start[kept] = start[index]
            kept += 1
        }
        count = kept
    }

    /// Keeps those `distance` places before which another stands. Both are in order.
    func keep(_ distance: Int, before others: OccurrenceList) {
        // Local, so that a write to memory does not make them be read again.
        let (places, behind, behindCount) = (start, others.start, others.count)
        var (kept, other) = (0, 0)
        for index in 0..<count {
            let wanted = places[index].moved(by: distance)
            while other < behindCount, behind[other].number < wanted { other += 1 }
            guard other < behindCount else { break }
            if behind[other].number == wanted {
                places[kept] = places[index]
                kept += 1
            }
        }
        count = kept
    }

    var frequency: TermFrequency {
        var frequency = TermFrequency()
        for index in 0..<count { frequency.add(start[index].column) }
        return frequency
    }

    func sort() {
        var all = UnsafeMutableBufferPointer(start: start, count: count)
        all.sort()
    }
}
