internal import Domain

/// Reads the parts of a date in any order.
struct DateScanner {
    let text: Text
    var index = 0

    var year: Int?
    var month: Int?
    var day: Int?
    /// True for a month before the day, which may be a weekday: `mar` is Tuesday in French, Italian and Spanish.
    var monthIsDoubtful = false
    var time: (hour: Int, minute: Int, second: Int)?
    /// Seconds east of Greenwich.
    var offset: Int?
    var isAfternoon: Bool?

    init(_ text: Text) { self.text = text }

    mutating func read() -> Timestamp? {
        guard readCalendarDate() else { return nil }
        while index < text.count {
            let byte = text[index]
            switch byte {
            case 48...57:
                guard readNumber() else { return nil }
            case 65...90, 97...122, 128...255:
                guard readWord() else { return nil }
            case UInt8(ascii: "+"), UInt8(ascii: "-"):
                if time != nil, let next = peek(1), Self.isDigit(next) {
                    index += 1
                    guard readOffset(sign: byte == UInt8(ascii: "-") ? -1 : 1) else { return nil }
                } else {
                    index += 1
                }
            case UInt8(ascii: "("), UInt8(ascii: "["):
                let close = byte == UInt8(ascii: "(") ? UInt8(ascii: ")") : UInt8(ascii: "]")
                while index < text.count, text[index] != close { index += 1 }
                index += 1
            // As in web servers' logs: `01/Mar/2005:10:00:00`.
            case UInt8(ascii: ":") where time == nil && year != nil:
                index += 1
            case 9...13, 32, UInt8(ascii: "_"), UInt8(ascii: ","), UInt8(ascii: "."), UInt8(ascii: ";"), UInt8(ascii: "/"),
                UInt8(ascii: ")"),
                UInt8(ascii: "'"), UInt8(ascii: "\""):
                index += 1
            default:
                return nil
            }
        }
        return assembled()
    }

    private func assembled() -> Timestamp? {
        guard let year, let month, let day else { return nil }
        var time = time ?? (0, 0, 0)
        if let isAfternoon {
            guard time.hour <= 12 || isAfternoon else { return nil }
            if time.hour <= 12 { time.hour = time.hour % 12 + (isAfternoon ? 12 : 0) }
        }
        let moment = Timestamp(
            year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
        return moment.map { $0 - Int64(offset ?? 0) }
    }

    // MARK: Parts in any order

    private mutating func readNumber() -> Bool {
        let length = digitCount(at: index)
        guard length <= 4 else { return false }
        let value = number(at: index, length)
        let after = peek(length)
        if after == UInt8(ascii: ":"), time == nil, length <= 2 { return readTime(UInt8(ascii: ":")) }
        // `10h30`, and `10.30` once the date has been read.
        if time == nil, length <= 2, let after {
            if after | 0x20 == UInt8(ascii: "h"), peek(length + 1).map({ !Self.isLetter($0) }) ?? true { return readTime(after) }
            if after == UInt8(ascii: "."), day != nil, month != nil, year != nil, digitCount(at: index + length + 1) == 2 {
                return readTime(after)
            }
        }
        if time == nil, length <= 2, isHalfOfDay(after: length) {
            time = (value, 0, 0)
            index += length
            return true
        }
        // A zone that lost its sign, as `+` is lost in a URL.
        let isClock = after == UInt8(ascii: ":") && index + length + 3 == text.count
        if length == 4 || isClock, time != nil, year != nil, offset == nil { return readOffset(sign: 1) }
        index += length
        if day == nil, month == nil, year == nil, readNumericDate(value) { return true }
        if length == 4 || (day != nil && year == nil) {
            guard year == nil else { return false }
            year = length == 4 ? value : Self.fullYear(value, length)
        } else if day == nil, length <= 2 {
            day = value
            skipOrdinal()
        } else {
            return false
        }
        return true
    }

    /// `31.12.2004`, `31-12-2004`, `04-12-31`, `12/31/2004`, and `31/12/2004` if the first number is not a month.
    private mutating func readNumericDate(_ first: Int) -> Bool {
        guard let separator = peek(0),
            separator == UInt8(ascii: ".") || separator == UInt8(ascii: "/") || separator == UInt8(ascii: "-")
        else { return false }
        let length = digitCount(at: index + 1)
        let yearStart = index + 2 + length
        guard (1...2).contains(length), yearStart <= text.count, peek(1 + length) == separator else { return false }
        let yearLength = digitCount(at: yearStart)
        guard yearLength == 2 || yearLength == 4 || (yearLength == 1 && separator == UInt8(ascii: "-")) else { return false }
        let second = number(at: index + 1, length)
        let last = number(at: yearStart, yearLength)
        if separator == UInt8(ascii: "-"), yearLength < 4 {
            // ISO 8601 without the century.
            (year, month, day) = (Self.fullYear(first, 2), second, last)
        } else {
            let isMonthFirst = separator == UInt8(ascii: "/") && first <= 12
            (month, day) = isMonthFirst ? (first, second) : (second, first)
            year = yearLength == 4 ? last : Self.fullYear(last, yearLength)
        }
        index = yearStart + yearLength
        return true
    }

    /// `10:14`, `10:14:55`, `10:14:55.7`, the same with points, `10h14`, `10h`.
    private mutating func readTime(_ separator: UInt8) -> Bool {
        var parts: [Int] = []
        while parts.count < 3 {
            let length = digitCount(at: index)
            guard (1...2).contains(length) else { return false }
            parts.append(number(at: index, length))
            index += length
            guard parts.count < 3, peek(0) == separator else { break }
            index += 1
            if Self.isLetter(separator), digitCount(at: index) == 0 {
                parts.append(0)
                break
            }
        }
        guard parts.count >= 2 else { return false }
        time = (parts[0], parts[1], parts.count > 2 ? parts[2] : 0)
        skipFraction()
        return true
    }

    mutating func skipBlanks() {
        while peek(0) == 32 { index += 1 }
    }

    mutating func skipFraction() {
        if let point = peek(0), point == UInt8(ascii: ".") || point == UInt8(ascii: ","), let next = peek(1), Self.isDigit(next) {
            index += 1 + digitCount(at: index + 1)
        }
    }

    private mutating func skipOrdinal() {
        guard let first = peek(0), let second = peek(1) else { return }
        let suffix = String(decoding: [first | 0x20, second | 0x20], as: UTF8.self)
        let follower = peek(2)
        if ["st", "nd", "rd", "th", "er"].contains(suffix), follower.map({ !Self.isLetter($0) }) ?? true { index += 2 }
    }

    /// `+01:00`, `-0500`, `+1`, after the sign.
    private mutating func readOffset(sign: Int) -> Bool {
        let length = digitCount(at: index)
        var hours = 0
        var minutes = 0
        switch length {
        case 1, 2:
            hours = number(at: index, length)
            index += length
            if peek(0) == UInt8(ascii: ":") {
                let minuteLength = digitCount(at: index + 1)
                guard minuteLength == 2 else { return false }
                minutes = number(at: index + 1, 2)
                index += 3
                // Seconds occur only in historical offsets.
                if peek(0) == UInt8(ascii: ":"), digitCount(at: index + 1) == 2 { index += 3 }
            }
        case 3, 4:
            hours = number(at: index, length - 2)
            minutes = number(at: index + length - 2, 2)
            index += length
        default:
            return false
        }
        guard hours < 24, minutes < 60 else { return false }
        offset = sign * (hours * 3_600 + minutes * 60)
        return true
    }

    // MARK: Bytes

    func peek(_ ahead: Int) -> UInt8? { index + ahead < text.count ? text[index + ahead] : nil }

    func digitCount(at start: Int) -> Int {
        var end = start
        while end < text.count, Self.isDigit(text[end]) { end += 1 }
        return end - start
    }

    /// The value of at most nine digits, which must exist.
    func number(at start: Int, _ length: Int) -> Int {
        text.bytes[start..<start + length].reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    static func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) || (97...122).contains(byte) }

    /// 00 to 69 are 20xx, 70 to 99 19xx; three digits count from 1900 (RFC 5322, section 4.3).
    static func fullYear(_ value: Int, _ length: Int) -> Int {
        if length == 3 { return value + 1_900 }
        return value < 70 ? value + 2_000 : value + 1_900
    }
}
