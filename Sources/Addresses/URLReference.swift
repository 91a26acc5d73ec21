/// Resolves URL references as strings, so that an absolute URL stays exactly as the feed wrote it.
///
/// Source: RFC 3986, section 5.2.
public enum URLReference {
    /// The reference resolved against `base`; unchanged if it is absolute or the base is unusable. Surrounding blanks
    /// are removed and blanks inside percent-encoded.
    public static func resolve(_ reference: String, against base: String?) -> String {
        let reference = clean(reference)
        if schemeEnd(reference.utf8) != nil { return reference }
        guard let base, let parts = Parts(absolute: clean(base)) else { return reference }
        return parts.resolve(reference)
    }

    /// The scheme in lower case; nil for a relative reference.
    public static func scheme(of url: String) -> String? {
        schemeEnd(url.utf8).map { url[..<$0].lowercased() }
    }

    /// True if the text is an absolute http or https URL.
    public static func isWeb(_ url: String) -> Bool {
        let scheme = scheme(of: url)
        return scheme == "http" || scheme == "https"
    }

    /// Trims, removes line breaks and tabs, and encodes blanks as `%20`.
    private static func clean(_ text: String) -> String {
        var text = text
        // `withUTF8` iterates over the bytes directly, which matters because every URL of every feed passes through
        // here.
        guard text.withUTF8({ $0.contains { $0 <= 32 } }) else { return text }
        var bytes = Array(text.utf8)
        while let last = bytes.last, last <= 32 { bytes.removeLast() }
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count + 16)
        for byte in bytes.drop(while: { $0 <= 32 }) {
            if byte == 32 {
                out.append(contentsOf: "%20".utf8)
            } else if byte > 32 {
                out.append(byte)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// The index of the colon that ends the scheme.
    private static func schemeEnd(_ text: String.UTF8View) -> String.Index? {
        guard let first = text.first, isLetter(first), let end = text.firstIndex(where: { !isSchemeByte($0) }),
            text[end] == UInt8(ascii: ":")
        else { return nil }
        return end
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) || (97...122).contains(byte) }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || (48...57).contains(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }

    /// The parts of a base URL, each with its delimiter.
    private struct Parts {
        /// `https:`
        var scheme: Substring
        /// `//user@host:port`, or empty.
        var authority: Substring
        var path: Substring
        /// `?a=1`, or empty.
        var query: Substring

        init?(absolute url: String) {
            guard let colon = schemeEnd(url.utf8) else { return nil }
            let afterColon = url.index(after: colon)
            scheme = url[..<afterColon]
            var remaining = url[afterColon...]
            if let hash = remaining.firstIndex(of: "#") { remaining = remaining[..<hash] }
            let queryStart = remaining.firstIndex(of: "?") ?? remaining.endIndex
            query = remaining[queryStart...]
            remaining = remaining[..<queryStart]
            let pathStart: Substring.Index
            if remaining.hasPrefix("//") {
                pathStart = remaining.dropFirst(2).firstIndex(of: "/") ?? remaining.endIndex
            } else {
                pathStart = remaining.startIndex
            }
            authority = remaining[..<pathStart]
            path = remaining[pathStart...]
            // `urn:x` and `mailto:x` have no hierarchy to resolve against.
            if authority.isEmpty, !path.hasPrefix("/") { return nil }
        }

        func resolve(_ reference: String) -> String {
            if reference.isEmpty { return "\(scheme)\(authority)\(path)\(query)" }
            if reference.hasPrefix("//") { return "\(scheme)\(reference)" }
            if reference.hasPrefix("#") { return "\(scheme)\(authority)\(path)\(query)\(reference)" }
            if reference.hasPrefix("?") { return "\(scheme)\(authority)\(path)\(reference)" }
            let pathEnd = reference.firstIndex { $0 == "?" || $0 == "#" } ?? reference.endIndex
            let merged: String
            if reference.hasPrefix("/") {
                merged = String(reference[..<pathEnd])
            } else if let slash = path.lastIndex(of: "/") {
                merged = String(path[...slash]) + reference[..<pathEnd]
            } else {
                merged = "/" + reference[..<pathEnd]
            }
            return "\(scheme)\(authority)\(URLReference.removingDotSegments(merged))\(reference[pathEnd...])"
        }
    }

    /// Source: RFC 3986, section 5.2.4, for a path that begins with a slash.
    static func removingDotSegments(_ path: String) -> String {
        // Checked first because every URL passes through here, and most have no dot segments.
        var isAfterSlash = false
        let hasDots = path.utf8.contains { byte in
            defer { isAfterSlash = byte == UInt8(ascii: "/") }
            return isAfterSlash && byte == UInt8(ascii: ".")
        }
        guard hasDots else { return path }
        var resolved: [Substring] = []
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".":
                if isLast { resolved.append("") }
            case "..":
                _ = resolved.popLast()
                if isLast { resolved.append("") }
            default:
                resolved.append(segment)
            }
        }
        return "/" + resolved.joined(separator: "/")
    }
}
