internal import CTokenizer

/// Gives each term of the collected texts a number, in order of first appearance.
struct TermTable: ~Copyable {
    private struct Slot {
        var hash: UInt64
        /// The term's number plus one, shifted left by one. The lowest bit is set if the hash alone does not identify
        /// the term. 0 marks a free slot.
        var tag: UInt32
    }

    /// Open-addressed; the capacity is a power of two.
    private var slots: UnsafeMutablePointer<Slot>
    private var capacity = 1 << 12
    /// The offset in `text` at which each term begins (4 bytes each), and the end of the last term.
    private let starts = ByteBuffer()
    private let text = ByteBuffer(capacity: 1 << 16)
    private(set) var count = 0

    init() {
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: Slot(hash: 0, tag: 0), count: capacity)
        starts.append(fixed: UInt32(0))
    }

    deinit { slots.deallocate() }

    /// Forgets all terms, but keeps the memory for later ones.
    mutating func removeAll() {
        slots.update(repeating: Slot(hash: 0, tag: 0), count: capacity)
        starts.cut(to: 4)
        text.removeAll()
        count = 0
    }

    subscript(number: Int) -> UnsafeRawBufferPointer {
        let entry = starts.start + number * 4
        let (first, end) = (entry.load(as: UInt32.self), entry.load(fromByteOffset: 4, as: UInt32.self))
        return UnsafeRawBufferPointer(start: text.start + Int(first), count: Int(end - first))
    }

    /// Returns the number of a term, and adds the term if it is new.
    @inline(__always) mutating func number(of term: UnsafeRawBufferPointer, hash: UInt64) -> UInt32 {
        let slot = slots[Int(hash & UInt64(capacity - 1))]
        // Nearly all terms are in the first slot tried, and are identified by the hash alone.
        if slot.hash == hash, slot.tag > 1, slot.tag & 1 == 0, term.count <= 8 { return slot.tag >> 1 &- 1 }
        return find(term, hash)
    }

    @inline(never) private mutating func find(_ term: UnsafeRawBufferPointer, _ hash: UInt64) -> UInt32 {
        let isLong: UInt32 = term.count > 8 ? 1 : 0
        var index = Int(hash & UInt64(capacity - 1))
        while slots[index].tag != 0 {
            let slot = slots[index]
            if slot.hash == hash, slot.tag & 1 == isLong {
                let number = slot.tag >> 1 - 1
                if isLong == 0 || UnsafeRawBufferPointer.order(self[Int(number)], term) == 0 { return number }
            }
            index = (index + 1) & (capacity - 1)
        }
        return add(term, Slot(hash: hash, tag: UInt32(truncatingIfNeeded: count + 1) << 1 | isLong), at: index)
    }

    /// Numbers many terms at once: the table is larger than the processor's cache, and waiting for memory is most of
    /// the work.
    mutating func number(_ tokens: UnsafeBufferPointer<CToken>, into numbers: UnsafeMutablePointer<UInt32>) {
        for token in tokens { CTokenizerPrefetch(slots + Int(token.hash & UInt64(capacity - 1))) }
        var next = numbers
        for token in tokens {
            next.pointee = number(of: token.key, hash: token.hash)
            next += 1
        }
    }

    static func hash(_ term: UnsafeRawBufferPointer) -> UInt64 {
        CTokenizerHash(term.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: term.count))
    }

    @inline(never) private mutating func add(_ term: UnsafeRawBufferPointer, _ slot: Slot, at index: Int) -> UInt32 {
        text.append(term)
        starts.append(fixed: UInt32(truncatingIfNeeded: text.count))
        slots[index] = slot
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
            var index = Int(slot.hash & UInt64(capacity - 1))
            while slots[index].tag != 0 { index = (index + 1) & (capacity - 1) }
            slots[index] = slot
        }
        old.deallocate()
    }

    /// The numbers of all terms, ordered by the bytes of the terms.
    func sorted() -> [Int] { Index.sorted(0..<count) { self[$0] } }
}
