internal import CTokenizer
internal import Glibc
internal import Memory

/// Gives each key a number, in order of first appearance. A key is known by its hash; an ambiguous one, which may share
/// its hash with others, also by a comparison.
///
/// Slots hold numbers only: frequent keys have small ones, so the hashes read most often are close together, and the
/// slots fit better into the CPU cache.
struct HashTable: ~Copyable {
    /// Open-addressed; the capacity is a power of two. A slot holds a number plus one, shifted left by one. The lowest
    /// bit is set if the key is ambiguous. 0 marks a free slot.
    private var slots: UnsafeMutablePointer<UInt32>
    private var capacity = 1 << 10
    /// The hash of each number (8 bytes each).
    private var hashes = GrowingBytes.paged()

    /// - Parameter count: of keys that are expected. Growing to it would take as long again as adding them.
    init(expecting count: Int = 0) {
        while count * 4 > capacity * 3 { capacity *= 2 }
        slots = Self.slots(capacity)
    }

    deinit { free(slots) }

    private static func slots(_ capacity: Int) -> UnsafeMutablePointer<UInt32> {
        PagedMemory.zeros(capacity * 4).assumingMemoryBound(to: UInt32.self)
    }

    var count: Int { hashes.count / 8 }

    /// The hash of a number that was given.
    @inline(__always) func hash(of number: Int) -> UInt64 { hashes.start.load(fromByteOffset: number * 8, as: UInt64.self) }

    /// Loads the slot of a hash into the CPU cache while other work is done.
    @inline(__always) func prefetch(_ hash: UInt64) { CTokenizerPrefetch(slots + first(hash)) }

    @inline(__always) private func first(_ hash: UInt64) -> Int { Int(hash & UInt64(capacity - 1)) }

    /// The number of a key that is not ambiguous.
    @inline(__always) mutating func number(of hash: UInt64) -> Int {
        let slot = slots[first(hash)]
        // Nearly all keys are in the first slot tried.
        if slot > 1, slot & 1 == 0, self.hash(of: Int(slot >> 1) - 1) == hash { return Int(slot >> 1) - 1 }
        return find(hash)
    }

    @inline(never) private mutating func find(_ hash: UInt64) -> Int { number(of: hash, mark: 0) { _ in true } }

    /// The number of an ambiguous key. It is never equal to another kind of key.
    ///
    /// - Parameter isSame: tells whether the ambiguous key with a number is this one.
    @inline(__always) mutating func number(of hash: UInt64, isSame: (Int) -> Bool) -> Int {
        number(of: hash, mark: 1, isSame: isSame)
    }

    @inline(__always) private mutating func number(of hash: UInt64, mark: UInt32, isSame: (Int) -> Bool) -> Int {
        var index = first(hash)
        while slots[index] != 0 {
            let number = Int(slots[index] >> 1) - 1
            if slots[index] & 1 == mark, self.hash(of: number) == hash, isSame(number) { return number }
            index = (index + 1) & (capacity - 1)
        }
        add(hash, at: index, mark: mark)
        return count - 1
    }

    @inline(never) private mutating func add(_ hash: UInt64, at index: Int, mark: UInt32) {
        hashes.append(fixed: hash)
        slots[index] = UInt32(truncatingIfNeeded: count) << 1 | mark
        if count * 4 > capacity * 3 { grow() }
    }

    private mutating func grow() {
        let (old, oldCapacity) = (slots, capacity)
        capacity *= 2
        slots = Self.slots(capacity)
        for slot in UnsafeBufferPointer(start: old, count: oldCapacity) where slot != 0 {
            var index = first(hash(of: Int(slot >> 1) - 1))
            while slots[index] != 0 { index = (index + 1) & (capacity - 1) }
            slots[index] = slot
        }
        free(old)
    }
}
