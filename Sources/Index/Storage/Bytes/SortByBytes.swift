internal import Memory

/// Sorts numbers by the bytes that belong to them.
///
/// If there are many, they are first distributed by the first bits of these bytes: sorting all at once would need a large
/// block of memory among the small ones of a refresh.
@inline(never) func sorted(_ numbers: some Collection<UInt32>, by bytes: (UInt32) -> ByteView) -> [UInt32] {
    let isLarge = numbers.count > 4_096
    let capacity = max(isLarge ? PagedMemory.size : 0, numbers.count * MemoryLayout<SortKey>.stride)
    var keys = GrowingBytes(capacity: capacity)
    for number in numbers { keys.append(fixed: SortKey(beginning: bytes(number).beginning, number: number)) }
    var buckets = [0..<numbers.count]
    if isLarge {
        var distributed = GrowingBytes(capacity: capacity)
        buckets = distribute(keys.values(as: SortKey.self), over: &distributed)
        keys = distributed
    }
    let all = keys.values(as: SortKey.self)
    for bucket in buckets where bucket.count > 1 {
        var part = UnsafeMutableBufferPointer(rebasing: all[bucket])
        // Comparing eight bytes at once decides nearly all cases.
        part.sort { a, b in
            a.beginning != b.beginning
                ? a.beginning < b.beginning : ByteView.precedes(bytes(a.number), bytes(b.number))
        }
    }
    return withExtendedLifetime(keys) {
        Array(unsafeUninitializedCapacity: isLarge ? max(PagedMemory.size / 4, all.count) : all.count) { result, count in
            for key in all {
                (result.baseAddress.map { $0 + count })?.initialize(to: key.number)
                count += 1
            }
        }
    }
}

private struct SortKey: BitwiseCopyable {
    static let bucketBits: UInt64 = 12

    /// The first eight bytes.
    var beginning: UInt64
    var number: UInt32

    var bucket: Int { Int(truncatingIfNeeded: beginning >> (64 - Self.bucketBits)) }
}

/// Copies the keys in the order of their buckets, and returns the range of each bucket.
private func distribute(_ keys: UnsafeMutableBufferPointer<SortKey>, over buffer: inout GrowingBytes) -> [Range<Int>] {
    var next = [Int](repeating: 0, count: 1 << SortKey.bucketBits)
    for key in keys { next[key.bucket] += 1 }
    var start = 0
    let buckets = next.map { count in
        defer { start += count }
        return start..<start + count
    }
    for (bucket, range) in buckets.enumerated() { next[bucket] = range.lowerBound }
    buffer.skip(keys.count * MemoryLayout<SortKey>.stride)
    let copies = buffer.values(as: SortKey.self)
    for key in keys {
        copies[next[key.bucket]] = key
        next[key.bucket] += 1
    }
    return buckets
}
