/// Gives each hash a number, in the order of their first appearance.
struct HashTable: ~Copyable {
    /// Open-addressed; 0 is no hash.
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
        let place = place(of: hash)
        if slots[place].hash == hash { return Int(slots[place].number) }
        slots[place] = (hash, UInt32(truncatingIfNeeded: count))
        count += 1
        if count * 4 > capacity * 3 { grow() }
        return count - 1
    }

    private func place(of hash: UInt64) -> Int {
        var place = Int(hash & UInt64(capacity - 1))
        while slots[place].hash != 0, slots[place].hash != hash { place = (place + 1) & (capacity - 1) }
        return place
    }

    private mutating func grow() {
        let (old, oldCapacity) = (slots, capacity)
        capacity *= 2
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: (0, 0), count: capacity)
        for slot in UnsafeBufferPointer(start: old, count: oldCapacity) where slot.hash != 0 {
            slots[place(of: slot.hash)] = slot
        }
        old.deallocate()
    }

    /// Keeps the memory for others.
    mutating func removeAll() {
        slots.update(repeating: (0, 0), count: capacity)
        count = 0
    }
}
