/// The argument parser's help with jimmy's own headings.
public enum HelpText {
    /// - Parameters:
    ///   - text: any text of the parser; only help pages are changed.
    ///   - width: columns of the terminal. The parser breaks all lines except the synopsis and the last one.
    public static func edited(_ text: String, width: Int) -> String {
        guard text.hasPrefix("OVERVIEW: ") else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { raw -> String in
            let line = raw.replacing("<subcommand>", with: "<command>")
            switch line {
            case "SUBCOMMANDS:": return "COMMANDS:"
            case "EVERYDAY SUBCOMMANDS:": return "EVERYDAY COMMANDS:"
            case _ where line.hasPrefix("USAGE: "): return synopsis(line, width)
            case _ where line.hasPrefix("  See 'jimmy help "):
                return String(line).wrapped(to: max(width - 2, 20))
                    .map { "  " + $0 }.joined(separator: "\n")
            case _ where line.hasSuffix(" SUBCOMMANDS:"): return String(line.dropLast(" SUBCOMMANDS:".count)) + ":"
            default: return String(line)
            }
        }.joined(separator: "\n")
    }

    /// The synopsis, broken between options; an option and its value stay together.
    private static func synopsis(_ line: Substring, _ width: Int) -> String {
        var depth = 0
        let joined = line.map { character -> Character in
            if character == "[" { depth += 1 } else if character == "]" { depth -= 1 }
            return character == " " && depth > 0 ? "\u{A0}" : character
        }
        return String(joined).wrapped(to: max(width - 7, 20), breakingWords: false).joined(separator: "\n       ")
            .replacing("\u{A0}", with: " ")
    }
}
