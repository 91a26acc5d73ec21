/// How a word sounds, roughly: words that a speech recogniser may confuse have the same key.
///
/// Vowels behind the first sound do not count, nor do doubled letters; consonants that are made at the same place are one.
/// Made for languages in Latin letters, English above all.
struct SoundKey {
    private let sounds: [UInt8]

    /// nil for a word with other letters, or one too short to tell anything.
    init?(_ word: String) {
        var sounds: [UInt8] = []
        let isWhole = Self.forEachSound(in: Array(word.utf8)) {
            sounds.append($0)
            return true
        }
        guard isWhole, sounds.count > 1 else { return nil }
        self.sounds = sounds
    }

    /// Whether a word has this key. Most words differ in one of their first sounds, and are not read further.
    func matches(_ word: ByteView) -> Bool {
        var count = 0
        let isWhole = Self.forEachSound(in: word) { sound in
            guard count < sounds.count, sounds[count] == sound else { return false }
            count += 1
            return true
        }
        return isWhole && count == sounds.count
    }

    /// - Parameter body: gets one sound after another, none twice in a row; returns false to end.
    /// - Returns: true if the whole word was read.
    @inline(__always)
    private static func forEachSound<Word: RandomAccessCollection<UInt8>>(in word: Word, _ body: (UInt8) -> Bool) -> Bool
    where Word.Index == Int {
        guard (4...32).contains(word.count) else { return false }
        func letter(_ index: Int) -> UInt8 { index < word.endIndex ? word[index] : 0 }
        var last: UInt8?
        var index = word.startIndex
        while index < word.endIndex {
            let isFirst = index == word.startIndex
            guard let sound = sound(letter(index), letter(index + 1), letter(index + 2), isFirst: isFirst) else { return false }
            if let code = sound.code, code != last {
                guard body(code) else { return false }
                last = code
            }
            index += sound.letters
        }
        return true
    }

    /// The sound at the beginning of some letters, and how many of them make it.
    private struct Sound {
        /// nil for one that does not count.
        var code: UInt8?
        var letters = 1
    }

    /// nil if the first is not a letter that makes a sound.
    private static func sound(_ first: UInt8, _ second: UInt8, _ third: UInt8, isFirst: Bool) -> Sound? {
        func code(_ letter: Unicode.Scalar) -> UInt8 { UInt8(ascii: letter) }
        func begins(_ start: StaticString) -> Bool {
            start.utf8Start[0] == first && start.utf8Start[1] == second
                && (start.utf8CodeUnitCount == 2 || start.utf8Start[2] == third)
        }
        if isFirst {
            if begins("kn") || begins("gn") { return Sound(code: code("N"), letters: 2) }
            if begins("wr") { return Sound(code: code("R"), letters: 2) }
            if begins("ps") { return Sound(code: code("S"), letters: 2) }
        }
        if begins("tch") || begins("sch") { return Sound(code: code("X"), letters: 3) }
        if begins("sh") || begins("ch") { return Sound(code: code("X"), letters: 2) }
        if begins("ph") { return Sound(code: code("F"), letters: 2) }
        if begins("th") { return Sound(code: code("T"), letters: 2) }
        if begins("gh") { return Sound(code: isFirst ? code("K") : nil, letters: 2) }
        if begins("ck") || begins("qu") { return Sound(code: code("K"), letters: 2) }
        let isSoft = second == code("e") || second == code("i") || second == code("y")
        return switch Unicode.Scalar(first) {
        case "b", "p": Sound(code: code("P"))
        case "c": Sound(code: isSoft ? code("S") : code("K"))
        case "g": Sound(code: isSoft ? code("X") : code("K"))
        case "d", "t": Sound(code: code("T"))
        case "f", "v": Sound(code: code("F"))
        case "j": Sound(code: code("X"))
        case "k", "q", "x": Sound(code: code("K"))
        case "l": Sound(code: code("L"))
        case "m", "n": Sound(code: code("N"))
        case "r": Sound(code: code("R"))
        case "s", "z": Sound(code: code("S"))
        case "h", "w", "y": Sound(code: isFirst ? code("H") : nil)
        case "a", "e", "i", "o", "u": Sound(code: isFirst ? code("A") : nil)
        default: nil
        }
    }
}
