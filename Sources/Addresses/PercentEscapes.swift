/// Percent-encoding and decoding (RFC 3986, section 2.1).
enum PercentEscapes {
    /// A URL that can be sent: surrounding white space, line breaks and tabs are removed, and characters that a URL
    /// must not contain are escaped. Backslashes before the query become slashes, as in browsers. Host names are left
    /// unchanged.
    static func escaping(_ url: String) -> [UInt8] {
        let raw = Array(url.utf8)
        if raw.allSatisfy({ isPlain($0) && $0 != UInt8(ascii: "\\") }) { return raw }
        guard let first = raw.firstIndex(where: { $0 > 32 }), let last = raw.lastIndex(where: { $0 > 32 }) else { return [] }
        var bytes = [UInt8]()
        bytes.reserveCapacity(raw.count + 16)
        // Scheme and host end at the third slash; the path ends at the first `?` or `#`.
        var slashes = 0
        var isBeforeQuery = true
        for var byte in raw[first...last] {
            if byte == UInt8(ascii: "\\"), isBeforeQuery { byte = UInt8(ascii: "/") }
            switch byte {
            case 9, 10, 13: continue
            case 128... where slashes < 3 && isBeforeQuery: bytes.append(byte)
            case _ where isPlain(byte): bytes.append(byte)
            default: append(byte, to: &bytes)
            }
            if byte == UInt8(ascii: "/") { slashes += 1 }
            if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { isBeforeQuery = false }
        }
        return bytes
    }

    /// A local path, escaped for use in a URL.
    static func escaping(path: String) -> String {
        var bytes = [UInt8]()
        for byte in path.utf8 {
            switch byte {
            case 45...57, 65...90, 97...122, UInt8(ascii: "_"), UInt8(ascii: "~"): bytes.append(byte)
            default: append(byte, to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Invalid UTF-8 is replaced by U+FFFD.
    static func removing(from text: some Collection<UInt8>) -> String {
        var bytes = [UInt8]()
        var remaining = Array(text)[...]
        while let byte = remaining.popFirst() {
            if byte == UInt8(ascii: "%"), remaining.count >= 2, let high = digit(remaining[remaining.startIndex]),
                let low = digit(remaining[remaining.startIndex + 1])
            {
                bytes.append(high << 4 | low)
                remaining = remaining.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// True if a URL may contain the byte as it is; `%` counts.
    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), 0x23...0x3B, UInt8(ascii: "="), 0x3F...0x5F, 0x61...0x7A, UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
    }

    private static let hex = Array("0123456789ABCDEF".utf8)

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}
