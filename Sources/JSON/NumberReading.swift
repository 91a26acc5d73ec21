extension JSONReader {
    /// A whole number that fits into an `Int`. `2.0` counts as whole.
    public mutating func integer() throws -> Int {
        if let value = try plainInteger() { return value }
        let first = offset
        let text = try numberText()
        if let value = Int(text) { return value }
        guard let number = Double(text), let whole = Int(exactly: number) else {
            offset = first
            throw error(.wrongType)
        }
        return whole
    }

    /// A number with neither fraction nor exponent that fits into an integer in any case, as nearly all do; another one is
    /// not consumed.
    private mutating func plainInteger() throws -> Int? {
        let isNegative = try start() == UInt8(ascii: "-")
        let first = isNegative ? offset + 1 : offset
        var (last, value) = (first, 0)
        while last < end, last - first < 18, case let digit = bytes[last] &- UInt8(ascii: "0"), digit < 10 {
            value = 10 * value + Int(digit)
            last += 1
        }
        guard last > first, bytes[first] != UInt8(ascii: "0") || last - first == 1 else { return nil }
        if last < end, Self.continuesNumber(bytes[last]) { return nil }
        offset = last
        return isNegative ? -value : value
    }

    private static func continuesNumber(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") || byte &- UInt8(ascii: "0") < 10
    }

    public mutating func number() throws -> Double {
        guard let value = Double(try numberText()) else { throw error(.unexpected) }
        return value
    }

    /// A number exactly as written.
    public mutating func numberText() throws -> String {
        guard try peek() == .number else { throw error(.wrongType) }
        let first = offset
        if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
        let whole = offset
        try digits()
        if bytes[whole] == UInt8(ascii: "0"), offset - whole > 1 { throw error(.unexpected) }
        if offset < end, bytes[offset] == UInt8(ascii: ".") {
            offset += 1
            try digits()
        }
        if offset < end, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            offset += 1
            if offset < end, bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-") { offset += 1 }
            try digits()
        }
        return String(decoding: bytes[first..<offset], as: UTF8.self)
    }

    private mutating func digits() throws {
        let first = offset
        while offset < end, bytes[offset] >= 48, bytes[offset] <= 57 { offset += 1 }
        if offset == first { throw error(.unexpected) }
    }
}
