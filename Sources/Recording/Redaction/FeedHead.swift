/// The part of a feed before its first item, and the secrets in it.
///
/// A feed contains its own address, and possibly the addresses of its next page and its new location. In these, tokens
/// of the requested address count as secrets. All other URLs, such as that of a picture, are meant for everybody who
/// reads the feed; in them only parameters that are named as secrets count.
enum FeedHead {
    /// Maximum size in bytes; nothing after it is examined.
    static let limit = 64 << 10

    /// True if these bytes contain everything before the first item.
    static func isWhole(_ bytes: [UInt8]) -> Bool { bytes.count >= limit || firstItem(in: bytes) != nil }

    /// - Parameter bytes: a feed or its beginning, or any other page.
    static func secrets(of bytes: [UInt8]) -> Set<String> {
        let units = CodeUnits(of: bytes)
        let bytes = units == .bytes ? bytes : units.utf8(Array(bytes.prefix(limit)))
        let head = Array(bytes.prefix(firstItem(in: bytes) ?? limit))
        let isJSON = head.first { $0 > 32 } == UInt8(ascii: "{")
        let own = isJSON ? addresses(inJSON: head) : addresses(inXML: head)
        return Set(own.flatMap(Secrets.searched) + urls(in: head).flatMap(Secrets.evident))
    }

    private static func firstItem(in bytes: [UInt8]) -> Int? {
        var first: Int?
        for beginning in ["<item", "<entry", "\"items\""] {
            first = bytes.firstOffset(of: Array(beginning.utf8), before: first) ?? first
        }
        return first
    }

    private static func urls(in head: [UInt8]) -> [String] {
        var urls: [String] = []
        var start = 0
        while let scheme = head.firstOffset(of: Array("http".utf8), from: start) {
            let url = head[scheme...].prefix { $0 > 32 && !"\"'<>\\".utf8.contains($0) }
            start = scheme + max(4, url.count)
            urls.append(text(url))
        }
        return urls
    }

    // MARK: The feed's own addresses

    /// Relations of links to the feed itself (RFC 4287, RFC 5005).
    private static let relations = ["self", "current", "next", "prev", "first", "last", "archive"]

    /// The words in `<atom:link rel="self" …>` and similar links, and the text of `<itunes:new-feed-url>`.
    private static func addresses(inXML head: [UInt8]) -> [String] {
        var addresses: [String] = []
        var isNewAddress = false
        for piece in head.split(separator: UInt8(ascii: "<")) {
            let tag = piece.prefix { $0 != UInt8(ascii: ">") }
            let name = tag.prefix { $0 > 32 }.split(separator: UInt8(ascii: ":")).last.map(text)
            if isNewAddress, tag.starts(with: "![CDATA[".utf8) {
                addresses += words(of: tag.dropFirst(8).prefix { $0 != UInt8(ascii: "]") })
            }
            isNewAddress = name == "new-feed-url"
            if isNewAddress { addresses += words(of: piece[tag.endIndex...].dropFirst()) }
            if name == "link", relations.contains(where: text(tag).contains) { addresses += words(of: tag) }
        }
        return addresses
    }

    private static func words(of bytes: ArraySlice<UInt8>) -> [String] {
        bytes.split { $0 <= 32 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }.map(text)
    }

    private static func addresses(inJSON head: [UInt8]) -> [String] {
        let texts = head.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        return zip(texts, texts.dropFirst(2)).compactMap { name, value in
            name.elementsEqual("feed_url".utf8) || name.elementsEqual("next_url".utf8)
                ? text(value).replacing("\\/", with: "/") : nil
        }
    }

    /// Decodes text. In XML, an ampersand is written as a reference.
    private static func text(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).replacing("&amp;", with: "&")
    }
}
