/// An absolute http or https URL in its parts, normalised just enough that equal requests compare equal:
/// scheme and host in lower case, no default port, no dot segments, no fragment, nothing that must be escaped.
///
/// Paths keep their letter case and their escapes. Sources: RFC 3986; the escapes are those of the WHATWG URL Standard.
public struct WebURL: Hashable, Sendable {
    /// `http` or `https`.
    public let scheme: String
    /// A name in lower case, an IPv4 address, or an IPv6 address in brackets.
    public let host: String
    /// nil where it is the scheme's own.
    public let port: Int?
    /// Begins with a slash.
    public let path: String
    /// Without the question mark.
    public let query: String?
    /// What stood before the `@`; no part of `text`.
    public let credentials: Credentials?

    /// nil where the text is no absolute http or https URL with a host.
    public init?(_ text: String) {
        guard let parts = URLParts(text), let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let authority = parts.authority, let place = Authority(authority)
        else { return nil }
        self.scheme = scheme
        host = place.host
        port = place.port == (scheme == "http" ? 80 : 443) ? nil : place.port
        path = parts.path.isEmpty ? "/" : URLReference.removingDotSegments(parts.path)
        query = parts.query
        credentials = place.credentials
    }

    /// The URL to ask for, without user and password.
    public var text: String { root + path + (query.map { "?" + $0 } ?? "") }

    /// Scheme, host and port: the server whose patience is limited, and to which credentials belong.
    public var hostKey: String { root.hasSuffix(".") ? String(root.dropLast()) : root }

    private var root: String { "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "") }

    /// What `reference` means on the page with this URL. nil where that is neither http nor https.
    public func resolving(_ reference: String) -> WebURL? {
        let isEmpty = reference.utf8.allSatisfy { $0 <= 32 }
        return isEmpty ? nil : WebURL(URLReference.resolve(reference, against: text))
    }
}

/// The five parts of a URI reference (RFC 3986, appendix B), without the fragment.
struct URLParts {
    var scheme: String?
    var authority: String?
    var path: String
    var query: String?

    /// nil where the text holds nothing, or more than any server reads.
    init?(_ text: String) {
        var rest = Substring(URLParts.escaped(text))
        guard !rest.isEmpty, rest.utf8.count <= 8_192 else { return nil }
        if let hash = rest.firstIndex(of: "#") { rest = rest[..<hash] }
        if let colon = rest.firstIndex(of: ":"), URLParts.isScheme(rest[..<colon]) {
            scheme = String(rest[..<colon])
            rest = rest[rest.index(after: colon)...]
        }
        if let mark = rest.firstIndex(of: "?") {
            query = String(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        }
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: "/") ?? rest.endIndex
            authority = String(rest[..<end])
            rest = rest[end...]
        }
        path = String(rest)
    }

    static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || (48...57).contains($0) || $0 == 43 || $0 == 45 || $0 == 46 }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 32) }

    /// Trims white space, drops line breaks and tabs, and escapes what may not stand in a URL.
    /// Backslashes are slashes, as browsers have it, outside the query.
    private static func escaped(_ text: String) -> String {
        var bytes = [UInt8]()
        bytes.reserveCapacity(text.utf8.count)
        var beforeQuery = true
        var inAuthority = false
        let utf8 = Array(text.utf8)
        guard let first = utf8.firstIndex(where: { $0 > 32 }), let last = utf8.lastIndex(where: { $0 > 32 }) else {
            return ""
        }
        for byte in utf8[first...last] {
            switch byte {
            case 9, 10, 13: continue
            case 92 where beforeQuery: bytes.append(47)
            case 0x21, 0x23...0x3B, 0x3D, 0x3F...0x5F, 0x61...0x7A, 0x7C, 0x7E: bytes.append(byte)
            case 0x80... where inAuthority: bytes.append(byte)
            default: bytes += [37, hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
            if byte == 63 || byte == 35 { beforeQuery = false }
            let count = bytes.count
            if count >= 2, bytes[count - 1] == 47, bytes[count - 2] == 47, count == 2 || bytes[count - 3] == 58 {
                inAuthority = beforeQuery
            } else if byte == 47 || byte == 92 || byte == 63 || byte == 35 {
                inAuthority = false
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A path of this machine as it stands in a URL.
    static func escapedPath(_ path: String) -> String {
        var bytes = [UInt8]()
        for byte in path.utf8 {
            let isPlain = (45...57).contains(byte) || (97...122).contains(byte | 32) || byte == 95 || byte == 126
            if isPlain { bytes.append(byte) } else { bytes += [37, hex[Int(byte >> 4)], hex[Int(byte & 15)]] }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Takes percent escapes back; bytes that are no UTF-8 are replaced.
    static func unescaped(_ text: Substring) -> String {
        var bytes = [UInt8]()
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == 37, rest.count >= 2, let value = UInt8(String(Substring(rest.prefix(2))), radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let hex = Array("0123456789ABCDEF".utf8)
}

/// User, password, host and port.
private struct Authority {
    let host: String
    let port: Int?
    let credentials: Credentials?

    init?(_ text: String) {
        var place = Substring(text)
        var credentials: Credentials?
        if let at = place.lastIndex(of: "@") {
            let login = place[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let user = URLParts.unescaped(login[0])
            let password = login.count > 1 ? URLParts.unescaped(login[1]) : ""
            if !user.isEmpty || !password.isEmpty { credentials = Credentials(user: user, password: password) }
            place = place[place.index(after: at)...]
        }
        self.credentials = credentials

        let nameEnd: Substring.Index
        if place.hasPrefix("[") {
            guard let bracket = place.firstIndex(of: "]") else { return nil }
            nameEnd = place.index(after: bracket)
            guard place[..<nameEnd].dropFirst().dropLast().utf8.allSatisfy(Authority.isInIPv6) else { return nil }
        } else {
            nameEnd = place.lastIndex(of: ":") ?? place.endIndex
            guard place[..<nameEnd].utf8.allSatisfy(Authority.isInName) else { return nil }
        }
        host = place[..<nameEnd].lowercased()
        guard !host.isEmpty, host.utf8.count <= 1_024, host != "." else { return nil }

        let digits = place[nameEnd...]
        if digits.isEmpty || digits == ":" {
            port = nil
        } else {
            guard digits.first == ":", let number = UInt16(digits.dropFirst()), number > 0, digits.utf8.dropFirst().first != 43
            else { return nil }
            port = Int(number)
        }
    }

    private static func isInIPv6(_ byte: UInt8) -> Bool {
        (48...58).contains(byte) || (97...102).contains(byte | 32) || byte == 46
    }

    /// Letters, digits, `-`, `.`, `_`, and everything beyond ASCII (internationalised names).
    private static func isInName(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (97...122).contains(byte | 32) || byte == 45 || byte == 46 || byte == 95 || byte >= 128
    }
}
