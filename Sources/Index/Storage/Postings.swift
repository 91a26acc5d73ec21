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
        var (kept, other) = (0, 0)
        for index in 0..<count {
            let wanted = start[index].moved(by: distance)
            while other < others.count, others[other].number < wanted { other += 1 }
            guard other < others.count else { break }
            if others[other].number == wanted {
                start[kept] = start[index]
                kept += 1
            }
        }
        count = kept
    }

    func sort() {
        var all = UnsafeMutableBufferPointer(start: start, count: count)
        all.sort()
    }
}

/// Writes the postings of one term; see `SegmentLayout` for their form.
struct PostingsWriter {
    private let out: ByteBuffer
    /// Skips that were foreseen, as places in `out`.
    private var nextSkip: Int
    private let firstPosting: Int
    private var document = -1
    private var count = 0
    private var column: UInt8 = 0
    private var position: UInt32 = 0

    /// - Parameter documents: how many there will be.
    init(_ out: ByteBuffer, documents: Int) {
        self.out = out
        nextSkip = out.count
        out.skip(Self.skipSize(documents: documents))
        firstPosting = out.count
    }

    static func skipSize(documents: Int) -> Int { max(0, documents - 1) / SegmentLayout.documentsPerSkip * 8 }

    @inline(__always) mutating func begin(_ document: Int) {
        if count > 0, count % SegmentLayout.documentsPerSkip == 0 {
            out.start.storeBytes(of: UInt32(truncatingIfNeeded: self.document), toByteOffset: nextSkip, as: UInt32.self)
            out.start.storeBytes(
                of: UInt32(truncatingIfNeeded: out.count - firstPosting), toByteOffset: nextSkip + 4, as: UInt32.self)
            nextSkip += 8
        }
        out.append(varint: UInt64(document - self.document) << 1 | 1)
        self.document = document
        count += 1
        column = 0
        position = 0
    }

    @inline(__always) mutating func add(_ occurrence: Occurrence) {
        let next = UInt8(truncatingIfNeeded: occurrence.column)
        if next == column {
            out.append(varint: UInt64(occurrence.position - position) << 2)
        } else {
            out.append(varint: UInt64(occurrence.position) << 2 | 2)
            out.append(fixed: next)
            column = next
        }
        position = occurrence.position
    }

    /// All occurrences in a document, as they stand in another segment.
    mutating func add(_ occurrences: UnsafeRawBufferPointer) { out.append(occurrences) }
}

/// Reads the postings of one term, document by document.
struct PostingsReader {
    private let first: UnsafeRawPointer
    private let end: UnsafeRawPointer
    let skips: UnsafeRawBufferPointer
    /// The first skip that is not behind it.
    private var nextSkip = 0
    /// Behind the document's number, where its occurrences begin.
    private(set) var place: UnsafeRawPointer
    /// Where it has read everything from: the last skip led there.
    private(set) var landing: UnsafeRawPointer
    /// `Int.max` at the end.
    private(set) var document = -1
    private let documents: Int

    /// At the first document.
    /// - Parameter documents: of the whole segment; a number past it is damage, and taken for the end.
    init(_ postings: Postings, documents: Int) {
        let skipSize = PostingsWriter.skipSize(documents: postings.count)
        skips = postings.bytes.part(0, skipSize)
        let bytes = postings.bytes.part(skipSize, postings.bytes.count - skipSize)
        self.documents = documents
        if let base = bytes.baseAddress {
            (first, place, landing, end) = (base, base, base, base + bytes.count)
            advance()
        } else {
            let nowhere = UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped
            (first, place, landing, end) = (nowhere, nowhere, nowhere, nowhere)
            document = .max
        }
    }

    /// Goes to the next document.
    @inline(__always) mutating func advance() {
        while place < end {
            let number = Varint.read(&place, end)
            if number & 1 == 1 {
                document &+= Int(number >> 1)
                if document < 0 || document >= documents { document = .max }
                return
            }
            if number & 2 == 2 { place += 1 }
        }
        document = .max
    }

    /// Goes to the first document that is not before `target`.
    mutating func advance(to target: Int) {
        guard document < target else { return }
        if skips.count > 0 { skip(to: target) }
        while document < target { advance() }
    }

    private mutating func skip(to target: Int) {
        guard nextSkip * 8 < skips.count, lastDocument(before: nextSkip) < target else { return }
        // The last skip whose documents all come before the target.
        var (low, high) = (nextSkip + 1, skips.count / 8)
        while low < high {
            let middle = (low + high) / 2
            if lastDocument(before: middle) < target { low = middle + 1 } else { high = middle }
        }
        nextSkip = low
        let before = lastDocument(before: low - 1)
        let next = first + Int(skips.number(low * 8 - 4, as: UInt32.self))
        guard before > document, next > place, next <= end else { return }
        document = before
        (place, landing) = (next, next)
        advance()
    }

    private func lastDocument(before skip: Int) -> Int { Int(skips.number(skip * 8, as: UInt32.self)) }

    /// Adds the occurrences in the current document to `found`, and returns how far it read.
    @inline(__always) func read(into found: OccurrenceList) -> UnsafeRawPointer {
        var place = place
        var column: UInt8 = 0
        var position: UInt32 = 0
        while place < end {
            let number = Varint.read(&place, end)
            if number & 1 == 1 { break }
            if number & 2 == 2 {
                guard place < end else { break }
                column = place.load(as: UInt8.self)
                place += 1
                position = UInt32(truncatingIfNeeded: number >> 2)
            } else {
                position &+= UInt32(truncatingIfNeeded: number >> 2)
            }
            found.append(Occurrence(column: column, position: position))
        }
        return place
    }

    /// The occurrences in the current document, as bytes.
    func occurrences() -> UnsafeRawBufferPointer {
        var last = place
        while last < end {
            var next = last
            let number = Varint.read(&next, end)
            if number & 1 == 1 { break }
            last = number & 2 == 2 ? min(next + 1, end) : next
        }
        return UnsafeRawBufferPointer(start: place, count: last - place)
    }
}
