/// A pull parser for JSON (RFC 8259): reads value by value, in document order.
///
/// ```swift
/// try json.object { json, key in
///     switch key {
///     case "title": title = try json.string()
///     default: try json.skip()
///     }
/// }
/// ```
/// Structure is read strictly. Four flaws that are common in handwritten feeds are accepted and counted in `flaws`: a
/// trailing comma and, inside strings, raw control characters, invalid UTF-8, and lone surrogates.
public struct JSONReader {
    let bytes: [UInt8]
    let end: Int
    /// The offset of the next byte to read.
    public internal(set) var offset: Int
    public internal(set) var flaws = 0
    private var depth = 0
    var scratch: [UInt8] = []
    /// The name of the member whose value comes next, while an object is read into fields; nil at its end.
    var member: Range<Int>?
    /// True while one member is read for a caller that walks through the object itself.
    var isAlone = false
    /// The last key that `object` has read.
    private(set) var key = 0..<0
    /// Why a field could not be read.
    var failure: (any Error)?

    public static let maxDepth = 128

    public enum Kind: Sendable {
        case object, array, string, number, bool, null
    }

    public init(_ bytes: [UInt8]) {
        self.init(bytes, in: bytes.startIndex..<bytes.endIndex)
    }

    /// Reads one value from a range of `bytes`.
    public init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
        if end - offset >= 3, bytes[offset] == 0xEF, bytes[offset + 1] == 0xBB, bytes[offset + 2] == 0xBF {
            offset += 3
        }
    }

    // MARK: Values

    /// The kind of the next value, which is not consumed.
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
            let first = offset + 1
            let name = try string()
            key = first..<offset - 1
            guard try start() == UInt8(ascii: ":") else { throw error(.unexpected) }
            offset += 1
            try member(&self, name)
            guard try hasNext(UInt8(ascii: "}")) else { return close() }
            next = try start()
        }
    }

    /// Calls `element` for each element, in order; it must read or skip it.
    public mutating func array(_ element: (inout JSONReader) throws -> Void) throws {
        try open(UInt8(ascii: "["))
        if try start() == UInt8(ascii: "]") { return close() }
        while true {
            try element(&self)
            guard try hasNext(UInt8(ascii: "]")) else { return close() }
        }
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

    /// Consumes a null if one comes next.
    public mutating func null() throws -> Bool {
        guard try start() == UInt8(ascii: "n") else { return false }
        try word("null")
        return true
    }

    /// Skips the next value of any kind and returns its range in the bytes.
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

    /// Throws if anything but white space follows the value.
    public mutating func finish() throws {
        skipBlanks()
        if offset < end { throw error(.unexpected) }
    }

    public func error(_ reason: JSONError.Reason) -> JSONError {
        JSONError(reason: offset < end ? reason : .ended, offset: min(offset, end))
    }

    // MARK: Structure

    /// The first byte of the next token, which is not consumed.
    @inline(__always)
    mutating func start() throws -> UInt8 {
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

    /// Consumes the comma before another element; false at the closing bracket, which is not consumed.
    mutating func hasNext(_ bracket: UInt8) throws -> Bool {
        let next = try start()
        if next == bracket { return false }
        guard next == UInt8(ascii: ",") else { throw error(.unexpected) }
        offset += 1
        guard try start() == bracket else { return true }
        flaws += 1
        return false
    }

    /// The name of a member, and the colon. One with escapes is none of ours: it names no field.
    mutating func memberName() throws -> Range<Int> {
        guard try start() == UInt8(ascii: "\"") else { throw error(.unexpected) }
        let first = offset + 1
        try skipString()
        let name = first..<offset - 1
        guard try start() == UInt8(ascii: ":") else { throw error(.unexpected) }
        offset += 1
        return name
    }

    mutating func open(_ bracket: UInt8) throws {
        guard try start() == bracket else { throw error(.wrongType) }
        guard depth < Self.maxDepth else { throw error(.tooDeep) }
        depth += 1
        offset += 1
    }

    mutating func close() {
        depth -= 1
        offset += 1
    }

    private mutating func word(_ word: StaticString) throws {
        let length = word.utf8CodeUnitCount
        guard end - offset >= length,
            word.withUTF8Buffer({ bytes[offset..<offset + length].elementsEqual($0) })
        else { throw error(.unexpected) }
        offset += length
    }
}
