internal import CDigest

/// The digest that signs requests to Podcast Index.
enum SHA1 {
    /// In lower-case hex; nil if libcrypto is missing.
    static func hex(_ text: String) -> String? {
        guard let digest = digest_new("SHA1") else { return nil }
        defer { digest_free(digest) }
        let bytes = Array(text.utf8)
        var sum = [UInt8](repeating: 0, count: Int(DIGEST_MAX_SIZE))
        guard digest_add(digest, bytes, bytes.count) else { return nil }
        let count = Int(digest_finish(digest, &sum))
        guard count == 20 else { return nil }
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: sum[..<count].flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
