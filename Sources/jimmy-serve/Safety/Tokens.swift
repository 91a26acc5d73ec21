import CDigest
import Glibc

/// Secrets that nobody can guess, and what is stored of them.
enum Token {
    /// 256 bits in hex.
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in hex(generator.next() as UInt64) }.joined()
    }

    /// What a file keeps of a token, so that the file alone opens nothing. nil if this machine lacks libcrypto.
    static func digest(_ token: String) -> String? {
        guard let digest = digest_new("SHA256") else { return nil }
        defer { digest_free(digest) }
        let bytes = Array(token.utf8)
        var sum = [UInt8](repeating: 0, count: Int(DIGEST_MAX_SIZE))
        guard digest_add(digest, bytes, bytes.count) else { return nil }
        let count = Int(digest_finish(digest, &sum))
        guard count == 32 else { return nil }
        return sum[..<count].map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
    }

    private static func hex(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
