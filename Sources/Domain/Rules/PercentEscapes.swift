/// Percent escapes of URLs (RFC 3986, 2.1), put in and taken out.
enum PercentEscapes {
    /// A URL as it may be sent: white space around it gone, line breaks and tabs dropped, what may not stand in a URL
    /// escaped. Backslashes before the query are slashes, as browsers have it. Host names keep their letters.
    static func escaping(_ url: String) -> [UInt8] {
        let raw = Array(url.utf8)
        if raw.allSatisfy({ isPlain($0) && $0 != UInt8(ascii: "\\") }) { return raw }
        guard let first = raw.firstIndex(where: { $0 > 32 }), let last = raw.lastIndex(where: { $0 > 32 }) else { return [] }
        var bytes = [UInt8]()
        bytes.reserveCapacity(raw.count + 16)
        // Scheme and host end at the third slash; what follows the first `?` or `#` is no path.
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

    /// A path of this machine as it stands in a URL.
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

    /// Bytes that are no UTF-8 are replaced.
    static func removing(from text: some Collection<UInt8>) -> String {
        var bytes = [UInt8]()
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let high = digit(rest[rest.startIndex]),
                let low = digit(rest[rest.startIndex + 1])
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What may stand in a URL as it is, escapes included.
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
