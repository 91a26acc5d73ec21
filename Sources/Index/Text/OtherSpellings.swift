/// Alternative spellings of special letters: `mueller` for Müller, `aarhus` for Århus. `soren` for Søren results from
/// folding alone.
enum OtherSpellings {
    /// A typed word with its umlauts and rings written as two letters, folded.
    static func spelledOut(_ text: String) -> String? {
        var spelled = String.UnicodeScalarView()
        var isOther = false
        for scalar in text.unicodeScalars {
            if let letters = pair(scalar) {
                spelled.append(contentsOf: letters.unicodeScalars)
                isOther = true
            } else if scalar == "\u{308}", let last = spelled.last, "aouAOU".unicodeScalars.contains(last) {
                spelled.append("e")
                isOther = true
            } else {
                spelled.append(scalar)
            }
        }
        let words = isOther ? tokens(of: String(spelled)) : []
        return words.count == 1 && words[0].isWord ? words[0].text : nil
    }

    /// The inverse for a folded word: `muller` for `mueller`. After a vowel or q, two letters are never joined: `neue`,
    /// `quelle`.
    static func contracted(_ word: String) -> String? {
        let letters = Array(word.utf8)
        guard letters.count > 4 else { return nil }
        var drawn: [UInt8] = []
        for (index, letter) in letters.enumerated() {
            let isSecond =
                letter == UInt8(ascii: "e") && index > 0 && "aou".utf8.contains(letters[index - 1])
                || letter == UInt8(ascii: "a") && index > 0 && letters[index - 1] == letter
            let isAfterVowel = index > 1 && "aeiouyq".utf8.contains(letters[index - 2])
            if !isSecond || isAfterVowel { drawn.append(letter) }
        }
        return drawn.count < letters.count ? String(decoding: drawn, as: UTF8.self) : nil
    }

    private static func pair(_ letter: Unicode.Scalar) -> String? {
        switch letter {
        case "ä", "Ä": "ae"
        case "ö", "Ö", "ø", "Ø": "oe"
        case "ü", "Ü": "ue"
        case "å", "Å": "aa"
        default: nil
        }
    }
}
