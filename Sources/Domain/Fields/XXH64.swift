internal import CHash

/// XXH64, the 64-bit xxHash with seed 0: fast, stable across runs and machines, not for secrets.
///
/// Tells whether a body, an episode or a file has changed. `xxhsum -H1` prints the same number.
public struct XXH64: Sendable {
    private var state = HashState()

    public init() { hash_start(&state) }

    /// The hash of these bytes.
    public static func hash(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.withContiguousStorageIfAvailable { hash_of($0.baseAddress, $0.count) }
            ?? Array(bytes).withUnsafeBufferPointer { hash_of($0.baseAddress, $0.count) }
    }

    public static func hash(_ bytes: RawSpan) -> UInt64 {
        bytes.withUnsafeBytes { hash_of($0.baseAddress, $0.count) }
    }

    public mutating func update(_ bytes: some Collection<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ update($0.span.bytes) }) == nil { update(Array(bytes).span.bytes) }
    }

    public mutating func update(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { hash_add(&state, $0.baseAddress, $0.count) }
    }

    /// Hashes the eight bytes of the number, lowest first.
    public mutating func update(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { hash_add(&state, $0.baseAddress, $0.count) }
    }

    public func finish() -> UInt64 { withUnsafePointer(to: state, hash_value) }
}
