import CDigest
import Glibc

/// Random secrets, and the digests under which they are stored.
enum Token {
    /// 256 bits in hex.
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in hex(generator.next() as UInt64) }.joined()
    }

    /// The digest under which a token is stored, so that the file alone gives no access; nil if this machine lacks
    /// libcrypto.
    static func digest(_ token: String) -> String? { Digest.sum("SHA256", of: Array(token.utf8)).map(Digest.hex) }

    private static func hex(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}

enum Digest {
    /// - Parameter name: a name such as `SHA256`.
    /// - Returns: nil if this machine lacks libcrypto, or libcrypto lacks the digest.
    static func sum(_ name: String, of bytes: [UInt8]) -> [UInt8]? {
        guard let digest = digest_new(name) else { return nil }
        defer { digest_free(digest) }
        var sum = [UInt8](repeating: 0, count: Int(DIGEST_MAX_SIZE))
        guard bytes.isEmpty || digest_add(digest, bytes, bytes.count) else { return nil }
        let count = Int(digest_finish(digest, &sum))
        return count > 0 ? Array(sum[..<count]) : nil
    }

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
    }

    /// A keyed digest. Source: RFC 2104.
    static func authentication(_ name: String, of bytes: [UInt8], key: [UInt8]) -> [UInt8]? {
        let block = name == "SHA384" || name == "SHA512" ? 128 : 64
        guard let short = key.count > block ? sum(name, of: key) : key else { return nil }
        let padded = short + [UInt8](repeating: 0, count: block - short.count)
        return sum(name, of: padded.map { $0 ^ 0x36 } + bytes).flatMap { sum(name, of: padded.map { $0 ^ 0x5C } + $0) }
    }
}
