internal import CScan
import Domain
internal import Memory

/// Writes texts, numbers and dates as bytes.
extension JSONWriter {
    mutating func append(_ bytes: Span<UInt8>) { output.append(bytes.bytes) }

    mutating func quote(_ text: String) {
        output.append(UInt8(ascii: "\""))
        endQuote(text)
    }

    /// Appends the text and its closing quote.
    mutating func endQuote(_ text: String) {
        if text.utf8.withContiguousStorageIfAvailable({ endQuote($0) }) == nil {
            endQuote(Array(text.utf8).span)
        }
    }

    mutating func endQuote(_ text: Span<UInt8>) { text.withUnsafeBufferPointer { endQuote($0) } }

    mutating func endQuote(_ text: UnsafeBufferPointer<UInt8>) {
        escape(text)
        output.append(UInt8(ascii: "\""))
    }

    mutating func quote(_ time: Timestamp) {
        let start = count
        let text = output.skip(22).assumingMemoryBound(to: UInt8.self)
        if let lastTime, lastTime.time == time {
            return UnsafeMutableRawPointer(text).copyMemory(from: output.start + lastTime.offset, byteCount: 22)
        }
        lastTime = (time, start)
        let p = time.parts
        func twoDigits(_ number: Int, at index: Int) {
            text[index] = 48 + UInt8(truncatingIfNeeded: number / 10 % 10)
            text[index + 1] = 48 + UInt8(truncatingIfNeeded: number % 10)
        }
        text[0] = UInt8(ascii: "\"")
        twoDigits(p.year / 100, at: 1)
        twoDigits(p.year % 100, at: 3)
        text[5] = UInt8(ascii: "-")
        twoDigits(p.month, at: 6)
        text[8] = UInt8(ascii: "-")
        twoDigits(p.day, at: 9)
        text[11] = UInt8(ascii: "T")
        twoDigits(p.hour, at: 12)
        text[14] = UInt8(ascii: ":")
        twoDigits(p.minute, at: 15)
        text[17] = UInt8(ascii: ":")
        twoDigits(p.second, at: 18)
        text[20] = UInt8(ascii: "Z")
        text[21] = UInt8(ascii: "\"")
    }

    /// Appends sixteen hexadecimal digits in quotes.
    mutating func quote(hash: UInt64) {
        let text = output.skip(18).assumingMemoryBound(to: UInt8.self)
        text[0] = UInt8(ascii: "\"")
        Self.write(hash, to: text + 1)
        text[17] = UInt8(ascii: "\"")
    }

    /// Replaces the sixteen hexadecimal digits at `offset`.
    public mutating func overwrite(hash: UInt64, at offset: Int) {
        precondition(offset >= 0 && offset + 16 <= count, "the digits must have been written")
        withExtendedLifetime(storage) { Self.write(hash, to: (output.start + offset).assumingMemoryBound(to: UInt8.self)) }
    }

    private static func write(_ hash: UInt64, to text: UnsafeMutablePointer<UInt8>) {
        for index in 0..<16 { text[index] = hexDigit(UInt8(hash >> (60 - 4 * UInt64(index)) & 15)) }
    }

    mutating func digits(_ number: Int) {
        var remaining = number.magnitude
        var length = number < 0 ? 2 : 1
        while remaining >= 10 {
            remaining /= 10
            length += 1
        }
        let text = output.skip(length).assumingMemoryBound(to: UInt8.self)
        if number < 0 { text[0] = UInt8(ascii: "-") }
        remaining = number.magnitude
        repeat {
            length -= 1
            text[length] = 48 + UInt8(truncatingIfNeeded: remaining % 10)
            remaining /= 10
        } while remaining > 0
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }

    /// Escapes the text. Runs that need no escaping are copied in one piece.
    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        guard let start = text.baseAddress else { return }
        var runStart = 0
        var index = 0
        while true {
            index += plainJSONLength(start + index, text.count - index)
            guard index < text.count else { break }
            guard let length = Self.escapedLength(text, index) else {
                index += 1
                continue
            }
            output.append(UnsafeBufferPointer(start: start + runStart, count: index - runStart))
            append(escaped: UnsafeBufferPointer(rebasing: text[index..<index + length]))
            index += length
            runStart = index
        }
        output.append(UnsafeBufferPointer(start: start + runStart, count: text.count - runStart))
    }

    /// The length in bytes of the character at `index` if it must be escaped; nil if not.
    private static func escapedLength(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int? {
        switch text[index] {
        case 0xC2:  // U+0080 to U+009F: control characters
            return index + 1 < text.count && text[index + 1] < 0xA0 ? 2 : nil
        case 0xE2:  // U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069: line ends and text direction
            guard index + 2 < text.count else { return nil }
            switch (text[index + 1], text[index + 2]) {
            case (0x80, 0x8E...0x8F), (0x80, 0xA8...0xAE), (0x81, 0xA6...0xA9): return 3
            default: return nil
            }
        default: return 1
        }
    }

    private mutating func append(escaped character: UnsafeBufferPointer<UInt8>) {
        output.append(UInt8(ascii: "\\"))
        let code: UInt16
        switch character.count {
        case 2: code = UInt16(character[1])
        case 3: code = 0x2000 | UInt16(character[1] & 0x3F) << 6 | UInt16(character[2] & 0x3F)
        default: code = UInt16(character[0])
        }
        switch code {
        case 0x22, 0x5C: output.append(UInt8(code))
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        case 0x09: output.append(UInt8(ascii: "t"))
        default:
            output.append(UInt8(ascii: "u"))
            for shift in [12, 8, 4, 0] as [UInt16] { output.append(Self.hexDigit(UInt8(code >> shift & 15))) }
        }
    }
}
