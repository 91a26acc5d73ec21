internal import Domain

// Small values as feeds write them, read by pure functions.

/// `yes`, `true`, `explicit`, `1` and `no`, `false`, `clean`, `0`, in any letter case.
func readFlag(_ text: String?) -> Bool? {
    switch text?.trimmedValue?.lowercased() {
    case "yes", "true", "explicit", "1": return true
    case "no", "false", "clean", "0": return false
    default: return nil
    }
}

/// A whole number without sign.
func readCount(_ text: String?) -> Int? {
    guard let text = text?.trimmedValue, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text)
}

/// A whole number above zero: sizes, widths.
func readSize(_ text: String?) -> Int? {
    readCount(text).flatMap { $0 > 0 ? $0 : nil }
}

/// A decimal number without exponent, infinity or NaN.
func readNumber(_ text: String?) -> Double? {
    guard let text = text?.trimmedValue,
        text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 || $0 == 45 || $0 == 43 })
    else { return nil }
    return Double(text)
}

/// The trimmed, non-empty parts between commas.
func readList(_ text: String?) -> [String]? {
    let parts = text?.split(separator: ",").compactMap { String($0).trimmedValue } ?? []
    return parts.isEmpty ? nil : parts
}

/// What RSS writes as `mail (name)`, and some feeds as `name <mail>`.
struct Mailbox {
    var name: String?
    var email: String?

    init(_ text: String) {
        if let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"), open < close {
            name = String(text[text.index(after: open)..<close]).trimmedValue
            email = Self.email(in: String(text[..<open]))
        } else if let open = text.firstIndex(of: "<"), let close = text.lastIndex(of: ">"), open < close {
            name = String(text[..<open]).trimmedValue
            email = Self.email(in: String(text[text.index(after: open)..<close]))
        } else if let email = Self.email(in: text) {
            self.email = email
        } else {
            name = text.trimmedValue
        }
    }

    private static func email(in text: String) -> String? {
        text.split(whereSeparator: { $0.isWhitespace }).map(String.init)
            .first { $0.contains("@") && $0.first != "@" && $0.last != "@" }
            .map { $0.lowercased().hasPrefix("mailto:") ? String($0.dropFirst(7)) : $0 }
    }
}
