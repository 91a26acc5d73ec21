/// A moment, in whole seconds since 1970-01-01T00:00:00Z.
///
/// Feeds, HTTP and the library need no finer resolution, and a plain number is cheap to compare and store.
public struct Timestamp: Hashable, Comparable, Sendable {
    public var seconds: Int64

    public init(seconds: Int64) { self.seconds = seconds }

    /// The moments that can be written as text, because their year has four digits.
    public static let writable = Timestamp(seconds: -62_135_596_800)...Timestamp(seconds: 253_402_300_799)

    package static let distantPast = Timestamp(seconds: .min)
    package static let distantFuture = Timestamp(seconds: .max)

    /// Proleptic Gregorian, UTC; nil if a part is out of range. `second` 60 (a leap second) counts as the next minute.
    public init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        guard (1...9999).contains(year), (1...12).contains(month), (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second),
            day >= 1, day <= Timestamp.days(inMonth: month, year: year)
        else { return nil }
        let days = Timestamp.daysSinceEpoch(year: year, month: month, day: day)
        seconds = Int64(days) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
    }

    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.seconds < b.seconds }
    public static func + (a: Timestamp, seconds: Int64) -> Timestamp { Timestamp(seconds: a.seconds + seconds) }
    public static func - (a: Timestamp, seconds: Int64) -> Timestamp { Timestamp(seconds: a.seconds - seconds) }
    public static func - (a: Timestamp, b: Timestamp) -> Int64 { a.seconds - b.seconds }

    /// Days since the epoch, for a valid date. Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
    private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let y = month <= 2 ? year - 1 : year
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func days(inMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }

    /// Year, month, day, hour, minute, second and weekday (0 is Sunday), in UTC.
    public var parts: (year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, weekday: Int) {
        let (quotient, remainder) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let days = Int(remainder < 0 ? quotient - 1 : quotient)
        let secondOfDay = Int(remainder < 0 ? remainder + 86_400 : remainder)
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthIndex + 2) / 5 + 1
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let weekday = ((days % 7) + 11) % 7
        return (year, month, day, secondOfDay / 3_600, secondOfDay / 60 % 60, secondOfDay % 60, weekday)
    }
}

extension Timestamp: LosslessStringConvertible {
    /// `YYYY-MM-DDTHH:MM:SSZ`, the one form in which jimmy writes dates.
    public var description: String {
        let p = parts
        let digits: [(Int, Int)] = [(p.year, 4), (p.month, 2), (p.day, 2), (p.hour, 2), (p.minute, 2), (p.second, 2)]
        let ends: [UInt8] = [45, 45, 84, 58, 58, 90]  // - - T : : Z
        var bytes = [UInt8]()
        bytes.reserveCapacity(20)
        for ((value, width), end) in zip(digits, ends) {
            var divisor = width == 4 ? 1_000 : 10
            while divisor > 0 {
                bytes.append(48 + UInt8(value / divisor % 10))
                divisor /= 10
            }
            bytes.append(end)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Parses exactly the form that `description` writes. Dates in feeds are read by the parser.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 20, bytes[4] == 45, bytes[7] == 45, bytes[10] == 84, bytes[13] == 58, bytes[16] == 58,
            bytes[19] == 90
        else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            var value = 0
            for byte in bytes[range] {
                guard (48...57).contains(byte) else { return nil }
                value = value * 10 + Int(byte - 48)
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19)
        else { return nil }
        self.init(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }
}
