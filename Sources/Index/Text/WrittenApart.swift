internal import CTokenizer

/// `wifi` for `wi-fi`, `dont` for `don't`, `obrien` for `O'Brien`; nil for what is not written so. Elided articles are
/// none of the word: `d'une` is no `dune`.
func joinedWord(of text: String) -> String? {
    let words = tokens(of: text)
    guard words.count > 1, words.allSatisfy(\.isWord) else { return nil }
    let bytes = Array(text.utf8)
    for (first, second) in zip(words, words.dropFirst()) {
        // One character may stand for several words: ﷺ.
        guard first.range.upperBound < second.range.lowerBound else { return nil }
        switch String(decoding: bytes[first.range.upperBound..<second.range.lowerBound], as: UTF8.self) {
        case "-", "\u{2010}", "\u{2011}": continue
        case "'", "’": guard second.text == "t" || ["o", "n"].contains(first.text) || second.text == "n" else { return nil }
        default: return nil
        }
    }
    return words.map(\.text).joined()
}

/// The other way round: `wi fi` for `wifi`, `don t` for `dont`, `o brien` for `obrien`; nil for any other word.
func wordsApart(of word: String) -> [String]? {
    if contractions.contains(word) { return [String(word.dropLast()), "t"] }
    let part = beginnings.first { word.hasPrefix($0.text) && word.utf8.count >= $0.text.utf8.count + $0.least }
    return part.map { [$0.text, String(word.dropFirst($0.text.count))] }
}

/// What English joins to a word with a hyphen or without, and how many letters must follow for it to be that.
private let beginnings: [(text: String, least: Int)] =
    [("wi", 2), ("hi", 2), ("sci", 2), ("x", 3)]
    + ["anti", "co", "cyber", "e", "mid", "multi", "non", "o", "pre", "self", "semi", "tv", "ultra"].map { ($0, 4) }

private let contractions: Set<String> = [
    "arent", "cant", "couldnt", "didnt", "doesnt", "dont", "hadnt", "hasnt", "havent", "isnt", "shouldnt", "wasnt", "werent",
    "wont", "wouldnt",
]
