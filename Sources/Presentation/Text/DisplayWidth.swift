/// The width of text in terminal columns.
extension String {
    public var displayWidth: Int {
        if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
        return reduce(0) { $0 + $1.displayWidth }
    }

    /// At most `width` columns; an ellipsis marks omitted text.
    func truncated(to width: Int) -> String {
        guard displayWidth > width else { return self }
        guard width > 0 else { return "" }
        var result = ""
        var used = 0
        for character in self {
            let next = character.displayWidth
            if used + next > width - 1 { break }
            used += next
            result.append(character)
        }
        while result.last == " " { result.removeLast() }
        return result + "…"
    }

    /// Exactly `width` columns.
    func padded(to width: Int, rightAligned: Bool = false) -> String {
        let text = truncated(to: width)
        let blanks = String(repeating: " ", count: max(0, width - text.displayWidth))
        return rightAligned ? blanks + text : text + blanks
    }

    /// Lines of at most `width` columns, wrapped between words; line breaks in the text are kept.
    ///
    /// - Parameter breakingWords: false keeps a word whole that is wider than a line.
    func wrapped(to width: Int, breakingWords: Bool = true) -> [String] {
        var lines: [String] = []
        for paragraph in split(separator: "\n", omittingEmptySubsequences: false) {
            var line = ""
            var used = 0
            for word in paragraph.split(separator: " ") {
                var word = String(word)
                if used > 0 && used + 1 + word.displayWidth > width {
                    lines.append(line)
                    (line, used) = ("", 0)
                }
                // Chinese, Japanese and URLs have no blanks, and are broken anywhere.
                while breakingWords && word.displayWidth > width {
                    let (head, tail) = word.cut(at: width)
                    lines.append(head)
                    word = tail
                }
                line += (used > 0 ? " " : "") + word
                used = line.displayWidth
            }
            lines.append(line)
        }
        return lines
    }

    private func cut(at width: Int) -> (String, String) {
        var used = 0
        var end = startIndex
        while end < endIndex {
            let next = self[end].displayWidth
            if used + next > max(width, 2) { break }
            used += next
            end = index(after: end)
        }
        return (String(self[..<end]), String(self[end...]))
    }
}

extension Character {
    fileprivate var displayWidth: Int {
        guard unicodeScalars.count > 1, let first = unicodeScalars.first else {
            return unicodeScalars.first?.displayWidth ?? 0
        }
        // An emoji of several parts is one picture. U+FE0F selects the emoji form of a character that is narrow as
        // text.
        let isPicture = first.properties.isEmojiPresentation || first.properties.isEmoji && unicodeScalars.contains("\u{FE0F}")
        return isPicture ? 2 : unicodeScalars.reduce(0) { $0 + $1.displayWidth }
    }
}

extension Unicode.Scalar {
    /// Two columns for East Asian Width W and F (Unicode 15) and for emoji presentation, none for marks.
    fileprivate var displayWidth: Int {
        if value < 0x300 { return 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        if properties.isEmojiPresentation { return 2 }
        switch value {
        case 0x1160...0x11FF: return 0  // vowels and finals of a Hangul syllable
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
            0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
