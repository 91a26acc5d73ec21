extension ByteView {
    /// False only if no character of this UTF-8 text has a different lower case. That applies to most words, and
    /// querying Unicode's tables for each letter takes ten times as long.
    var mayHaveCapitals: Bool {
        var index = 0
        while index < count {
            let next = index + 1 < count ? self[index + 1] : 0
            switch self[index] {
            case 0x41...0x5A: return true
            case ..<0x80: index += 1
            case 0xC3 where next > 0x9E,  // ß to ÿ
                0xC4 where next < 0xB8 && next & 1 == 1,  // ā to ķ
                0xD0 where next > 0xAF, 0xD1 where next < 0xA0,  // а to џ
                0xC2, 0xD6...0xDF:  // Hebrew, Arabic
                index += 2
            case 0xE3...0xE9: index += 3  // kana, Chinese
            default: return true
            }
        }
        return false
    }
}
