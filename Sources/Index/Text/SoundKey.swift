/// How a word sounds, roughly: words that a speech recogniser may confuse have the same key.
///
/// Vowels behind the first sound do not count, nor do doubled letters; consonants that are made at the same place are one.
/// Made for languages in Latin letters, English above all.
enum SoundKey {
    /// nil for a word with other letters, or one too short to tell anything.
    static func key(of word: some Collection<UInt8>) -> String? {
        let letters = Array(word)
        guard (4...32).contains(letters.count), letters.allSatisfy({ (0x61...0x7A).contains($0) }) else { return nil }
        var key: [UInt8] = []
        var index = 0
        while index < letters.count {
            let (sound, length) = sound(letters[index...], isFirst: index == 0)
            if let sound, key.last != sound { key.append(sound) }
            index += length
        }
        return key.count > 1 ? String(decoding: key, as: UTF8.self) : nil
    }

    /// The sound at the beginning of these letters, and how many of them make it; nil for one that does not count.
    private static func sound(_ letters: ArraySlice<UInt8>, isFirst: Bool) -> (UInt8?, Int) {
        let text = String(decoding: letters.prefix(3), as: UTF8.self)
        func begins(_ start: String) -> Bool { text.hasPrefix(start) }
        if isFirst, let silent = ["kn", "gn", "wr", "ps"].first(where: begins) {
            return (sound(letters.dropFirst(), isFirst: false).0 ?? silent.utf8.first, 2)
        }
        if begins("tch") || begins("sch") { return (UInt8(ascii: "X"), 3) }
        if begins("sh") || begins("ch") { return (UInt8(ascii: "X"), 2) }
        if begins("ph") { return (UInt8(ascii: "F"), 2) }
        if begins("th") { return (UInt8(ascii: "T"), 2) }
        if begins("gh") { return (isFirst ? UInt8(ascii: "K") : nil, 2) }
        if begins("ck") || begins("qu") { return (UInt8(ascii: "K"), 2) }
        let next = letters.dropFirst().first
        let isSoft = next.map { "eiy".utf8.contains($0) } ?? false
        let sound: Character? =
            switch Character(UnicodeScalar(letters.first ?? 0)) {
            case "b", "p": "P"
            case "c": isSoft ? "S" : "K"
            case "g": isSoft ? "X" : "K"
            case "d", "t": "T"
            case "f", "v": "F"
            case "j": "X"
            case "k", "q", "x": "K"
            case "l": "L"
            case "m", "n": "N"
            case "r": "R"
            case "s", "z": "S"
            case "h", "w", "y": isFirst ? "H" : nil
            default: isFirst ? "A" : nil
            }
        return (sound?.asciiValue, 1)
    }
}
