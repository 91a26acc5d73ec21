internal import Domain

// Pure functions that read small values in the forms that feeds use.

/// `yes`, `true`, `explicit`, `1` and `no`, `false`, `clean`, `0`, in any letter case.
func readFlag(_ text: Text) -> Bool? {
    if text.isWord("yes") || text.isWord("true") || text.isWord("explicit") || text.isWord("1") { return true }
    if text.isWord("no") || text.isWord("false") || text.isWord("clean") || text.isWord("0") { return false }
    return nil
}

/// A whole number without sign.
func readCount(_ text: Text) -> Int? {
    guard !text.isEmpty, text.count <= 18 else { return nil }
    var value = 0
    for byte in text.bytes {
        guard (48...57).contains(byte) else { return nil }
        value = value * 10 + Int(byte - 48)
    }
    return value
}

/// A whole number above zero: sizes, widths.
func readSize(_ text: Text) -> Int? {
    readCount(text).flatMap { $0 > 0 ? $0 : nil }
}

/// A decimal number without exponent, infinity or NaN.
func readNumber(_ text: Text) -> Double? {
    if let count = readCount(text) { return Double(count) }
    guard !text.isEmpty, text.bytes.allSatisfy({ (48...57).contains($0) || $0 == 46 || $0 == 45 || $0 == 43 }) else {
        return nil
    }
    return Double(text.string)
}

/// The word among these, in any letter case. The words must be given in lower case.
func readWord(_ text: Text, among words: StaticString...) -> String? {
    words.first { text.isWord($0) }?.description
}

/// The trimmed, non-empty parts between commas.
func readList(_ text: Text) -> [String]? {
    let parts = text.bytes.split(separator: UInt8(ascii: ",")).compactMap { text[$0.startIndex..<$0.endIndex].trimmed.value }
    return parts.isEmpty ? nil : parts
}

/// A mailbox, written `mail (name)` in RSS, and `name (mail)` or `name <mail>` in some feeds.
struct Mailbox {
    var name: String?
    var email: String?

    init(_ text: Text) {
        guard text.bytes.contains(UInt8(ascii: "@")) else {
            name = text.value
            return
        }
        guard let (before, inside) = Self.parts(text, "(", ")") ?? Self.parts(text, "<", ">") else {
            email = Self.email(in: text)
            if email == nil { name = text.value }
            return
        }
        if let mail = Self.email(in: before) {
            (name, email) = (inside.value, mail)
        } else if let mail = Self.email(in: inside) {
            (name, email) = (before.value, mail)
        } else {
            name = text.value
        }
    }

    /// The text before and inside the brackets.
    private static func parts(_ text: Text, _ open: Unicode.Scalar, _ close: Unicode.Scalar) -> (Text, Text)? {
        let bytes = text.bytes
        guard let start = bytes.firstIndex(of: UInt8(ascii: open)), let end = bytes.lastIndex(of: UInt8(ascii: close)),
            start < end
        else { return nil }
        return (text[0..<start].trimmed, text[start + 1..<end].trimmed)
    }

    private static func email(in text: Text) -> String? {
        let at = UInt8(ascii: "@")
        let word = text.words.first { $0.bytes.contains(at) && $0.bytes.first != at && $0.bytes.last != at }
        guard let mail = word?.string else { return nil }
        return mail.lowercased().hasPrefix("mailto:") ? String(mail.dropFirst(7)) : mail
    }
}
