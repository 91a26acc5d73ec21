/// Recognizes feed URLs that let anybody read a private feed.
public enum PrivateURL {
    private static let parameters: Set = [
        "token", "key", "auth", "secret", "password", "access_token", "auth_token", "api_key", "apikey", "signature", "sig",
        "uid",
    ]
    private static let minTokenLength = 16

    /// True if a parameter is named like a secret, or a part of the URL looks like a random key.
    public static func isLikely(_ url: String) -> Bool {
        let address = url.firstRange(of: "://").map { url[$0.upperBound...].drop { $0 != "/" } } ?? url[...]
        let parts = address.split { "/?&;#".contains($0) }
        return parts.contains { part in
            let pair = part.split(separator: "=", maxSplits: 1)
            if pair.count == 2, parameters.contains(pair[0].lowercased()) { return true }
            return pair.last.map { isToken($0) } ?? false
        }
    }

    /// Letters and digits mixed as no word has them.
    private static func isToken(_ text: Substring) -> Bool {
        guard text.utf8.count >= minTokenLength, text.utf8.allSatisfy({ isDigit($0) || isLetter($0) || $0 == 0x2D || $0 == 0x5F })
        else { return false }
        let changes = zip(text.utf8, text.utf8.dropFirst()).count { isDigit($0) != isDigit($1) }
        return changes >= 4
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }
}
