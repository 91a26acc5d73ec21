internal import Domain

/// Cursor movement and character classes of the repair.
extension XMLRepair {
    func peek(_ ahead: Int) -> UInt8? { index + ahead < bytes.count ? bytes[index + ahead] : nil }

    func starts(_ text: StaticString, ignoringCase: Bool = false) -> Bool {
        let count = text.utf8CodeUnitCount
        guard index + count <= bytes.count else { return false }
        for offset in 0..<count {
            let byte = bytes[index + offset]
            let wanted = text.utf8Start[offset]
            guard byte == wanted || (ignoringCase && byte & 0xDF == wanted) else { return false }
        }
        return true
    }

    mutating func find(_ text: String, from start: Int) -> Int? {
        guard !missing.contains(text) else { return nil }
        let wanted = Array(text.utf8)
        var position = start
        while position + wanted.count <= bytes.count {
            guard let hit = bytes[position...].firstIndex(of: wanted[0]) else { break }
            if bytes[hit...].starts(with: wanted) { return hit }
            position = hit + 1
        }
        missing.insert(text)
        return nil
    }

    /// Skips to the end of `end`, or to the next `>` if there is no `end`.
    mutating func skip(past end: String) {
        if let start = find(end, from: index + 2) {
            skip(to: start + end.utf8.count)
        } else {
            warn(.markup, "markup without its \(end)")
            let close = bytes[index...].firstIndex(of: UInt8(ascii: ">"))
            skip(to: close.map { $0 + 1 } ?? bytes.count)
        }
    }

    mutating func skip(to end: Int) {
        for byte in bytes[index..<end] { keepLine(byte) }
        index = end
    }

    mutating func keepLine(_ byte: UInt8) {
        if byte == UInt8(ascii: "\n") { output.append(byte) }
    }

    func endOfName(_ start: Int) -> Int {
        var end = start
        while end < bytes.count, Self.isNameByte(bytes[end]) {
            let length = bytes[end] < 128 ? 1 : nameCharacterLength(at: end, isFirst: end == start)
            if length == 0 { break }
            end += length
        }
        return end
    }

    /// The length of a non-ASCII character; 0 if it is not allowed in names, since libxml2 gives up on such a tag.
    /// Source: XML 1.0, production 4.
    private func nameCharacterLength(at start: Int, isFirst: Bool) -> Int {
        let first = bytes[start]
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        guard first >= 0xC2, start + length <= bytes.count else { return 0 }
        let value = bytes[start + 1..<start + length].reduce(UInt32(first) & (0xFF >> UInt32(length + 1))) {
            $0 << 6 | UInt32($1 & 0x3F)
        }
        switch value {
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D, 0x2070...0x218F,
            0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF:
            return length
        case 0xB7, 0x300...0x36F, 0x203F...0x2040: return isFirst ? 0 : length
        default: return 0
        }
    }

    func name(_ range: Range<Int>?) -> String {
        range.map { String(decoding: bytes[$0].prefix(40), as: UTF8.self) } ?? ""
    }

    mutating func warn(_ kind: RepairWarnings.Kind, _ message: String) {
        warnings.add(kind, message, at: index, in: bytes)
    }

    /// - Throws: `NotAFeed.tooLarge` if escapes and entities make the document much larger.
    @inline(__always)
    func checkGrowth() throws {
        if output.count > bytes.count + max(bytes.count / 4, Self.growth) { throw NotAFeed.tooLarge }
    }

    static func startsName(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
            || byte >= 128
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        startsName(byte) || (48...57).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    static func isReferenceByte(_ byte: UInt8) -> Bool { isNameByte(byte) || byte == UInt8(ascii: "#") }

    /// HTML elements without end tags, for feeds that contain HTML without escaping it.
    static func isVoid(_ name: String) -> Bool {
        ["br", "img", "hr", "input", "wbr", "col", "area", "embed", "meta"].contains(name.lowercased())
    }
}
