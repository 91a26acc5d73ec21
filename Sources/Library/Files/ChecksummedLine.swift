import Domain
import Glibc
import JSON

/// One line of a library file: `{"sum":"0123456789abcdef",` and the other members, on one line.
///
/// The sum is the XXH64 of everything behind its closing quote, the newline included, so that a flipped bit
/// anywhere in the line is found. Lines of a log count the sum of the line before them in, so that a missing or a
/// moved line is found as well.
enum ChecksummedLine {
    private static let opening = Array(#"{"sum":""#.utf8)
    private static let digitsEnd = opening.count + 16
    /// Where the other members begin, with the comma before them.
    static let membersStart = digitsEnd + 1
    /// The shortest line: the sum and an empty rest.
    private static let minLength = digitsEnd + 3

    /// Appends a line and returns its sum.
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

    /// Gives a line its sum, which it returns.
    @discardableResult
    static func seal(_ json: inout JSONWriter, _ line: Range<Int>, after previous: UInt64? = nil) -> UInt64 {
        let sum = json.withBytes { computed($0, line, after: previous) }
        json.overwrite(hash: sum, at: line.lowerBound + opening.count)
        return sum
    }

    /// The sum that a line says it has; nil where it does not begin as a line must.
    static func stored(_ bytes: [UInt8], _ line: Range<Int>) -> UInt64? {
        guard line.count >= minLength, bytes[line.lowerBound..<line.lowerBound + opening.count].elementsEqual(opening)
        else { return nil }
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

    /// The sum that a line has.
    static func computed(_ bytes: [UInt8], _ line: Range<Int>, after previous: UInt64? = nil) -> UInt64 {
        bytes.withUnsafeBytes { computed($0, line, after: previous) }
    }

    private static func computed(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>, after previous: UInt64?) -> UInt64 {
        guard line.count >= minLength else { return 0 }
        var hasher = XXH64()
        if let previous { hasher.update(previous) }
        hasher.update(bytes.bytes.extracting(line.lowerBound + digitsEnd..<line.upperBound))
        return hasher.finish()
    }

    /// The sum of a line that is whole and what it was when it was written, else nil.
    static func verified(_ bytes: [UInt8], _ line: Range<Int>, after previous: UInt64? = nil) -> UInt64? {
        guard let sum = stored(bytes, line), bytes[line.upperBound - 1] == UInt8(ascii: "\n"),
            sum == computed(bytes, line, after: previous)
        else { return nil }
        return sum
    }

    /// The lines of `bytes`, each with its newline; what stands behind the last newline is the last.
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

    /// A line that stands behind another on the same line, because the newline between them was damaged.
    static func inner(_ bytes: [UInt8], _ line: Range<Int>) -> Range<Int>? {
        var start = line.lowerBound + 1
        while start + minLength <= line.upperBound {
            if bytes[start..<start + opening.count].elementsEqual(opening) { return start..<line.upperBound }
            start += 1
        }
        return nil
    }

    /// The members of a line, `sum` left out.
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
        withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let place = memchr(base + range.lowerBound, 0x0A, range.count)
            else { return nil }
            return UnsafeRawPointer(place) - base
        }
    }
}
