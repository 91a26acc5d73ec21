internal import CLibXML

/// What keeps a text from being read as a well-formed document's.
enum TextFault: Error {
    /// A byte that does not begin a character of XML, or an ampersand that begins no reference.
    case malformed(at: Int)
    /// An entity that is not one of XML's own five.
    case entity
}

extension TextLook {
    /// - Throws: where there is what XML does not have. Source: XML 1.0, production 2.
    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(TextFault) {
        self = lookAtText(bytes.baseAddress, bytes.count)
        if hasControls { throw .malformed(at: bytes.firstIndex { $0 < 32 && ![9, 10, 13].contains($0) } ?? 0) }
        if !isASCII, let fault = UTF8Check.firstFault(in: bytes) { throw .malformed(at: fault) }
    }
}

extension TextBuffer {
    /// Appends a text with references, each of them resolved, and line breaks as XML wants them.
    mutating func append(resolving bytes: UnsafeBufferPointer<UInt8>, hasReturns: Bool) throws(TextFault) {
        var position = 0
        while position < bytes.count {
            // Escaped tags are full of references: the next one is looked for by hand before the C library is called.
            var ampersand = position
            let near = min(position + 12, bytes.count)
            while ampersand < near, bytes[ampersand] != UInt8(ascii: "&") { ampersand += 1 }
            if ampersand == near { ampersand = bytes.index(of: "&", in: near..<bytes.count) ?? bytes.count }
            if hasReturns {
                appendLines(bytes[position..<ampersand])
            } else {
                append(bytes[position..<ampersand])
            }
            if ampersand == bytes.count { return }
            position = try appendReference(bytes, at: ampersand)
        }
    }

    /// Line breaks are one line feed each. Source: XML 1.0, section 2.11.
    private mutating func appendLines(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        for index in bytes.indices {
            if bytes[index] != 13 {
                append(bytes[index])
            } else if index + 1 == bytes.endIndex || bytes[index + 1] != 10 {
                append(10)
            }
        }
    }

    /// - Returns: the position behind the reference.
    private mutating func appendReference(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) throws(TextFault) -> Int {
        if let (character, length) = Self.usual(bytes, at: start) {
            append(character)
            return start + length
        }
        guard start + 1 < bytes.count else { throw .malformed(at: start) }
        guard bytes[start + 1] == UInt8(ascii: "#") else {
            // The repair pass tells an entity from a stray ampersand.
            throw Repair.startsName(bytes[start + 1]) ? .entity : .malformed(at: start)
        }
        let isHexadecimal = start + 2 < bytes.count && bytes[start + 2] == UInt8(ascii: "x")
        let radix: UInt32 = isHexadecimal ? 16 : 10
        var position = start + (isHexadecimal ? 3 : 2)
        let digits = position
        var value: UInt32 = 0
        while position < bytes.count, let digit = Self.value(ofDigit: bytes[position]), digit < radix {
            value = min(value * radix + digit, 0x110000)
            position += 1
        }
        guard position > digits, position < bytes.count, bytes[position] == UInt8(ascii: ";"),
            let scalar = Unicode.Scalar(value), scalar.value >= 32 || [9, 10, 13].contains(scalar.value),
            scalar.value != 0xFFFE, scalar.value != 0xFFFF
        else { throw .malformed(at: start) }
        UTF8.encode(scalar)?.forEach { append($0) }
        return position + 1
    }

    /// One of XML's own five, and its length.
    @inline(__always)
    private static func usual(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> (UInt8, Int)? {
        func has(_ text: StaticString) -> Bool {
            guard start + text.utf8CodeUnitCount <= bytes.count else { return false }
            return (0..<text.utf8CodeUnitCount).allSatisfy { bytes[start + $0] == text.utf8Start[$0] }
        }
        if has("&lt;") { return (UInt8(ascii: "<"), 4) }
        if has("&gt;") { return (UInt8(ascii: ">"), 4) }
        if has("&amp;") { return (UInt8(ascii: "&"), 5) }
        if has("&quot;") { return (UInt8(ascii: "\""), 6) }
        if has("&apos;") { return (UInt8(ascii: "'"), 6) }
        return nil
    }

    private static func value(ofDigit byte: UInt8) -> UInt32? {
        switch byte {
        case 48...57: UInt32(byte - 48)
        case 65...70, 97...102: UInt32(byte | 0x20) - 87
        default: nil
        }
    }
}
