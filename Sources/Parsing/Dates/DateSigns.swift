/// Replaces non-ASCII letters and signs by forms that the scanner can read.
enum DateSigns {
    /// The date with these signs replaced: Chinese, Japanese and Korean number years, months, days and hours
    /// (`2005年3月1日 10時30分`, `2005년 3월 1일`), and word processors replace spaces and hyphens. nil if the date is ASCII.
    ///
    /// Other letters are left unchanged.
    static func ascii(_ text: Text) -> String? {
        guard text.bytes.contains(where: { $0 >= 128 }) else { return nil }
        var remaining = Array(text.string.unicodeScalars)[...]
        var ascii = ""
        while let scalar = remaining.popFirst() {
            switch scalar {
            case "年", "년", "日", "일", "号", "號", "秒", "초", "\u{60C}", "\u{A0}", "\u{202F}", "\u{2009}", "\u{3000}", "\u{FF0C}":
                ascii += " "
            case "月", "월":
                let digits = ascii.unicodeScalars.reversed().prefix { ("0"..."9").contains($0) }.reversed()
                guard let number = Int(String(String.UnicodeScalarView(digits))), (1...12).contains(number) else {
                    ascii.unicodeScalars.append(scalar)
                    continue
                }
                ascii.unicodeScalars.removeLast(digits.count)
                ascii += " \(EnglishDateWords.names[number - 1]) "
            case "時", "时", "點", "点", "시":
                remaining = remaining.drop { $0 == " " }
                ascii += remaining.first.map { ("0"..."9").contains($0) } ?? false ? ":" : ":00"
            case "分", "분":
                remaining = remaining.drop { $0 == " " }
                ascii += remaining.first.map { ("0"..."9").contains($0) } ?? false ? ":" : " "
            case "\u{FF10}"..."\u{FF19}": ascii += "\(scalar.value - 0xFF10)"
            case "\u{2010}"..."\u{2015}", "\u{2212}": ascii += "-"
            case "\u{660}"..."\u{669}": ascii += "\(scalar.value - 0x660)"
            case "\u{6F0}"..."\u{6F9}": ascii += "\(scalar.value - 0x6F0)"
            case "\u{FF1A}": ascii += ":"
            case "\u{FF08}": ascii += "("
            case "\u{FF09}": ascii += ")"
            case "\u{2019}": ascii += "'"
            case "\u{200E}", "\u{200F}", "\u{FEFF}", "\u{202A}"..."\u{202E}": break
            default: ascii.unicodeScalars.append(scalar)
            }
        }
        return ascii
    }
}
