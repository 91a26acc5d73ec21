/// The column and the position of a word in a document. Ordered by column, then by position.
struct Occurrence: Comparable {
    let number: UInt64

    @inline(__always) init(column: UInt8, position: UInt32) { number = UInt64(column) << 32 | UInt64(position) }

    @inline(__always) var column: Int { Int(number >> 32) }
    @inline(__always) var position: UInt32 { UInt32(truncatingIfNeeded: number) }
    /// The column in which the word is written; nil if there is no such column.
    @inline(__always) var origin: Column? {
        Column(rawValue: column == Column.compound.rawValue ? Int(position) % Column.compoundSpacing : column)
    }

    /// The `number` of the occurrence that is this many words further on in the same column.
    @inline(__always) func moved(by words: Int) -> UInt64 { number + UInt64(words) }

    @inline(__always) static func < (a: Occurrence, b: Occurrence) -> Bool { a.number < b.number }
}

/// Occurrences in a document. Searches fill and empty such lists millions of times: an array's checks would be most of
/// the work.
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

    /// Keeps the occurrences in this column, also those as a compound.
    func keep(column: Column) { keep { $0.origin == column } }

    @inline(__always) func keep(where isKept: (Occurrence) -> Bool) {
        var newCount = 0
        for index in 0..<count where isKept(start[index]) {
            start[newCount] = start[index]
            newCount += 1
        }
        count = newCount
    }

    /// Keeps each occurrence that one of `others` follows at this distance. Both lists must be sorted.
    func keep(_ distance: Int, before others: OccurrenceList) {
        // Local copies, because a write to memory would make the compiler reload the properties.
        let (occurrences, followers, followerCount) = (start, others.start, others.count)
        var (newCount, other) = (0, 0)
        for index in 0..<count {
            let wanted = occurrences[index].moved(by: distance)
            while other < followerCount, followers[other].number < wanted { other += 1 }
            guard other < followerCount else { break }
            if followers[other].number == wanted {
                occurrences[newCount] = occurrences[index]
                newCount += 1
            }
        }
        count = newCount
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
