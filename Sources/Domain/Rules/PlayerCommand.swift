/// The command that plays an episode, as the user set it.
///
/// The text is split into words like a shell command, but no shell runs it. `{file}` and `{start}` are replaced inside
/// the words, which are not split again.
public struct PlayerCommand: Equatable, Sendable {
    public let words: [String]

    /// nil if the text has no word or an unclosed quote.
    public init?(_ text: String) {
        guard let words = Self.split(text), !words.isEmpty else { return nil }
        self.words = words
    }

    private init(usual words: String...) { self.words = words }

    /// The players to look for if none is set.
    public static let usual = [
        PlayerCommand(usual: "mpv", "--start={start}", "{file}"),
        PlayerCommand(usual: "vlc", "--play-and-exit", "--start-time={start}", "{file}"),
        PlayerCommand(usual: "ffplay", "-autoexit", "-ss", "{start}", "{file}"),
        PlayerCommand(usual: "mplayer", "-ss", "{start}", "{file}"),
    ]

    public var takesStart: Bool { words.contains { $0.contains("{start}") } }

    /// - Parameters:
    ///   - file: an absolute path or a URL. It comes last if there is no `{file}`.
    ///   - start: seconds into the episode.
    public func arguments(file: String, start: Double) -> [String] {
        let seconds = start == start.rounded() && start.magnitude < 1e9 ? String(Int(start)) : String(start)
        let words = words.contains { $0.contains("{file}") } ? words : words + ["{file}"]
        return words.map { word in
            // The file's name may contain `{start}`, which must stay.
            word.split(separator: "{file}", omittingEmptySubsequences: false)
                .map { $0.replacing("{start}", with: seconds) }.joined(separator: file)
        }
    }

    private static func split(_ text: String) -> [String]? {
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
