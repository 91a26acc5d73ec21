internal import Domain

/// Recognizes texts that only repeat another one: feeds often give an item's notes a second time without the markup, or
/// only their beginning.
enum RepeatedText {
    /// True if each word of the other text is in this one, which begins with it. White space after punctuation is
    /// ignored, since it depends on the markup, and so are the dots that tell of a text cut short.
    static func text(_ text: ByteView, beginsWith other: ByteView) -> Bool {
        let whole = trimmed(other)
        let other = withoutDots(whole)
        var (index, otherIndex) = (0, 0)
        while true {
            let common = commonLength(text, index, other, otherIndex)
            index += common
            otherIndex += common
            if otherIndex == other.count { break }
            let (gap, otherGap) = (spaces(text, at: index), spaces(other, at: otherIndex))
            guard gap > 0 || otherGap > 0 else { return false }
            let isApart = index == 0 || isSpace(text, endingAt: index) || punctuation.contains(text[index - 1])
            guard isApart || (gap > 0 && otherGap > 0) else { return false }
            index += gap
            otherIndex += otherGap
        }
        // "Tea" is not a beginning of "Teapot", but "Teap…" is.
        return other.isEmpty || other.count < whole.count || index >= text.count || !isOfWord(text[index])
    }

    /// The number of equal bytes from these indexes on. Compares eight bytes at a time.
    private static func commonLength(
        _ text: ByteView, _ start: Int, _ other: ByteView, _ otherStart: Int
    ) -> Int {
        let maxCount = min(text.count - start, other.count - otherStart)
        var count = 0
        while count + 8 <= maxCount,
            text.number(start + count, as: UInt64.self) == other.number(otherStart + count, as: UInt64.self)
        {
            count += 8
        }
        while count < maxCount, text[start + count] == other[otherStart + count] { count += 1 }
        return count
    }

    private static let punctuation = Array(".,;:!?)".utf8)

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...,
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// The number of bytes of white space at this index.
    @inline(__always) private static func spaces(_ text: ByteView, at start: Int) -> Int {
        var index = start
        while index < text.count {
            if text[index] <= UInt8(ascii: " ") {
                index += 1
            } else if text[index] == 0xC2, index + 1 < text.count, text[index + 1] == 0xA0 {
                index += 2  // U+00A0, often written as &nbsp;
            } else {
                break
            }
        }
        return index - start
    }

    private static func isSpace(_ text: ByteView, endingAt end: Int) -> Bool {
        text[end - 1] <= UInt8(ascii: " ") || (text[end - 1] == 0xA0 && end >= 2 && text[end - 2] == 0xC2)
    }

    private static func trimmed(_ text: ByteView) -> ByteView {
        var end = text.count
        while end > 0, isSpace(text, endingAt: end) { end -= text[end - 1] == 0xA0 ? 2 : 1 }
        return text.part(0, end)
    }

    /// Drops the "…", "..." or "[…]" at the end.
    private static func withoutDots(_ text: ByteView) -> ByteView {
        var end = text.count
        if end > 0, text[end - 1] == UInt8(ascii: "]") { end -= 1 }
        if end >= 3, text.part(end - 3, 3).elementsEqual("…".utf8) || text.part(end - 3, 3).elementsEqual("...".utf8) {
            end -= 3
        } else {
            return text
        }
        if end > 0, text[end - 1] == UInt8(ascii: "[") { end -= 1 }
        return trimmed(text.part(0, end))
    }
}
