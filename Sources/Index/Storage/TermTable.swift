internal import CTokenizer

/// Gives each term of the texts being collected a number, in the order of their first appearance.
final class TermTable {
    /// An open-addressed table of the number and half of the hash; the capacity is a power of two. 0: a free place.
    private var slots: UnsafeMutablePointer<UInt64>
    private var capacity = 1 << 12
    /// Where in `text` each term begins; one more, where the last ends.
    private var starts: [UInt32] = [0]
    private let text = ByteBuffer(capacity: 1 << 16)

    init() {
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: 0, count: capacity)
    }

    deinit { slots.deallocate() }

    var count: Int { starts.count - 1 }

    subscript(number: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text.start + Int(starts[number]), count: Int(starts[number + 1] - starts[number]))
    }

    /// The number of a term, which is new to the table or not.
    func number(of term: UnsafeRawBufferPointer) -> Int {
        let hash = Self.hash(term)
        var place = Int(hash & UInt64(capacity - 1))
        while slots[place] != 0 {
            let slot = slots[place]
            if slot >> 32 == hash >> 32, UnsafeRawBufferPointer.order(self[Int(slot & 0xFFFF_FFFF) - 1], term) == 0 {
                return Int(slot & 0xFFFF_FFFF) - 1
            }
            place = (place + 1) & (capacity - 1)
        }
        text.append(term)
        starts.append(UInt32(text.count))
        slots[place] = hash & 0xFFFF_FFFF_0000_0000 | UInt64(count)
        if count * 2 > capacity { grow() }
        return count - 1
    }

    private func grow() {
        slots.deallocate()
        capacity *= 2
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: 0, count: capacity)
        for number in 0..<count {
            let hash = Self.hash(self[number])
            var place = Int(hash & UInt64(capacity - 1))
            while slots[place] != 0 { place = (place + 1) & (capacity - 1) }
            slots[place] = hash & 0xFFFF_FFFF_0000_0000 | UInt64(number + 1)
        }
    }

    /// A multiplicative hash over eight bytes at a time; it never leaves this process.
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(bytes.count) &* 0x9E37_79B9_7F4A_7C15
        var offset = 0
        while offset + 8 <= bytes.count {
            hash = (hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0xFF51_AFD7_ED55_8CCD
            hash ^= hash >> 32
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        hash = (hash ^ rest) &* 0xC4CE_B9FE_1A85_EC53
        return hash ^ hash >> 29
    }

    /// All terms' numbers in the order of their bytes.
    func sorted() -> [Int] {
        // Comparing eight bytes at once settles nearly all.
        let keys = (0..<count).map { number -> (start: UInt64, number: Int) in
            var start: UInt64 = 0
            let term = self[number]
            for index in 0..<8 { start = start << 8 | (index < term.count ? UInt64(term[index]) : 0) }
            return (start, number)
        }
        return keys.sorted { a, b in
            a.start != b.start ? a.start < b.start : UnsafeRawBufferPointer.precedes(self[a.number], self[b.number])
        }.map(\.number)
    }
}
