internal import Glibc

/// A piece of UTF-8 text inside the parser, trimmed, not yet a String. Valid only while its rule runs. Functions that read
/// small values take it, so that they need no pointers.
struct Text {
    let bytes: UnsafeBufferPointer<UInt8>

    init(_ raw: UnsafeBufferPointer<UInt8>) {
        var start = 0
        var end = raw.count
        while start < end {
            if Text.isBlank(raw[start]) {
                start += 1
                continue
            }
            let length = raw[start] < 128 ? 0 : Text.blankLength(raw, from: start, to: end)
            if length == 0 { break }
            start += length
        }
        while end > start {
            if Text.isBlank(raw[end - 1]) {
                end -= 1
                continue
            }
            if raw[end - 1] < 128 { break }
            if end - start >= 2, Text.blankLength(raw, from: end - 2, to: end) == 2 {
                end -= 2
            } else if end - start >= 3, Text.blankLength(raw, from: end - 3, to: end) == 3 {
                end -= 3
            } else {
                break
            }
        }
        bytes = UnsafeBufferPointer(rebasing: raw[start..<end])
    }

    private init(untrimmed bytes: Slice<UnsafeBufferPointer<UInt8>>) { self.bytes = UnsafeBufferPointer(rebasing: bytes) }

    /// The length of the non-ASCII white space here, such as a no-break space; 0 if there is none.
    private static func blankLength(_ raw: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int {
        if end - start >= 2, raw[start] == 0xC2 { return raw[start + 1] == 0xA0 || raw[start + 1] == 0x85 ? 2 : 0 }
        guard end - start >= 3 else { return 0 }
        switch (raw[start], raw[start + 1], raw[start + 2]) {
        case (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xA8...0xA9), (0xE2, 0x80, 0xAF), (0xE2, 0x81, 0x9F), (0xE3, 0x80, 0x80),
            (0xE1, 0x9A, 0x80):
            return 3
        default: return 0
        }
    }

    init(cString: UnsafePointer<UInt8>) {
        self.init(
            UnsafeBufferPointer(start: cString, count: strlen(UnsafeRawPointer(cString).assumingMemoryBound(to: CChar.self))))
    }

    init(_ word: StaticString) {
        bytes = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    }

    static var none: Text { Text(UnsafeBufferPointer(start: nil, count: 0)) }

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count }
    subscript(index: Int) -> UInt8 { bytes[index] }
    /// A part as it is, with the blanks at its ends.
    subscript(range: Range<Int>) -> Text { Text(untrimmed: bytes[range]) }
    /// A part without the blanks at its ends.
    var trimmed: Text { Text(bytes) }

    var string: String { String(decoding: bytes, as: UTF8.self) }
    /// nil if there is no text.
    var value: String? { isEmpty ? nil : string }

    /// True for an absolute http or https URL without blanks, which no base changes.
    var isPlainWebURL: Bool { Text.isPlainWebURL(bytes.span) }

    static func isPlainWebURL(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 8, bytes[0] | 0x20 == UInt8(ascii: "h"), bytes[1] | 0x20 == UInt8(ascii: "t"),
            bytes[2] | 0x20 == UInt8(ascii: "t"), bytes[3] | 0x20 == UInt8(ascii: "p"),
            bytes[4] == UInt8(ascii: ":") || (bytes[4] | 0x20 == UInt8(ascii: "s") && bytes[5] == UInt8(ascii: ":"))
        else { return false }
        // No early exit, so that the compiler can vectorize the loop.
        var lowest = UInt8.max
        for index in bytes.indices { lowest = min(lowest, bytes[index]) }
        return lowest > 32
    }

    /// This text, or another one if it is empty.
    func or(_ other: @autoclosure () -> Text) -> Text { isEmpty ? other() : self }

    /// In lower case; nil if there is no text.
    var lowercased: String? {
        if isEmpty { return nil }
        return bytes.contains { $0 >= 128 || (65...90).contains($0) } ? string.lowercased() : string
    }

    /// The parts between blanks.
    var words: [Text] { bytes.split(whereSeparator: Text.isBlank).map(Text.init(untrimmed:)) }

    /// True if the text is this word in any letter case. The word must be given in lower case.
    func isWord(_ word: StaticString) -> Bool {
        guard bytes.count == word.utf8CodeUnitCount else { return false }
        for index in 0..<bytes.count {
            let byte = bytes[index]
            if Text.lower(byte) != word.utf8Start[index] { return false }
        }
        return true
    }

    /// True if the text is exactly this word.
    func isSame(as word: StaticString) -> Bool {
        bytes.count == word.utf8CodeUnitCount && bytes.indices.allSatisfy { bytes[$0] == word.utf8Start[$0] }
    }

    /// True if the text is this word, ignoring the letter case of both.
    func isSame(ignoringCase word: StaticString) -> Bool {
        bytes.count == word.utf8CodeUnitCount
            && bytes.indices.allSatisfy { Text.lower(bytes[$0]) == Text.lower(word.utf8Start[$0]) }
    }

    /// True if the String has the same bytes.
    func isSame(as other: String) -> Bool {
        guard other.utf8.count == bytes.count else { return false }
        return other.utf8.withContiguousStorageIfAvailable { theirs in
            guard let a = theirs.baseAddress, let b = bytes.baseAddress else { return true }
            return memcmp(a, b, bytes.count) == 0
        } ?? bytes.elementsEqual(other.utf8)
    }

    @inline(__always)
    static func lower(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 0x20 : byte }

    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}

/// Texts that many items repeat, such as names, media types and image URLs. Each is stored once.
struct RepeatedTexts {
    private var recent = [String](repeating: "", count: 64)

    /// nil if there is no text.
    mutating func string(_ text: Text) -> String? {
        // Strings of up to 15 bytes need no allocation.
        guard text.bytes.count > 15 else { return text.value }
        let end = UnsafeRawBufferPointer(text.bytes).loadUnaligned(fromByteOffset: text.bytes.count - 8, as: UInt64.self)
        let slot = Int(truncatingIfNeeded: ((end ^ UInt64(text.bytes.count)) &* 0x9E37_79B9_7F4A_7C15) >> 58)
        if !text.isSame(as: recent[slot]) { recent[slot] = text.string }
        return recent[slot]
    }
}

extension String {
    /// Without white space at its ends; nil if nothing remains.
    var trimmedValue: String? {
        if let first = utf8.first, let last = utf8.last, first < 128, last < 128, !Text.isBlank(first), !Text.isBlank(last) {
            return self
        }
        return withText(\.value)
    }

    func dropping(prefix: String) -> String { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self }

    /// Calls `body` with the string as the parser's text type.
    func withText<Result>(_ body: (Text) -> Result) -> Result {
        var text = self
        return text.withUTF8 { body(Text($0)) }
    }
}

extension ArraySlice<UInt8> {
    /// Calls `body` with the bytes as the parser's text type.
    func withText<Result>(_ body: (Text) -> Result) -> Result { withUnsafeBufferPointer { body(Text($0)) } }
}
