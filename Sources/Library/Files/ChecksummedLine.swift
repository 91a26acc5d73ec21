import Domain
import JSON
import Memory

/// One line of a library file: a JSON object whose first member is a checksum, `{"sum":"0123456789abcdef",…}`.
///
/// The checksum is the XXH64 of everything after its closing quote, including the newline, so that any flipped bit is
/// detected. In a log it also covers the checksum of the preceding line, so that a missing or moved line is detected as
/// well.
enum ChecksummedLine {
    private static let opening = Array(#"{"sum":""#.utf8)
    private static let digitsEnd = opening.count + 16
    /// Offset of the other members, starting with the comma before them.
    static let membersStart = digitsEnd + 1
    /// Length of the shortest line: the checksum and no other member.
    static let minLength = digitsEnd + 3

    /// Appends a line and returns its checksum.
    @discardableResult
    static func append(to json: inout JSONWriter, after previous: UInt64? = nil, _ members: (inout JSONWriter) -> Void) -> UInt64
    {
        let start = json.count
        json.object {
            $0.hash("sum", 0)
            members(&$0)
        }
        json.endLine()
        return seal(&json, start..<json.count, after: previous)
    }

    /// Writes a line's checksum into it and returns it.
    @discardableResult
    static func seal(_ json: inout JSONWriter, _ line: Range<Int>, after previous: UInt64? = nil) -> UInt64 {
        let sum = json.withBytes { computed($0, line, after: previous) }
        json.overwrite(hash: sum, at: line.lowerBound + opening.count)
        return sum
    }

    /// The checksum that a line states; nil if the line does not begin as it must.
    static func stored(_ bytes: [UInt8], _ line: Range<Int>) -> UInt64? {
        guard line.count >= minLength, bytes.span.contains(opening, at: line.lowerBound) else { return nil }
        var sum: UInt64 = 0
        for byte in bytes[line.lowerBound + opening.count..<line.lowerBound + digitsEnd] {
            switch byte {
            case 48...57: sum = sum << 4 | UInt64(byte - 48)
            case 97...102: sum = sum << 4 | UInt64(byte - 87)
            default: return nil
            }
        }
        return sum
    }

    /// The checksum computed from a line's bytes.
    static func computed(_ bytes: [UInt8], _ line: Range<Int>, after previous: UInt64? = nil) -> UInt64 {
        computed(bytes.span.bytes, line, after: previous)
    }

    private static func computed(_ bytes: RawSpan, _ line: Range<Int>, after previous: UInt64?) -> UInt64 {
        guard line.count >= minLength else { return 0 }
        var hasher = XXH64()
        if let previous { hasher.update(previous) }
        hasher.update(bytes.extracting(line.lowerBound + digitsEnd..<line.upperBound))
        return hasher.finish()
    }

    /// The checksum of a line that is complete and unchanged; nil otherwise.
    static func verified(_ bytes: [UInt8], _ line: Range<Int>, after previous: UInt64? = nil) -> UInt64? {
        guard let sum = stored(bytes, line), bytes[line.upperBound - 1] == UInt8(ascii: "\n"),
            sum == computed(bytes, line, after: previous)
        else { return nil }
        return sum
    }

    /// The lines of `bytes`, each with its newline. Bytes after the last newline make up the last line.
    static func lines(_ bytes: [UInt8]) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = 0
        while start < bytes.count {
            let end = bytes.firstNewline(in: start..<bytes.count) ?? bytes.count - 1
            lines.append(start..<end + 1)
            start = end + 1
        }
        return lines
    }

    /// A second line within a line, left by a damaged newline between them.
    static func inner(_ bytes: [UInt8], _ line: Range<Int>) -> Range<Int>? {
        var start = line.lowerBound + 1
        while start + minLength <= line.upperBound {
            if bytes.span.contains(opening, at: start) { return start..<line.upperBound }
            start += 1
        }
        return nil
    }

    /// Reads the members of a line into the fields that a value lists.
    static func value<Value: ReadableFields>(_ bytes: [UInt8], _ line: Range<Int>, as type: Value.Type) throws -> Value {
        var json = JSONReader(bytes, in: line)
        let value = try json.value(type)
        try json.finish()
        return value
    }

    /// The text that follows the checksum and `opening`, and the offset of its end; nil if something else follows, or another
    /// text than plain ASCII.
    static func text(after opening: [UInt8], in bytes: [UInt8], _ line: Range<Int>) -> (text: String, end: Int)? {
        let start = line.lowerBound + membersStart + opening.count
        guard start < line.upperBound, bytes.span.contains(opening, at: line.lowerBound + membersStart),
            let end = bytes.span.firstIndex(of: UInt8(ascii: "\""), in: start..<line.upperBound),
            bytes[start..<end].allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        return (String(decoding: bytes[start..<end], as: UTF8.self), end)
    }

    /// Reads the members of a line except `sum`.
    static func read(_ bytes: [UInt8], _ line: Range<Int>, _ member: (inout JSONReader, String) throws -> Void) throws {
        var json = JSONReader(bytes, in: line)
        try json.object { json, key in
            if key == "sum" { try json.skip() } else { try member(&json, key) }
        }
        try json.finish()
    }
}

extension [UInt8] {
    func firstNewline(in range: Range<Int>) -> Int? {
        span.firstIndex(of: 0x0A, in: range)
    }
}
