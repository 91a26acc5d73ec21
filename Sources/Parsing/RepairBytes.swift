/// How the repair moves over the bytes, and what they can begin.
extension Repair {
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

    /// Leaves out everything up to and with an end; without one, up to the next `>`.
    mutating func skip(past end: String) {
        if let found = find(end, from: index + 2) {
            skip(to: found + end.utf8.count)
        } else {
            warn("markup", "markup without its \(end)")
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
        while end < bytes.count, Self.isNameByte(bytes[end]) { end += 1 }
        return end
    }

    func name(_ range: Range<Int>?) -> String {
        range.map { String(decoding: bytes[$0].prefix(40), as: UTF8.self) } ?? ""
    }

    mutating func warn(_ code: String, _ message: String) {
        warnings.add(code, message, at: index, in: bytes)
    }

    static func startsName(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
            || byte >= 128
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        startsName(byte) || (48...57).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    static func isReferenceByte(_ byte: UInt8) -> Bool { isNameByte(byte) || byte == UInt8(ascii: "#") }

    /// HTML elements that have no end tag, where a feed carries HTML without escaping it.
    static func isVoid(_ name: String) -> Bool {
        ["br", "img", "hr", "input", "wbr", "col", "area", "embed", "meta"].contains(name.lowercased())
    }
}
