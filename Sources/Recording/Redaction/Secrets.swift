import Domain

/// Finds what must not be told: users, passwords, and tokens in URLs.
///
/// Nobody can tell a token from a name with certainty, so it errs on the side of secrecy: every value in a query is one, and
/// every part of a path that mixes letters and digits as no word does.
enum Secrets {
    /// Path segments that say that the next one is a secret.
    private static let labels: Set<String> = [
        "token", "tokens", "key", "keys", "private", "secret", "auth", "user", "users", "u", "t", "p", "member", "members",
    ]
    /// Parameters whose values are told by every feed of a server.
    private static let common: Set<String> = [
        "format", "feed", "type", "lang", "language", "page", "limit", "version", "v", "cat",
    ]
    private static let shortestToken = 6
    /// Shorter ones would be found everywhere in a body.
    private static let shortestSearched = 4

    /// Parameters that say that their value is a secret.
    private static let telling: Set<String> = [
        "token", "key", "auth", "secret", "password", "access_token", "auth_token", "api_key", "apikey", "signature",
    ]

    /// A secret part of a URL, as it is written in it.
    struct Part {
        let text: Substring
        let place: Place

        enum Place: Equatable {
            case login, path
            /// In lower case.
            case query(parameter: String)
        }
    }

    /// - Parameter url: or a relative reference.
    static func parts(of url: some StringProtocol) -> [Part] {
        let url = Substring(url)
        var parts: [Part] = []
        var path = url
        if let scheme = url.firstRange(of: "://") {
            let authority = url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            path = url[authority.endIndex...]
            if let at = authority.lastIndex(of: "@") {
                parts += authority[..<at].split(separator: ":", maxSplits: 1).map { Part(text: $0, place: .login) }
            }
        }
        let end = path.firstIndex { $0 == "?" || $0 == "#" } ?? path.endIndex
        parts += tokens(ofPath: path[..<end]).map { Part(text: $0, place: .path) }
        for pair in path[end...].split(whereSeparator: { "?&;#".contains($0) }) {
            if let sign = pair.firstIndex(of: "=") {
                let name = pair[..<sign].lowercased()
                parts.append(Part(text: pair[pair.index(after: sign)...], place: .query(parameter: name)))
            } else if isToken(pair) {
                parts.append(Part(text: pair, place: .query(parameter: "")))
            }
        }
        return parts.filter { !$0.text.isEmpty }
    }

    /// The parts of a feed's address that must not stand in a body either.
    static func searched(_ url: String) -> Set<String> {
        searched(url) { place in
            if case .query(let name) = place { !common.contains(name) } else { true }
        }
    }

    /// The parts of any URL in a body that call themselves secrets.
    static func evident(in url: String) -> Set<String> {
        searched(url) { place in
            switch place {
            case .login: true
            case .path: false
            case .query(let name): telling.contains(name)
            }
        }
    }

    private static func searched(_ url: String, if isSecret: (Part.Place) -> Bool) -> Set<String> {
        let parts = parts(of: url).filter { $0.text.utf8.count >= shortestSearched && isSecret($0.place) }
        return Set(parts.map { String($0.text) })
    }

    private static func tokens(ofPath path: Substring) -> [Substring] {
        var tokens: [Substring] = []
        var isLabelled = false
        for segment in path.split(separator: "/") {
            // An extension is none of it.
            let name = segment.lastIndex(of: ".").map { segment[..<$0] } ?? segment
            if isLabelled && name.utf8.count >= 4 || isToken(name) { tokens.append(name) }
            isLabelled = labels.contains(segment.lowercased())
        }
        return tokens
    }

    /// Letters and digits mixed as in no word: `x7k9q2`, a UUID, a hash; not `night-radio`, `season2` or `2024-01`.
    static func isToken(_ text: Substring) -> Bool {
        let bytes = Array(text.utf8)
        if bytes.count >= 32, bytes.allSatisfy({ isHex($0) || $0 == UInt8(ascii: "-") }) { return true }
        return bytes.split { "-_.~%+,:=".utf8.contains($0) }.contains { piece in
            guard piece.count >= shortestToken else { return false }
            // A word with a number before or behind it.
            let isNumber = piece.allSatisfy(isDigit)
            let word = piece.drop(while: isDigit).reversed().drop(while: isDigit)
            let isNumbered = piece.count - word.count <= 4 && !word.contains(where: isDigit)
            return !isNumber && !isNumbered || piece.count >= 32
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    private static func isHex(_ byte: UInt8) -> Bool { isDigit(byte) || (97...102).contains(byte | 32) }
}
