/// XXH64, the 64-bit xxHash with seed 0: fast, stable across runs and machines, not for secrets.
///
/// Used to tell whether a body, an episode or a file is what it was. `xxhsum -H1` prints the same number.
/// Source: https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
public struct XXH64: Sendable {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    private var lane1 = prime1 &+ prime2
    private var lane2 = prime2
    private var lane3: UInt64 = 0
    private var lane4 = 0 &- prime1
    /// Bytes that wait for the rest of their stripe.
    private var pending: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    private var pendingCount = 0
    private var total: UInt64 = 0

    public init() {}

    /// The hash of one piece of bytes.
    public static func hash(_ bytes: some Collection<UInt8>) -> UInt64 {
        var hasher = XXH64()
        hasher.update(bytes)
        return hasher.finish()
    }

    public mutating func update(_ bytes: some Collection<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ update(UnsafeRawBufferPointer($0)) }) == nil {
            Array(bytes).withUnsafeBytes { update($0) }
        }
    }

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        total &+= UInt64(bytes.count)
        var offset = 0
        if pendingCount > 0 {
            offset = min(32 - pendingCount, bytes.count)
            keep(bytes, 0, offset)
            guard pendingCount == 32 else { return }
            consumePending()
        }
        if bytes.count - offset >= 32 {
            // In registers, where the lanes stay from stripe to stripe.
            var hasher = self
            while bytes.count - offset >= 32 {
                hasher.consume(bytes, at: offset)
                offset += 32
            }
            (lane1, lane2, lane3, lane4) = (hasher.lane1, hasher.lane2, hasher.lane3, hasher.lane4)
        }
        if offset < bytes.count { keep(bytes, offset, bytes.count - offset) }
    }

    /// Eight bytes, the lowest first.
    public mutating func update(_ number: UInt64) {
        guard pendingCount <= 24 else { return withUnsafeBytes(of: number.littleEndian) { update($0) } }
        total &+= 8
        withUnsafeMutableBytes(of: &pending) {
            $0.storeBytes(of: number.littleEndian, toByteOffset: pendingCount, as: UInt64.self)
        }
        pendingCount += 8
        if pendingCount == 32 { consumePending() }
    }

    private mutating func consumePending() {
        let stripe = pending
        withUnsafeBytes(of: stripe) { consume($0, at: 0) }
        pendingCount = 0
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _ count: Int) {
        guard count > 0, let start = bytes.baseAddress else { return }
        withUnsafeMutableBytes(of: &pending) { pending in
            guard let room = pending.baseAddress else { return }
            (room + pendingCount).copyMemory(from: start + offset, byteCount: count)
        }
        pendingCount += count
    }

    public func finish() -> UInt64 {
        var hash: UInt64
        if total >= 32 {
            hash = Self.rotate(lane1, 1) &+ Self.rotate(lane2, 7) &+ Self.rotate(lane3, 12) &+ Self.rotate(lane4, 18)
            for lane in [lane1, lane2, lane3, lane4] {
                hash = (hash ^ Self.round(0, lane)) &* Self.prime1 &+ Self.prime4
            }
        } else {
            hash = Self.prime5
        }
        hash &+= total
        withUnsafeBytes(of: pending) { pending in
            let rest = UnsafeRawBufferPointer(rebasing: pending[..<pendingCount])
            var offset = 0
            while rest.count - offset >= 8 {
                hash ^= Self.round(0, Self.word(rest, offset))
                hash = Self.rotate(hash, 27) &* Self.prime1 &+ Self.prime4
                offset += 8
            }
            if rest.count - offset >= 4 {
                let half = UInt64(UInt32(littleEndian: rest.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
                hash = Self.rotate(hash ^ (half &* Self.prime1), 23) &* Self.prime2 &+ Self.prime3
                offset += 4
            }
            while offset < rest.count {
                hash = Self.rotate(hash ^ (UInt64(rest[offset]) &* Self.prime5), 11) &* Self.prime1
                offset += 1
            }
        }
        hash = (hash ^ (hash >> 33)) &* Self.prime2
        hash = (hash ^ (hash >> 29)) &* Self.prime3
        return hash ^ (hash >> 32)
    }

    @inline(__always)
    private mutating func consume(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        lane1 = Self.round(lane1, Self.word(bytes, offset))
        lane2 = Self.round(lane2, Self.word(bytes, offset + 8))
        lane3 = Self.round(lane3, Self.word(bytes, offset + 16))
        lane4 = Self.round(lane4, Self.word(bytes, offset + 24))
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotate(lane &+ word &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
        (value << bits) | (value >> (64 - bits))
    }
}
