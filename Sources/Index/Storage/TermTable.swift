internal import CTokenizer

/// Gives each term of the collected texts a number, in order of first appearance.
///
/// Slots hold numbers only: frequent terms have small ones, so the hashes read most often are close together.
struct TermTable: ~Copyable {
    /// Open-addressed; the capacity is a power of two. A slot holds a term's number plus one, shifted left by one. The
    /// lowest bit is set if the hash alone does not identify the term. 0 marks a free slot.
    private var slots: UnsafeMutablePointer<UInt32>
    private var capacity = 1 << 12
    /// The hash of each term (8 bytes each).
    private let hashes = ByteBuffer()
    /// The offset in `text` at which each term begins (4 bytes each), and the end of the last term.
    private let starts = ByteBuffer()
    private let text = ByteBuffer(capacity: 1 << 16)
    private(set) var count = 0

    init() {
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: 0, count: capacity)
        starts.append(fixed: UInt32(0))
    }

    deinit { slots.deallocate() }

    /// Forgets all terms, but keeps the memory for later ones.
    mutating func removeAll() {
        slots.update(repeating: 0, count: capacity)
        starts.cut(to: 4)
        for buffer in [hashes, text] { buffer.removeAll() }
        count = 0
    }

    private func hash(_ number: Int) -> UInt64 { hashes.start.load(fromByteOffset: number * 8, as: UInt64.self) }

    subscript(number: Int) -> UnsafeRawBufferPointer {
        let entry = starts.start + number * 4
        let (first, end) = (entry.load(as: UInt32.self), entry.load(fromByteOffset: 4, as: UInt32.self))
        return UnsafeRawBufferPointer(start: text.start + Int(first), count: Int(end - first))
    }

    /// Returns the number of a term, and adds the term if it is new.
    @inline(__always) mutating func number(of term: UnsafeRawBufferPointer, hash: UInt64) -> UInt32 {
        let slot = slots[Int(hash & UInt64(capacity - 1))]
        // Nearly all terms are in the first slot tried, and are identified by the hash alone.
        if slot > 1, slot & 1 == 0, term.count <= 8, self.hash(Int(slot >> 1) - 1) == hash { return slot >> 1 &- 1 }
        return find(term, hash)
    }

    @inline(never) private mutating func find(_ term: UnsafeRawBufferPointer, _ hash: UInt64) -> UInt32 {
        let isLong: UInt32 = term.count > 8 ? 1 : 0
        var index = Int(hash & UInt64(capacity - 1))
        while slots[index] != 0 {
            let number = slots[index] >> 1 - 1
            if slots[index] & 1 == isLong, self.hash(Int(number)) == hash,
                isLong == 0 || UnsafeRawBufferPointer.order(self[Int(number)], term) == 0
            {
                return number
            }
            index = (index + 1) & (capacity - 1)
        }
        return add(term, hash, UInt32(truncatingIfNeeded: count + 1) << 1 | isLong, at: index)
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

    @inline(never) private mutating func add(
        _ term: UnsafeRawBufferPointer, _ hash: UInt64, _ slot: UInt32, at index: Int
    ) -> UInt32 {
        text.append(term)
        starts.append(fixed: UInt32(truncatingIfNeeded: text.count))
        hashes.append(fixed: hash)
        slots[index] = slot
        count += 1
        if count * 4 > capacity * 3 { grow() }
        return slot >> 1 - 1
    }

    private mutating func grow() {
        let (old, oldCapacity) = (slots, capacity)
        capacity *= 2
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: 0, count: capacity)
        for slot in UnsafeBufferPointer(start: old, count: oldCapacity) where slot != 0 {
            var index = Int(hash(Int(slot >> 1) - 1) & UInt64(capacity - 1))
            while slots[index] != 0 { index = (index + 1) & (capacity - 1) }
            slots[index] = slot
        }
        old.deallocate()
    }

    /// The numbers of all terms, ordered by the bytes of the terms.
    func sorted() -> [Int] { Index.sorted(Array(0..<count)) { self[$0] } }
}
