/// Repairs text between tags, and resolves references in text and attributes.
extension XMLRepair {
    mutating func readText() throws {
        while index < bytes.count, bytes[index] != UInt8(ascii: "<") {
            guard rootSeen else {
                keepLine(bytes[index])
                if !Text.isBlank(bytes[index]) { warn(.junk, "something stands before the document") }
                index += 1
                continue
            }
            if bytes[index] == UInt8(ascii: "&") {
                index = try copyReference(at: index, limit: bytes.count, inAttribute: false)
            } else if bytes[index] == UInt8(ascii: ">"), endsInBrackets {
                try checkGrowth()
                output.append(contentsOf: "&#62;".utf8)
                index += 1
            } else {
                index = copyCharacter(at: index)
            }
        }
    }

    /// True before a `>` that would complete `]]>`, which text must not contain.
    var endsInBrackets: Bool {
        output.count >= 2 && output[output.count - 1] == UInt8(ascii: "]") && output[output.count - 2] == UInt8(ascii: "]")
    }

    /// Writes the meaning of a reference and returns the position after it.
    mutating func copyReference(at start: Int, limit: Int, inAttribute: Bool) throws -> Int {
        try checkGrowth()
        var semicolon = start + 1
        let window = min(start + 64, limit)
        while semicolon < window, Self.isReferenceByte(bytes[semicolon]) { semicolon += 1 }
        guard semicolon < window, bytes[semicolon] == UInt8(ascii: ";"), semicolon > start + 1 else {
            warn(.entity, "a stray &")
            output.append(contentsOf: "&#38;".utf8)
            return start + 1
        }
        let name = String(decoding: bytes[start + 1..<semicolon], as: UTF8.self)
        switch try entities.meaning(of: name, inAttribute: inAttribute) {
        case .itself: output.append(contentsOf: bytes[start...semicolon])
        case .declared(let replacement): output.append(contentsOf: replacement)
        case .html(let character):
            warn(.entity, "&\(name); is not declared")
            output.append(contentsOf: character.utf8)
        case .nothing:
            warn(.entity, "&\(name); is no character of XML")
            if let (scalar, end) = surrogatePair(name, behind: semicolon, limit: limit) {
                output.append(contentsOf: "&#\(scalar.value);".utf8)
                return end
            }
        case .unknown:
            warn(.entity, "&\(name); is not declared")
            output.append(contentsOf: "&#38;".utf8)
            return start + 1
        }
        return semicolon + 1
    }

    /// The character of two references that each give half of it, as programs write that count in UTF-16.
    private func surrogatePair(_ name: String, behind semicolon: Int, limit: Int) -> (Unicode.Scalar, end: Int)? {
        guard let high = DocumentEntities.number(name), (0xD800...0xDBFF).contains(high), semicolon + 2 < limit,
            bytes[semicolon + 1] == UInt8(ascii: "&"), bytes[semicolon + 2] == UInt8(ascii: "#")
        else { return nil }
        let start = semicolon + 2
        var end = start
        while end < min(start + 12, limit), Self.isReferenceByte(bytes[end]) { end += 1 }
        guard end < limit, bytes[end] == UInt8(ascii: ";"),
            let low = DocumentEntities.number(String(decoding: bytes[start..<end], as: UTF8.self)),
            (0xDC00...0xDFFF).contains(low), let scalar = Unicode.Scalar(0x10000 + ((high - 0xD800) << 10 | (low - 0xDC00)))
        else { return nil }
        return (scalar, end + 1)
    }

    mutating func copyCharacters(_ range: Range<Int>) {
        var position = range.lowerBound
        while position < range.upperBound { position = copyCharacter(at: position) }
    }

    /// Copies one byte, or skips a character that XML does not allow. Source: XML 1.0, production 2.
    @inline(__always)
    mutating func copyCharacter(at position: Int) -> Int {
        let byte = bytes[position]
        if byte < 32, byte != 9, byte != 10, byte != 13 {
            warn(.control, "a control character")
            return position + 1
        }
        // U+FFFE and U+FFFF.
        if byte == 0xEF, position + 2 < bytes.count, bytes[position + 1] == 0xBF, bytes[position + 2] >= 0xBE {
            warn(.control, "a character that is none")
            return position + 3
        }
        output.append(byte)
        return position + 1
    }
}
