/// Gives each hash a number, in order of first appearance.
struct HashTable: ~Copyable {
    /// Open-addressed. A hash of 0 marks a free slot.
    private var slots: UnsafeMutablePointer<(hash: UInt64, number: UInt32)>
    private var capacity = 1 << 10
    private var count = 0

    init() {
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: (0, 0), count: capacity)
    }

    deinit { slots.deallocate() }

    mutating func number(of hash: UInt64) -> Int {
        let hash = max(1, hash)
        let slot = slot(of: hash)
        if slots[slot].hash == hash { return Int(slots[slot].number) }
        slots[slot] = (hash, UInt32(truncatingIfNeeded: count))
        count += 1
        if count * 4 > capacity * 3 { grow() }
        return count - 1
    }

    private func slot(of hash: UInt64) -> Int {
        var slot = Int(hash & UInt64(capacity - 1))
        while slots[slot].hash != 0, slots[slot].hash != hash { slot = (slot + 1) & (capacity - 1) }
        return slot
    }

    private mutating func grow() {
        let (old, oldCapacity) = (slots, capacity)
        capacity *= 2
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: (0, 0), count: capacity)
        for entry in UnsafeBufferPointer(start: old, count: oldCapacity) where entry.hash != 0 {
            slots[slot(of: entry.hash)] = entry
        }
        old.deallocate()
    }

    /// Keeps the memory for later hashes.
    mutating func removeAll() {
        slots.update(repeating: (0, 0), count: capacity)
        count = 0
    }
}
