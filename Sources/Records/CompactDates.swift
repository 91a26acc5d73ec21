internal import Domain

/// Dates in whole minutes, newest first, as a short text: the minutes since 1970 of the first and the minutes between one and
/// the next, five bits a character, the highest first; all but the last character of a number are from the second row. The 52 dates of
/// a weekly podcast take 160 bytes.
enum CompactDates {
    private static let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    private static let more = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0189-_".utf8)
    private static let values: [UInt8: (value: Int64, isLast: Bool)] = Dictionary(
        uniqueKeysWithValues: digits.enumerated().map { ($1, (Int64($0), true)) }
            + more.enumerated().map { ($1, (Int64($0), false)) })

    static func text(_ dates: [Timestamp]) -> String {
        var bytes: [UInt8] = []
        var last: Int64?
        for date in dates {
            let minute = date.seconds / 60
            append(max(0, last.map { $0 - minute } ?? minute), to: &bytes)
            last = minute
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ number: Int64, to bytes: inout [UInt8]) {
        var shift: Int64 = 0
        while number >> (shift + 5) > 0 { shift += 5 }
        while shift > 0 {
            bytes.append(more[Int(number >> shift & 31)])
            shift -= 5
        }
        bytes.append(digits[Int(number & 31)])
    }

    /// Stops at a character that no text has.
    static func dates(_ text: String) -> [Timestamp] {
        var dates: [Timestamp] = []
        var number: Int64 = 0
        for byte in text.utf8 {
            guard let (value, isLast) = values[byte], number < 1 << 40 else { break }
            number = number << 5 | value
            guard isLast else { continue }
            dates.append(Timestamp(seconds: (dates.last.map { $0.seconds / 60 - number } ?? number) * 60))
            number = 0
        }
        return dates
    }
}
