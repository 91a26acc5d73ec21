import Glibc

/// Reads strings, which are most of a feed. Text without escapes is copied in one piece.
extension JSONReader {
    public mutating func string() throws -> String {
        guard try start() == UInt8(ascii: "\"") else { throw error(.wrongType) }
        offset += 1
        let text = try stringBody()
        offset += 1
        return text
    }

    /// Reads up to the closing quote, which is not consumed.
    private mutating func stringBody() throws -> String {
        let first = offset
        let stop = Self.nextSpecial(bytes, from: first, to: end)
        if stop < end, bytes[stop] == UInt8(ascii: "\"") {
            offset = stop
            return bytes.withUnsafeBufferPointer { text(UnsafeBufferPointer(rebasing: $0[first..<stop])) }
        }
        scratch.removeAll(keepingCapacity: true)
        scratch.append(contentsOf: bytes[first..<stop])
        offset = stop
        while true {
            guard offset < end else { throw error(.ended) }
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                let decoded = scratch
                return decoded.withUnsafeBufferPointer { text($0) }
            case UInt8(ascii: "\\"): try escape()
            default:  // a raw control character
                flaws += 1
                scratch.append(bytes[offset])
                offset += 1
            }
            let run = offset
            offset = Self.nextSpecial(bytes, from: run, to: end)
            scratch.append(contentsOf: bytes[run..<offset])
        }
    }

    private mutating func text(_ utf8: UnsafeBufferPointer<UInt8>) -> String {
        // Comparing with the decoded text is faster than validating first: they differ only if the bytes were repaired.
        var text = String(decoding: utf8, as: UTF8.self)
        let isSame = text.withUTF8 { decoded in
            guard let a = decoded.baseAddress, let b = utf8.baseAddress else { return decoded.count == utf8.count }
            return decoded.count == utf8.count && memcmp(a, b, utf8.count) == 0
        }
        if !isSame { flaws += 1 }
        return text
    }

    private mutating func escape() throws {
        guard offset + 1 < end else {
            offset = end
            throw error(.ended)
        }
        let code = bytes[offset + 1]
        switch code {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scratch.append(code)
        case UInt8(ascii: "n"): scratch.append(0x0A)
        case UInt8(ascii: "r"): scratch.append(0x0D)
        case UInt8(ascii: "t"): scratch.append(0x09)
        case UInt8(ascii: "b"): scratch.append(0x08)
        case UInt8(ascii: "f"): scratch.append(0x0C)
        case UInt8(ascii: "u"):
            var scalar = try codeUnit(at: offset + 2)
            offset += 4
            if scalar & 0xFC00 == 0xD800, offset + 7 < end, bytes[offset + 2] == UInt8(ascii: "\\"),
                bytes[offset + 3] == UInt8(ascii: "u"), case let low = try codeUnit(at: offset + 4),
                low & 0xFC00 == 0xDC00
            {
                scalar = 0x10000 + (scalar & 0x3FF) << 10 + (low & 0x3FF)
                offset += 6
            }
            if Unicode.Scalar(scalar) == nil { flaws += 1 }
            scratch.append(contentsOf: UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
        default: throw error(.unexpected)
        }
        offset += 2
    }

    private func codeUnit(at index: Int) throws -> UInt32 {
        guard index + 4 <= end else { throw error(.unexpected) }
        var value: UInt32 = 0
        for byte in bytes[index..<index + 4] {
            guard let digit = hexValue(byte) else { throw error(.unexpected) }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    mutating func skipString() throws {
        offset += 1
        while true {
            offset = Self.nextSpecial(bytes, from: offset, to: end)
            guard offset < end else { throw error(.ended) }
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                return
            case UInt8(ascii: "\\"): offset += 2
            default:
                flaws += 1
                offset += 1
            }
        }
    }

    /// The offset of the next quote, backslash or control character.
    private static func nextSpecial(_ bytes: [UInt8], from start: Int, to end: Int) -> Int {
        bytes.withUnsafeBytes { raw in
            var index = start
            while index + 8 <= end, !WordScan.hasSpecial(raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)) {
                index += 8
            }
            while index < end, case let byte = raw[index], byte >= 0x20, byte != 0x22, byte != 0x5C { index += 1 }
            return min(index, end)
        }
    }
}

func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: return byte - 48
    case 65...70: return byte - 55
    case 97...102: return byte - 87
    default: return nil
    }
}
