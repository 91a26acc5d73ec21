internal import Glibc

extension Span<UInt8> {
    /// True if these bytes stand at the offset; faster than a loop.
    public func contains(_ bytes: [UInt8], at offset: Int) -> Bool {
        guard offset >= 0, bytes.count <= count - offset else { return false }
        return withUnsafeBytes { own in
            bytes.withUnsafeBytes { wanted in
                guard let own = own.baseAddress, let wanted = wanted.baseAddress else { return wanted.isEmpty }
                return memcmp(own + offset, wanted, bytes.count) == 0
            }
        }
    }
}
