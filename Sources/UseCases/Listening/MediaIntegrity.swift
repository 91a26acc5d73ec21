import Domain

/// The checksum that a feed gives for an episode's media file: `podcast:integrity` of the alternate enclosure that is
/// the enclosure itself, because it is the default or has the enclosure's URL as a source.
///
/// The value has the form of W3C Subresource Integrity: digests with their algorithms, of which the strongest counts.
struct MediaIntegrity: Equatable, Sendable {
    /// The name used by OpenSSL.
    let algorithm: String
    /// In base 64, without padding. The file must match one of them.
    let digests: [String]

    /// nil if the feed gives none that can be checked.
    init?(of item: Item, enclosureURL: String?) {
        let alternates: [AlternateEnclosure] = item.extras.alternateEnclosures
        let named = alternates.filter { enclosureURL != nil && $0.sources.contains { $0.uri == enclosureURL } }
        // Without its URL, the default one describes the enclosure.
        for alternate in named.isEmpty ? alternates.filter({ $0.default == true }) : named {
            guard let integrity = alternate.integrity, integrity.type?.lowercased() == "sri",
                let value = integrity.value, let parsed = Self(value)
            else { continue }
            self = parsed
            return
        }
        return nil
    }

    private init?(_ value: String) {
        let words = value.split(whereSeparator: \.isWhitespace).compactMap { word -> (name: String, digest: String)? in
            let parts = word.prefix { $0 != "?" }.split(separator: "-", maxSplits: 1)
            guard parts.count == 2, !parts[1].isEmpty else { return nil }
            return (parts[0].lowercased(), String(parts[1]).filter { $0 != "=" })
        }
        let strongest = ["sha512", "sha384", "sha256"].first { name in words.contains { $0.name == name } }
        guard let strongest else { return nil }
        algorithm = strongest.uppercased()
        digests = words.filter { $0.name == strongest }.map(\.digest)
    }

    func holds(for digest: [UInt8]) -> Bool { digests.contains(Self.base64(digest)) }

    /// Without padding.
    private static func base64(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for letter in 0...group.count { text.append(letters[Int(bits >> UInt32(18 - 6 * letter) & 63)]) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
