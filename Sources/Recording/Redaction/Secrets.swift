import Domain

/// Finds secrets in URLs: users, passwords, and tokens.
///
/// A token cannot be told from a name with certainty, so this errs on the side of secrecy: every value in a query
/// counts as a secret, and so does every part of a path that mixes letters and digits as no word does.
enum Secrets {
    /// Path segments after which the next segment is a secret.
    private static let labels: Set<String> = [
        "token", "tokens", "key", "keys", "private", "secret", "auth", "user", "users", "u", "t", "p", "member", "members",
    ]
    /// Parameters whose values occur in every feed of a server.
    private static let common: Set<String> = [
        "format", "feed", "type", "lang", "language", "page", "limit", "version", "v", "cat",
    ]
    private static let minTokenLength = 6
    /// Shortest secret that is searched in bodies; shorter ones would occur everywhere.
    private static let minSearchedLength = 4

    /// Names of parameters whose values are secrets.
    private static let secretParameters: Set<String> = [
        "token", "key", "auth", "secret", "password", "access_token", "auth_token", "api_key", "apikey", "signature",
    ]

    /// A secret part of a URL, in its written form.
    struct Part {
        let text: Substring
        let component: Component

        enum Component: Equatable {
            case login, path
            /// The parameter's name is in lower case.
            case query(parameter: String)
        }
    }

    /// - Parameter url: a URL or a relative reference.
    static func parts(of url: some StringProtocol) -> [Part] {
        let url = Substring(url)
        var parts: [Part] = []
        var path = url
        if let scheme = url.firstRange(of: "://") {
            let authority = url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            path = url[authority.endIndex...]
            if let at = authority.lastIndex(of: "@") {
                parts += authority[..<at].split(separator: ":", maxSplits: 1).map { Part(text: $0, component: .login) }
            }
        }
        let end = path.firstIndex { $0 == "?" || $0 == "#" } ?? path.endIndex
        parts += tokens(ofPath: path[..<end]).map { Part(text: $0, component: .path) }
        for pair in path[end...].split(whereSeparator: { "?&;#".contains($0) }) {
            if let sign = pair.firstIndex(of: "=") {
                let name = pair[..<sign].lowercased()
                parts.append(Part(text: pair[pair.index(after: sign)...], component: .query(parameter: name)))
            } else if isToken(pair) {
                parts.append(Part(text: pair, component: .query(parameter: "")))
            }
        }
        return parts.filter { !$0.text.isEmpty }
    }

    /// The parts of a feed's address that must not appear in a body either.
    static func searched(_ url: String) -> Set<String> {
        searched(url) { component in
            if case .query(let name) = component { !common.contains(name) } else { true }
        }
    }

    /// The secrets in any URL of a body that are named as such.
    static func evident(in url: String) -> Set<String> {
        searched(url) { component in
            switch component {
            case .login: true
            case .path: false
            case .query(let name): secretParameters.contains(name)
            }
        }
    }

    private static func searched(_ url: String, if isSecret: (Part.Component) -> Bool) -> Set<String> {
        let parts = parts(of: url).filter { $0.text.utf8.count >= minSearchedLength && isSecret($0.component) }
        return Set(parts.map { String($0.text) })
    }

    private static func tokens(ofPath path: Substring) -> [Substring] {
        var tokens: [Substring] = []
        var isLabelled = false
        for segment in path.split(separator: "/") {
            // An extension is not part of the token.
            let name = segment.lastIndex(of: ".").map { segment[..<$0] } ?? segment
            if isLabelled && name.utf8.count >= 4 || isToken(name) { tokens.append(name) }
            isLabelled = labels.contains(segment.lowercased())
        }
        return tokens
    }

    /// True if letters and digits are mixed as in no word: `x7k9q2`, a UUID, a hash; not `night-radio`, `season2` or
    /// `2024-01`.
    static func isToken(_ text: Substring) -> Bool {
        let bytes = Array(text.utf8)
        if bytes.count >= 32, bytes.allSatisfy({ isHex($0) || $0 == UInt8(ascii: "-") }) { return true }
        return bytes.split { "-_.~%+,:=".utf8.contains($0) }.contains { piece in
            guard piece.count >= minTokenLength else { return false }
            // A word with a number before or after it does not count.
            let isNumber = piece.allSatisfy(isDigit)
            let word = piece.drop(while: isDigit).reversed().drop(while: isDigit)
            let isNumbered = piece.count - word.count <= 4 && !word.contains(where: isDigit)
            return !isNumber && !isNumbered || piece.count >= 32
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    private static func isHex(_ byte: UInt8) -> Bool { isDigit(byte) || (97...102).contains(byte | 32) }
}
