internal import CTokenizer

/// Gives each term of the texts being collected a number, in the order of their first appearance.
struct TermTable: ~Copyable {
    private struct Slot {
        var hash: UInt64
        /// The number plus one, doubled; the lowest bit says that the hash alone does not tell the term. 0: a free place.
        var tag: UInt32
    }

    /// Open-addressed; the capacity is a power of two.
    private var slots: UnsafeMutablePointer<Slot>
    private var capacity = 1 << 12
    /// Where in `text` each term begins (4 bytes); one more, where the last ends.
    private let starts = ByteBuffer()
    private let text = ByteBuffer(capacity: 1 << 16)
    private(set) var count = 0

    init() {
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: Slot(hash: 0, tag: 0), count: capacity)
        starts.append(fixed: UInt32(0))
    }

    deinit { slots.deallocate() }

    /// Forgets all terms, and keeps the memory for others.
    mutating func removeAll() {
        slots.update(repeating: Slot(hash: 0, tag: 0), count: capacity)
        starts.cut(to: 4)
        text.removeAll()
        count = 0
    }

    subscript(number: Int) -> UnsafeRawBufferPointer {
        let place = starts.start + number * 4
        let (first, end) = (place.load(as: UInt32.self), place.load(fromByteOffset: 4, as: UInt32.self))
        return UnsafeRawBufferPointer(start: text.start + Int(first), count: Int(end - first))
    }

    /// The number of a term, which is new to the table or not.
    @inline(__always) mutating func number(of term: UnsafeRawBufferPointer, hash: UInt64) -> UInt32 {
        let slot = slots[Int(hash & UInt64(capacity - 1))]
        // Nearly all are where they are looked for first, and told by the hash alone.
        if slot.hash == hash, slot.tag > 1, slot.tag & 1 == 0, term.count <= 8 { return slot.tag >> 1 &- 1 }
        return find(term, hash)
    }

    @inline(never) private mutating func find(_ term: UnsafeRawBufferPointer, _ hash: UInt64) -> UInt32 {
        let isLong: UInt32 = term.count > 8 ? 1 : 0
        var place = Int(hash & UInt64(capacity - 1))
        while slots[place].tag != 0 {
            let slot = slots[place]
            if slot.hash == hash, slot.tag & 1 == isLong {
                let number = slot.tag >> 1 - 1
                if isLong == 0 || UnsafeRawBufferPointer.order(self[Int(number)], term) == 0 { return number }
            }
            place = (place + 1) & (capacity - 1)
        }
        return add(term, Slot(hash: hash, tag: UInt32(truncatingIfNeeded: count + 1) << 1 | isLong), at: place)
    }

    /// The numbers of many. The table is larger than the processor's cache, and waiting for memory most of the work.
    mutating func number(_ tokens: UnsafeBufferPointer<CToken>, into numbers: UnsafeMutablePointer<UInt32>) {
        for token in tokens { CTokenizerPrefetch(slots + Int(token.hash & UInt64(capacity - 1))) }
        var place = numbers
        for token in tokens {
            place.pointee = number(of: token.key, hash: token.hash)
            place += 1
        }
    }

    static func hash(_ term: UnsafeRawBufferPointer) -> UInt64 {
        CTokenizerHash(term.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: term.count))
    }

    @inline(never) private mutating func add(_ term: UnsafeRawBufferPointer, _ slot: Slot, at place: Int) -> UInt32 {
        text.append(term)
        starts.append(fixed: UInt32(truncatingIfNeeded: text.count))
        slots[place] = slot
        count += 1
        if count * 4 > capacity * 3 { grow() }
        return slot.tag >> 1 - 1
    }

    private mutating func grow() {
        let (old, oldCapacity) = (slots, capacity)
        capacity *= 2
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: Slot(hash: 0, tag: 0), count: capacity)
        for slot in UnsafeBufferPointer(start: old, count: oldCapacity) where slot.tag != 0 {
            var place = Int(slot.hash & UInt64(capacity - 1))
            while slots[place].tag != 0 { place = (place + 1) & (capacity - 1) }
            slots[place] = slot
        }
        old.deallocate()
    }

    /// All terms' numbers in the order of their bytes.
    func sorted() -> [Int] { Index.sorted(0..<count) { self[$0] } }
}
