/// Dates of HTTP headers: IMF-fixdate, and the RFC 850 and asctime forms that old servers still send.
///
/// Source: RFC 9110, section 5.6.7. Servers also spell GMT as `UTC` or `+0000`, and omit the day name.
public enum HTTPDate {
    /// nil if the text is not such a date.
    public static func parse(_ text: String) -> Timestamp? {
        var words = text.split { $0 == " " || $0 == "," || $0 == "-" || $0 == "\t" }
        if let first = words.first, days.contains(where: { first.lowercased().hasPrefix($0) }) { words.removeFirst() }
        guard words.count >= 4 else { return nil }
        if let month = month(words[0]) {
            // asctime: Nov  6 08:49:37 1994
            return date(day: words[1], month: month, year: words[3], time: words[2])
        }
        guard let month = month(words[1]), words.count == 4 || zones.contains(words[4].uppercased()) else { return nil }
        return date(day: words[0], month: month, year: words[2], time: words[3])
    }

    private static let days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    private static let zones: Set<String> = ["GMT", "UTC", "UT", "Z", "+0000", "0000"]

    private static func month(_ word: Substring) -> Int? {
        months.firstIndex(of: String(word.lowercased().prefix(3))).map { $0 + 1 }
    }

    private static func date(day: Substring, month: Int, year: Substring, time: Substring) -> Timestamp? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            let day = Int(day), var year = Int(year)
        else { return nil }
        // RFC 850 dates have two-digit years.
        if year < 100 { year += year < 70 ? 2_000 : 1_900 }
        return Timestamp(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }
}
