/// The command that recognises speech, as the user set it.
///
/// The text is split into words like a shell command, but no shell runs it. `{audio}`, `{language}` and `{output}` are
/// replaced inside the words, which are not split again.
public struct TranscriberCommand: Equatable, Sendable {
    public let words: [String]

    /// nil if the text has no word, an unclosed quote, or no `{audio}`.
    public init?(_ text: String) {
        guard let words = CommandWords.split(text), !words.isEmpty, words.contains(where: { $0.contains("{audio}") }) else {
            return nil
        }
        self.words = words
    }

    /// The program's name without its folder, which transcripts carry as their source.
    public var name: String { words[0].split(separator: "/").last.map(String.init) ?? words[0] }

    /// - Parameters:
    ///   - output: the path of the file to write, without an extension.
    ///   - home: what a leading `~/` of a word stands for.
    public func arguments(audio: String, language: String, output: String, home: String) -> [String] {
        words.map { word in
            // A replaced path may contain `{output}`, which must stay.
            (word.hasPrefix("~/") ? home + word.dropFirst() : word)
                .split(separator: "{audio}", omittingEmptySubsequences: false)
                .map { part in
                    part.split(separator: "{output}", omittingEmptySubsequences: false)
                        .map { $0.replacing("{language}", with: language) }.joined(separator: output)
                }.joined(separator: audio)
        }
    }
}
