/// The parts of an absolute http or https URL, normalized just enough for equal requests to compare equal: scheme and
/// host in lower case, no default port, no dot segments, no fragment, and everything escaped that must be.
///
/// Paths keep their letter case and their escapes. Sources: RFC 3986; the escapes are those of the WHATWG URL Standard.
public struct WebURL: Equatable, Sendable {
    /// `http` or `https`.
    public let scheme: String
    /// A name in lower case and in ASCII (`xn--mnchen-3ya.de`), an IPv4 address, or an IPv6 address in brackets.
    public let host: String
    /// nil if it is the scheme's default.
    public let port: Int?
    /// Begins with a slash.
    public let path: String
    /// Scheme, host and port: the unit of politeness limits and credentials.
    public let hostKey: String
    /// The URL to request, without user and password.
    public let text: String
    /// The user and password before the `@`; not part of `text`.
    public let credentials: Credentials?

    /// nil if the text is not an absolute http or https URL with a host.
    public init?(_ text: String) {
        guard let parts = URLParts(text), let authority = Authority(parts.authority) else { return nil }
        switch parts.scheme {
        case "http", "https": scheme = parts.scheme
        default: return nil
        }
        host = authority.host
        port = authority.port == (scheme == "http" ? 80 : 443) ? nil : authority.port
        path = parts.path.isEmpty ? "/" : URLReference.removingDotSegments(parts.path)
        let root = "\(scheme)://\(host)"
        let key = port.map { "\(root):\($0)" } ?? root
        hostKey = key
        self.text = key + path + parts.query
        credentials = authority.credentials
    }

    /// True if credentials for this server may be sent to `other`: the same server, or the same name over TLS.
    public func sharesCredentials(with other: WebURL) -> Bool {
        if hostKey == other.hostKey { return true }
        return scheme == "http" && other.scheme == "https" && host == other.host && port == nil && other.port == nil
    }

    /// The reference resolved against this URL; nil if the result is neither http nor https.
    public func resolving(_ reference: String) -> WebURL? {
        let isEmpty = reference.utf8.allSatisfy { $0 <= 32 }
        return isEmpty ? nil : WebURL(URLReference.resolve(reference, against: text))
    }
}

/// The parts of an absolute URL with an authority (RFC 3986, appendix B), without the fragment.
private struct URLParts {
    /// In lower case.
    let scheme: String
    let authority: ArraySlice<UInt8>
    /// Empty, or with its slash.
    let path: String
    /// Empty, or with its question mark.
    let query: String

    /// No server accepts a longer URL.
    private static let maxLength = 8_192

    init?(_ text: String) {
        var remaining = PercentEscapes.escaping(text)[...]
        guard remaining.count <= URLParts.maxLength, let colon = remaining.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        scheme = String(decoding: remaining[..<colon], as: UTF8.self).lowercased()
        remaining = remaining[(colon + 1)...]
        let slash = UInt8(ascii: "/")
        guard remaining.starts(with: [slash, slash]) else { return nil }
        remaining = remaining.dropFirst(2)
        let afterSlashes = remaining
        if let hash = remaining.firstIndex(of: UInt8(ascii: "#")) { remaining = remaining[..<hash] }
        let mark = remaining.firstIndex(of: UInt8(ascii: "?")) ?? remaining.endIndex
        query = String(decoding: remaining[mark...], as: UTF8.self)
        let end = remaining[..<mark].firstIndex(of: slash) ?? mark
        authority = remaining[..<end]
        path = String(decoding: remaining[end..<mark], as: UTF8.self)
        // In `user:p@ss#word@host` the password would become a host, which is asked for.
        let at = UInt8(ascii: "@")
        if path.isEmpty, authority.contains(at), afterSlashes[end...].contains(at) { return nil }
    }
}

/// User, password, host and port.
private struct Authority {
    let host: String
    let port: Int?
    let credentials: Credentials?

    init?(_ bytes: ArraySlice<UInt8>) {
        var hostAndPort = bytes
        if let at = hostAndPort.lastIndex(of: UInt8(ascii: "@")) {
            let login = hostAndPort[..<at].split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            let user = PercentEscapes.removing(from: login[0])
            let password = login.count > 1 ? PercentEscapes.removing(from: login[1]) : ""
            credentials = user.isEmpty && password.isEmpty ? nil : Credentials(user: user, password: password)
            hostAndPort = hostAndPort[(at + 1)...]
        } else {
            credentials = nil
        }

        let nameEnd: Int
        if hostAndPort.first == UInt8(ascii: "[") {
            guard let bracket = hostAndPort.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            nameEnd = bracket + 1
            guard hostAndPort[..<bracket].dropFirst().allSatisfy(Authority.isInIPv6) else { return nil }
        } else {
            nameEnd = hostAndPort.lastIndex(of: UInt8(ascii: ":")) ?? hostAndPort.endIndex
            guard hostAndPort[..<nameEnd].allSatisfy(Authority.isInName) else { return nil }
        }
        // A name with a trailing dot is the same name, and no certificate contains one.
        let name = hostAndPort[..<nameEnd].last == UInt8(ascii: ".") ? hostAndPort[..<(nameEnd - 1)] : hostAndPort[..<nameEnd]
        guard let host = Authority.normalized(name) else { return nil }
        self.host = host
        guard !host.isEmpty, host.utf8.count <= 1_024, host.utf8.last != UInt8(ascii: ".") else { return nil }

        let digits = hostAndPort[nameEnd...].dropFirst()
        if digits.isEmpty {
            port = nil
        } else {
            guard hostAndPort[nameEnd] == UInt8(ascii: ":"), digits.allSatisfy({ (48...57).contains($0) }),
                let number = UInt16(String(decoding: digits, as: UTF8.self)), number > 0
            else { return nil }
            port = Int(number)
        }
    }

    /// The name in lower case and ASCII; nil if it is invalid.
    private static func normalized(_ bytes: ArraySlice<UInt8>) -> String? {
        let name = String(decoding: bytes, as: UTF8.self)
        guard bytes.contains(where: { $0 >= 128 }) else { return name.lowercased() }
        // Some characters, such as `℀`, are mapped to characters that would end a host name.
        return HostName.ascii(name).flatMap { $0.utf8.allSatisfy(isInName) ? $0 : nil }
    }

    private static func isInIPv6(_ byte: UInt8) -> Bool {
        (48...58).contains(byte) || (97...102).contains(byte | 32) || byte == UInt8(ascii: ".")
    }

    /// Letters, digits, `-`, `.`, `_`, and everything beyond ASCII (internationalized names).
    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), 128...: true
        default: false
        }
    }
}
