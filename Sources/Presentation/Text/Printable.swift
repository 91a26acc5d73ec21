/// Text in feeds is untrusted: text for a terminal must not have control characters or characters that change the
/// reading direction (bidirectional overrides and isolates).
extension String {
    /// The text on one line: line breaks, tabs and runs of blanks become one space. At most `markLimit` combining marks
    /// in a row are kept, so that the number of bytes stays close to that of columns.
    public var oneLine: String {
        if utf8.allSatisfy({ (0x21...0x7E).contains($0) }) { return self }
        var result = String.UnicodeScalarView()
        var pendingSpace = false
        var marks = 0
        for scalar in unicodeScalars {
            marks = scalar.isASCII || scalar.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
            if marks > Self.markLimit { continue }
            if scalar.isBlank {
                pendingSpace = !result.isEmpty
            } else if !scalar.isUnprintable {
                if pendingSpace { result.append(" ") }
                pendingSpace = false
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// The text on one line with all of its blanks, for what scripts use as it is, such as a path.
    public var exactLine: String { String(String.UnicodeScalarView(unicodeScalars.filter { !$0.isUnprintable })) }

    /// No writing system needs more. Source: the Stream-Safe Text Format (UAX #15, section 13).
    private static let markLimit = 30

    /// The printable text, with its line breaks.
    public var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { $0 == "\n" || !$0.isUnprintable }))
    }
}

extension String {
    /// The text without user and password of any URL, since errors repeat what was typed, and are mailed and logged.
    var withoutSecrets: String {
        guard contains("@") else { return self }
        var result = ""
        var remaining = self[...]
        while let start = remaining.firstRange(of: "//") {
            result += remaining[..<start.upperBound]
            remaining = remaining[start.upperBound...]
            let authority = remaining.prefix { !"/?#\\ '\"".contains($0) }
            if let at = authority.lastIndex(of: "@") { remaining = remaining[remaining.index(after: at)...] }
        }
        return result + remaining
    }
}

extension Unicode.Scalar {
    fileprivate var isBlank: Bool { isASCII ? self == " " || (0x09...0x0D).contains(value) : properties.isWhitespace }

    fileprivate var isUnprintable: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029, 0xFEFF: true
        default: false
        }
    }
}
