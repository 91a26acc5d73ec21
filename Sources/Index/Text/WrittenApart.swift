internal import CTokenizer

/// True if two words are one: `wifi` for `wi-fi`, `dont` for `don't`, `obrien` for `O'Brien`. An elided article does
/// not belong to the word: `d'une` is not `dune`. Short words around a sign are one, such as `acdc` for `AC/DC`; longer
/// ones are addresses.
func isOneWord(_ first: ByteView, _ second: ByteView, _ joint: CTokenizerJoint) -> Bool {
    switch joint {
    case CTokenizerHyphen: !(isNumber(first) && isNumber(second))
    case CTokenizerApostrophe: isLetter(second, "tn") || isLetter(first, "on")
    case CTokenizerSign: first.count + second.count <= maxLengthAroundSign && !isNumber(first) && !isNumber(second)
    default: false
    }
}

private let maxLengthAroundSign = 10

private func isNumber(_ word: ByteView) -> Bool { word.allSatisfy { (48...57).contains($0) } }

private func isLetter(_ word: ByteView, _ letters: StaticString) -> Bool {
    word.count == 1 && letters.withUTF8Buffer { $0.contains(word[0]) }
}

/// The words of a text as one, as many write it; nil if they are not joined in the text.
func joinedWord(of text: String) -> String? {
    let words = tokens(of: text)
    guard words.count > 1, words.dropFirst().allSatisfy(\.isJoined) else { return nil }
    return words.map(\.text).joined()
}

/// Two words typed apart as one: `livestream` for `live stream`. nil if they are too short for that, or are often
/// adjacent by chance: the rapist is no therapist.
func joinedWord(of first: String, _ second: String) -> String? {
    guard first.count > 1, second.count > 1, first.count + second.count > 5, !common.contains(first), !common.contains(second)
    else { return nil }
    return first + second
}

private let common: Set<String> = [
    "the", "and", "for", "was", "are", "not", "you", "her", "his", "but", "our", "its", "of", "in", "to", "is", "it",
]

/// All ways to insert a blank into a Korean text, for which usage differs: 한국 뉴스 for 한국뉴스.
func allWaysSpaced(_ text: String) -> [[String]] {
    guard (3...12).contains(text.count), isKorean(text) else { return [] }
    return (1...text.count - 2).map { [String(text.prefix($0)), String(text.dropFirst($0))] }
}

/// A Korean word without the particle that marks its role in the sentence: 세상 for 세상을.
func withoutParticle(_ text: String) -> String? {
    guard text.count > 2, isKorean(text), let particle = particles.first(where: text.hasSuffix) else { return nil }
    let word = String(text.dropLast(particle.count))
    return word.count > 1 ? word : nil
}

private let particles = ["에서", "으로", "까지", "부터", "을", "를", "이", "가", "은", "는", "과", "와", "의", "에", "로", "도"]

private func isKorean(_ text: String) -> Bool { text.unicodeScalars.allSatisfy { (0xAC00...0xD7A3).contains($0.value) } }
