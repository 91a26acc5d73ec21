public import Domain
import Glibc

/// Reads JSON from bytes, value by value, in the order in which it stands (RFC 8259).
///
/// ```swift
/// try json.object { json, key in
///     switch key {
///     case "title": title = try json.string()
///     default: try json.skip()
///     }
/// }
/// ```
/// Structure is read strictly. Four flaws, common in feeds made by hand, are read and counted in `flaws`: a comma after the
/// last element, and inside strings raw control characters, bytes that are no UTF-8, and surrogates without their other half.
public struct JSONReader {
    private let bytes: [UInt8]
    private let end: Int
    /// Where the reading goes on.
    public private(set) var offset: Int
    public private(set) var flaws = 0
    private var depth = 0
    private var scratch: [UInt8] = []

    public static let maxDepth = 128

    public enum Kind: Sendable {
        case object, array, string, number, bool, null
    }

    public init(_ bytes: [UInt8]) {
        self.init(bytes, in: bytes.startIndex..<bytes.endIndex)
    }

    /// Reads the value that stands in a part of `bytes`.
    public init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
        if end - offset >= 3, bytes[offset] == 0xEF, bytes[offset + 1] == 0xBB, bytes[offset + 2] == 0xBF {
            offset += 3
        }
    }

    // MARK: Values

    /// What the next value is, without reading it.
    public mutating func peek() throws -> Kind {
        switch try start() {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        default: throw error(.unexpected)
        }
    }

    /// Calls `member` for each key, in order; it must read or skip the value.
    public mutating func object(_ member: (inout JSONReader, String) throws -> Void) throws {
        try open(UInt8(ascii: "{"))
        var next = try start()
        if next == UInt8(ascii: "}") { return close() }
        while true {
            guard next == UInt8(ascii: "\"") else { throw error(.unexpected) }
            let key = try string()
            guard try start() == UInt8(ascii: ":") else { throw error(.unexpected) }
            offset += 1
            try member(&self, key)
            next = try start()
            if next == UInt8(ascii: "}") { return close() }
            guard next == UInt8(ascii: ",") else { throw error(.unexpected) }
            offset += 1
            next = try start()
            if next == UInt8(ascii: "}") {
                flaws += 1
                return close()
            }
        }
    }

    /// Calls `element` for each element, in order; it must read or skip it.
    public mutating func array(_ element: (inout JSONReader) throws -> Void) throws {
        try open(UInt8(ascii: "["))
        if try start() == UInt8(ascii: "]") { return close() }
        while true {
            try element(&self)
            let next = try start()
            if next == UInt8(ascii: "]") { return close() }
            guard next == UInt8(ascii: ",") else { throw error(.unexpected) }
            offset += 1
            if try start() == UInt8(ascii: "]") {
                flaws += 1
                return close()
            }
        }
    }

    public mutating func string() throws -> String {
        guard try start() == UInt8(ascii: "\"") else { throw error(.wrongType) }
        offset += 1
        let text = try stringBody()
        offset += 1
        return text
    }

    /// A number without a fraction that fits.
    public mutating func integer() throws -> Int {
        let first = offset
        let text = try numberText()
        if let value = Int(text) { return value }
        guard let number = Double(text), let whole = Int(exactly: number) else {
            offset = first
            throw error(.wrongType)
        }
        return whole
    }

    public mutating func number() throws -> Double {
        guard let value = Double(try numberText()) else { throw error(.unexpected) }
        return value
    }

    /// A number exactly as it is written.
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

    public mutating func bool() throws -> Bool {
        switch try start() {
        case UInt8(ascii: "t"):
            try word("true")
            return true
        case UInt8(ascii: "f"):
            try word("false")
            return false
        default: throw error(.wrongType)
        }
    }

    /// Reads a null if that is what comes next.
    public mutating func null() throws -> Bool {
        guard try start() == UInt8(ascii: "n") else { return false }
        try word("null")
        return true
    }

    /// Passes over the next value, whatever it is, and says where it stands in the bytes.
    @discardableResult
    public mutating func skip() throws -> Range<Int> {
        let kind = try peek()
        let first = offset
        switch kind {
        case .object: try object { json, _ in try json.skip() }
        case .array: try array { try $0.skip() }
        case .string: try skipString()
        case .number: _ = try numberText()
        case .bool: _ = try bool()
        case .null: _ = try null()
        }
        return first..<offset
    }

    /// Nothing but blanks may follow the value.
    public mutating func finish() throws {
        skipBlanks()
        if offset < end { throw error(.unexpected) }
    }

    public func error(_ reason: JSONError.Reason) -> JSONError {
        JSONError(reason: offset < end ? reason : .ended, offset: min(offset, end))
    }

    // MARK: Structure

    /// The first byte of what comes next, not yet consumed.
    @inline(__always)
    private mutating func start() throws -> UInt8 {
        if offset < end, bytes[offset] > 0x20 { return bytes[offset] }
        skipBlanks()
        guard offset < end else { throw error(.ended) }
        return bytes[offset]
    }

    private mutating func skipBlanks() {
        while offset < end, case let byte = bytes[offset], byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            offset += 1
        }
    }

    private mutating func open(_ bracket: UInt8) throws {
        guard try start() == bracket else { throw error(.wrongType) }
        guard depth < Self.maxDepth else { throw error(.tooDeep) }
        depth += 1
        offset += 1
    }

    private mutating func close() {
        depth -= 1
        offset += 1
    }

    private mutating func word(_ word: StaticString) throws {
        let length = word.utf8CodeUnitCount
        guard end - offset >= length,
            bytes[offset..<offset + length].elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: length))
        else { throw error(.unexpected) }
        offset += length
    }

    private mutating func digits() throws {
        let first = offset
        while offset < end, bytes[offset] >= 48, bytes[offset] <= 57 { offset += 1 }
        if offset == first { throw error(.unexpected) }
    }

    // MARK: Strings

    /// From `offset` to the closing quote, which is left to be consumed.
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
        // Faster than validating first: what was repaired is not what it was.
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

    private mutating func skipString() throws {
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

    /// The next quote, backslash or control character.
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

    // MARK: jimmy's own forms

    /// The one form in which jimmy writes dates, read without making a string of it.
    public mutating func time() throws -> Timestamp {
        guard try start() == UInt8(ascii: "\""), end - offset >= 22, bytes[offset + 21] == UInt8(ascii: "\""),
            bytes[offset + 5] == UInt8(ascii: "-"), bytes[offset + 8] == UInt8(ascii: "-"),
            bytes[offset + 11] == UInt8(ascii: "T"), bytes[offset + 14] == UInt8(ascii: ":"),
            bytes[offset + 17] == UInt8(ascii: ":"), bytes[offset + 20] == UInt8(ascii: "Z"),
            let century = twoDigits(1), let year = twoDigits(3), let month = twoDigits(6), let day = twoDigits(9),
            let hour = twoDigits(12), let minute = twoDigits(15), let second = twoDigits(18),
            let time = Timestamp(
                year: century * 100 + year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { throw error(.wrongType) }
        offset += 22
        return time
    }

    private func twoDigits(_ distance: Int) -> Int? {
        let (tens, ones) = (bytes[offset + distance], bytes[offset + distance + 1])
        guard tens >= 48, tens <= 57, ones >= 48, ones <= 57 else { return nil }
        return Int(tens - 48) * 10 + Int(ones - 48)
    }

    /// 16 hexadecimal digits in a string.
    public mutating func hash() throws -> UInt64 {
        let first = offset
        let text = try string()
        var value: UInt64 = 0
        if text.utf8.count == 16, text.utf8.allSatisfy({ byte in
            guard let digit = hexValue(byte) else { return false }
            value = value << 4 | UInt64(digit)
            return true
        }) { return value }
        offset = first
        throw error(.wrongType)
    }
}

private func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: return byte - 48
    case 65...70: return byte - 55
    case 97...102: return byte - 87
    default: return nil
    }
}
