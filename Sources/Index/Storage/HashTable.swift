/// Gives each hash a number, in order of first appearance.
///
/// Slots hold numbers only, so that the table fits better into the CPU cache than one with the hashes in it.
struct HashTable: ~Copyable {
    /// Open-addressed: numbers plus one; 0 marks a free slot. The capacity is a power of two.
    private var slots: UnsafeMutablePointer<UInt32>
    private var capacity = 1 << 10
    /// The hash of each number.
    private let hashes = ByteBuffer()

    init() {
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: 0, count: capacity)
    }

    deinit { slots.deallocate() }

    private var count: Int { hashes.count / 8 }

    /// The hash of a number that `number(of:)` has returned.
    @inline(__always) func hash(of number: Int) -> UInt64 { hashes.start.load(fromByteOffset: number * 8, as: UInt64.self) }

    mutating func number(of hash: UInt64) -> Int {
        let slot = slot(of: hash)
        if slots[slot] != 0 { return Int(slots[slot]) - 1 }
        hashes.append(fixed: hash)
        slots[slot] = UInt32(truncatingIfNeeded: count)
        if count * 4 > capacity * 3 { grow() }
        return count - 1
    }

    private func slot(of hash: UInt64) -> Int {
        var slot = Int(hash & UInt64(capacity - 1))
        while slots[slot] != 0, self.hash(of: Int(slots[slot]) - 1) != hash { slot = (slot + 1) & (capacity - 1) }
        return slot
    }

    private mutating func grow() {
        slots.deallocate()
        capacity *= 2
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: 0, count: capacity)
        for number in 0..<count { slots[slot(of: hash(of: number))] = UInt32(truncatingIfNeeded: number + 1) }
    }

    /// Keeps the memory for later hashes.
    mutating func removeAll() {
        slots.update(repeating: 0, count: capacity)
        hashes.removeAll()
    }
}
