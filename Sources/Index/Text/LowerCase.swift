internal import Memory

/// The lower case of words. Each character is looked up in Unicode's tables once: that takes far longer than all the rest.
struct LowerCase: ~Copyable {
    /// The lower case of each character below `end`, 0 before it is needed, or `other`.
    private var characters = [UInt16](repeating: 0, count: LowerCase.end)
    private var text = GrowingBytes()

    /// All scripts with capitals are below, except for a few that hardly any text is written in.
    private static let end = 0x2800
    /// The lower case is more than one character.
    private static let other: UInt16 = 1

    /// As `String.lowercased()`. Valid until the next call.
    mutating func of(_ word: ByteView) -> ByteView {
        text.removeAll()
        if !append(word) {
            text.removeAll()
            String(decoding: word, as: UTF8.self).lowercased().withBytes { text.append($0) }
        }
        return text.view
    }

    /// For Turkish and Azerbaijani, where i and ı are different letters. Valid until the next call.
    mutating func turkish(_ word: ByteView) -> ByteView {
        let dotless = String(decoding: word, as: UTF8.self).unicodeScalars.map { $0 == "I" ? "ı" : $0 == "İ" ? "i" : $0 }
        text.removeAll()
        String(String.UnicodeScalarView(dotless)).lowercased().withBytes { text.append($0) }
        return text.view
    }

    /// For Greek, where sigma has a special form at the end of a word, but not in capitals. Valid until the next call.
    mutating func greek(_ word: ByteView) -> ByteView {
        let lower = of(word)
        if lower.count > 1, lower[lower.count - 2] == 0xCF, lower[lower.count - 1] == 0x83 {
            text.cut(to: lower.count - 1)
            text.append(UInt8(0x82))
        }
        return text.view
    }

    /// False if the table does not have all characters.
    private mutating func append(_ word: ByteView) -> Bool {
        var index = 0
        while index < word.count {
            let byte = word[index]
            switch byte {
            case ..<0x80:
                text.append((65...90).contains(byte) ? byte | 0x20 : byte)
                index += 1
            case 0xC2...0xDF where index + 1 < word.count:
                guard append(lower: UInt16(byte & 0x1F) << 6 | UInt16(word[index + 1] & 0x3F)) else { return false }
                index += 2
            case 0xE0...0xE2 where index + 2 < word.count:
                let character = UInt16(byte & 0x0F) << 12 | UInt16(word[index + 1] & 0x3F) << 6 | UInt16(word[index + 2] & 0x3F)
                guard append(lower: character) else { return false }
                index += 3
            case 0xE3...0xE9 where index + 2 < word.count:
                // Kana and Chinese.
                text.append(word.part(index, 3))
                index += 3
            default: return false
            }
        }
        return true
    }

    private mutating func append(lower character: UInt16) -> Bool {
        guard character < Self.end else { return false }
        if characters[Int(character)] == 0 { characters[Int(character)] = Self.lower(character) }
        let lower = characters[Int(character)]
        switch lower {
        case Self.other: return false
        case ..<0x80: text.append(UInt8(lower))
        case ..<0x800:
            text.append(UInt8(0xC0 | lower >> 6))
            text.append(UInt8(0x80 | lower & 0x3F))
        default:
            text.append(UInt8(0xE0 | lower >> 12))
            text.append(UInt8(0x80 | lower >> 6 & 0x3F))
            text.append(UInt8(0x80 | lower & 0x3F))
        }
        return true
    }

    private static func lower(_ character: UInt16) -> UInt16 {
        guard character >= 0x80, let scalar = Unicode.Scalar(character) else { return other }
        let lower = scalar.properties.lowercaseMapping.unicodeScalars
        guard lower.count == 1, let first = lower.first else { return other }
        return UInt16(exactly: first.value) ?? other
    }
}
