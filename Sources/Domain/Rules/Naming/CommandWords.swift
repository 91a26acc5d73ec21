/// Splits a command as a shell does, although no shell runs it: words, quotes and backslashes, nothing else.
enum CommandWords {
    /// nil for an unclosed quote or a backslash at the end.
    static func split(_ text: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var remaining = text[...]
        while let character = remaining.popFirst() {
            switch (character, quote) {
            case ("'", "'"), ("\"", "\""): quote = nil
            case ("'", nil), ("\"", nil):
                quote = character
                word = word ?? ""
            case ("\\", nil):
                guard let next = remaining.popFirst() else { return nil }
                word = (word ?? "") + String(next)
            case ("\\", "\""):
                guard let next = remaining.popFirst() else { return nil }
                word = (word ?? "") + ("\"\\$`".contains(next) ? String(next) : "\\" + String(next))
            case (_, nil) where character.isWhitespace:
                if let word { words.append(word) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        guard quote == nil else { return nil }
        if let word { words.append(word) }
        return words
    }
}
