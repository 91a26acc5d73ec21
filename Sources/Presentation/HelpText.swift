/// The argument parser's help with jimmy's own headings.
public enum HelpText {
    /// - Parameter text: any text of the parser; only help pages are changed.
    public static func edited(_ text: String) -> String {
        guard text.hasPrefix("OVERVIEW: ") else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            switch line {
            case "SUBCOMMANDS:": return "COMMANDS:"
            case "EVERYDAY SUBCOMMANDS:": return "EVERYDAY COMMANDS:"
            case _ where line.hasSuffix(" SUBCOMMANDS:"): return String(line.dropLast(" SUBCOMMANDS:".count)) + ":"
            default: return String(line.replacing("<subcommand>", with: "<command>"))
            }
        }.joined(separator: "\n")
    }
}
