extension ReferenceTable {
    struct Entry {
        let first: Unicode.Scalar
        let second: Unicode.Scalar?
        let needsNoSemicolon: Bool
    }

    /// `CounterClockwiseContourIntegral`.
    static let maxNameLength = 31

    /// A binary search of the table: the entry around the middle begins after the separator before it.
    ///
    /// - Parameter name: only letters and digits, so that no comparison reads past the end of an entry's name.
    static func entry(for text: Span<UInt8>, _ name: Range<Int>) -> Entry? {
        if let control = control(text, name) { return control }
        return entries.withUTF8Buffer { entry(for: text, name, in: $0.span) }
    }

    private static func entry(for text: Span<UInt8>, _ name: Range<Int>, in table: Span<UInt8>) -> Entry? {
        var (low, high) = (0, table.count)
        while low < high {
            var start = low + (high - low) / 2
            while start > low, table[start - 1] > 32 { start -= 1 }
            var position = start
            var index = name.lowerBound
            while index < name.upperBound, table[position] == text[index] {
                position += 1
                index += 1
            }
            let mark = table[position]
            let isAtEnd = mark == UInt8(ascii: ";") || mark == UInt8(ascii: ":")
            if isAtEnd, index == name.upperBound {
                return Entry(table, from: position + 1, needsNoSemicolon: mark == UInt8(ascii: ":"))
            }
            // The end of a name comes before every letter and digit.
            if index == name.upperBound || (!isAtEnd && text[index] < mark) {
                high = start
            } else {
                while position < high, table[position] > 32 { position += 1 }
                low = position + 1
            }
        }
        return nil
    }

    private static func control(_ text: Span<UInt8>, _ name: Range<Int>) -> Entry? {
        if isSame(text, name, "Tab") { return Entry(first: "\t", second: nil, needsNoSemicolon: false) }
        if isSame(text, name, "NewLine") { return Entry(first: "\n", second: nil, needsNoSemicolon: false) }
        return nil
    }

    private static func isSame(_ text: Span<UInt8>, _ name: Range<Int>, _ wanted: StaticString) -> Bool {
        guard name.count == wanted.utf8CodeUnitCount else { return false }
        return name.allSatisfy { text[$0] == wanted.utf8Start[$0 - name.lowerBound] }
    }
}

extension ReferenceTable.Entry {
    /// Reads the one or two characters up to the next separator.
    fileprivate init(_ table: Span<UInt8>, from start: Int, needsNoSemicolon: Bool) {
        var position = start
        first = Self.next(table, &position) ?? "\u{FFFD}"
        second = Self.next(table, &position)
        self.needsNoSemicolon = needsNoSemicolon
    }

    /// A character of the table, which is valid UTF-8; nil at the separator.
    private static func next(_ table: Span<UInt8>, _ position: inout Int) -> Unicode.Scalar? {
        guard position < table.count, table[position] > 32 else { return nil }
        let lead = table[position]
        let followers = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3
        var value = UInt32(followers == 0 ? lead : lead & (0x3F >> UInt8(followers)))
        for offset in 0..<followers { value = value << 6 | UInt32(table[position + 1 + offset] & 0x3F) }
        position += followers + 1
        return Unicode.Scalar(value)
    }
}
