internal import CTokenizer
internal import Domain
internal import Searching

/// A part of a query that can be recognized in a text.
final class WantedText {
    private let words: [(bytes: [UInt8], kind: CTokenizerKind)]
    private let isPrefix: Bool
    /// True if it ended in a long vowel, which `queryTokens` omits.
    private let isLong: Bool
    /// The word, if it may occur in other forms, and its English forms.
    private let word: String?
    private let english: EnglishStem.Forms?
    let field: SearchQuery.Field?

    /// nil if the text has no words.
    init?(_ term: SearchQuery.Term, written text: String) {
        let tokens = queryTokens(of: text)
        guard let last = tokens.last else { return nil }
        words = tokens.map { (Array($0.text.utf8), $0.kind) }
        isPrefix = term.isPrefix || last.kind == CTokenizerSingle
        isLong = text.hasSuffix("ー")
        word = tokens.count == 1 && last.isWord && !term.isPhrase && !term.isPrefix ? last.text : nil
        english = word.flatMap { EnglishStem.of($0) }.map { EnglishStem.Forms(of: $0) }
        field = term.field
    }

    /// Its other forms, if `forms` lists those of the query's words.
    func otherForms(in forms: [String: Set<String>]) -> [[UInt8]] {
        word.flatMap { forms[$0] }?.map { Array($0.utf8) } ?? []
    }

    /// Its range in the text, if it is at the token `start`.
    func range(in tokens: borrowing TextTokens, at start: Int, _ text: String) -> Range<Int>? {
        guard start + words.count <= tokens.count else { return nil }
        if tokens[start].kind == CTokenizerWord, let english, english.contains(tokens, at: start) { return tokens[start].range }
        if words.count == 1, let range = joinedRange(of: words[0].bytes, in: tokens, at: start) { return range }
        for offset in words.indices {
            let isOpen = isPrefix && offset == words.count - 1
            let (word, place) = (words[offset].bytes, start + offset)
            guard isOpen ? tokens.has(prefix: word, at: place) : tokens.has(word, at: place) else { return nil }
        }
        var range = tokens[start].range.lowerBound..<tokens[start + words.count - 1].range.upperBound
        if isLong, text.utf8.dropFirst(range.upperBound).starts(with: "ー".utf8) {
            range = range.lowerBound..<(range.upperBound + "ー".utf8.count)
        }
        guard words.count == 1, words[0].kind == CTokenizerSingle, tokens[start].kind == CTokenizerPair else { return range }
        // The query has a single character, which matched the beginning of a pair.
        let first = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
        return range.lowerBound..<(range.lowerBound + text[first].utf8.count)
    }

    /// The range of a word that is written with hyphens.
    private func joinedRange(of word: [UInt8], in tokens: borrowing TextTokens, at start: Int) -> Range<Int>? {
        guard start + 1 < tokens.count, tokens[start + 1].isJoined else { return nil }
        var (end, joined) = (start + 1, Array(tokens.bytes(start)))
        while end < tokens.count, tokens[end].isJoined, joined.count < word.count {
            joined += tokens.bytes(end)
            end += 1
        }
        return end > start + 1 && joined == word
            ? tokens[start].range.lowerBound..<tokens[end - 1].range.upperBound : nil
    }
}
