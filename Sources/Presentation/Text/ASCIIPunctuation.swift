/// Replaces punctuation and drawings for terminals whose locale is not UTF-8. Letters stay unchanged, since a title in
/// other letters is better shown as it is than not at all.
extension String {
    public var inASCIIPunctuation: String {
        guard utf8.contains(where: { $0 > 127 }) else { return self }
        var text = ""
        for character in self { text += Self.plain[character] ?? String(character) }
        return text
    }

    /// Replacements of characters in columns are one column wide, like the originals, except the arrow.
    private static let plain: [Character: String] = {
        var plain: [Character: String] = [
            "“": "\"", "”": "\"", "„": "\"", "‘": "'", "’": "'", "‹": "<", "›": ">", "–": "-", "—": "-", "·": "*", "•": "*",
            "×": "x", "→": "->", "…": "~", "\u{A0}": " ", "│": "|", "└": "+", "─": "-",
        ]
        for bar in "▁▂" { plain[bar] = "." }
        for bar in "▃▄" { plain[bar] = "-" }
        for bar in "▅▆" { plain[bar] = "=" }
        for bar in "▇█▌▋▊▉" { plain[bar] = "#" }
        for bar in "▏▎▍" { plain[bar] = " " }
        return plain
    }()
}
