public import Domain
import Glibc

/// Dates, spans, sizes and counts in words.
extension Timestamp {
    /// `3 minutes ago`, `yesterday`, `in 2 hours`, `12 Mar`, `12 Mar 2019`.
    public func relative(to now: Timestamp) -> String {
        let distance = now - self
        // An event of this second may be recorded with the next one.
        if abs(distance) < 60 { return distance < -1 ? "in a moment" : "just now" }
        guard let span = span(to: now) else { return day(seenFrom: now) }
        return distance < 0 ? "in \(span)" : "\(span) ago"
    }

    /// For something that began then and continues: `for 3 minutes`, `since yesterday`, `since 12 Mar`; nil in its
    /// first minute.
    func lasting(until now: Timestamp) -> String? {
        if now - self < 60 { return nil }
        return span(to: now).map { "for \($0)" } ?? "since \(day(seenFrom: now))"
    }

    /// `3 minutes`; nil if a date is clearer.
    private func span(to now: Timestamp) -> String? {
        let distance = abs(now - self)
        return switch distance {
        case ..<3_600: counted(distance / 60, "minute")
        case ..<86_400: counted(distance / 3_600, "hour")
        case (2 * 86_400)..<(14 * 86_400): counted(distance / 86_400, "day")
        default: nil
        }
    }

    private func day(seenFrom now: Timestamp) -> String {
        guard abs(now - self) < 2 * 86_400 else { return shortDate(showingYear: parts.year != now.parts.year) }
        return now < self ? "tomorrow" : "yesterday"
    }

    private func shortDate(showingYear: Bool) -> String {
        let (date, _) = localParts
        let month = Self.monthName(date.month)
        return showingYear ? "\(date.day) \(month) \(date.year)" : "\(date.day) \(month)"
    }

    /// `12 Mar`, in UTC.
    var shortDate: String { "\(parts.day) \(Self.monthName(parts.month))" }

    var weekdayName: String { ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][parts.weekday] }

    static func monthName(_ month: Int) -> String {
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][month - 1]
    }

    /// `2024-03-01 14:05`, in the user's time zone.
    public var localDateAndTime: String {
        let (date, shifted) = localParts
        let text = Array(shifted.description)
        return String(text[0..<10]) + " " + String(text[11..<16]) + (date.isLocal ? "" : " UTC")
    }

    /// The day and the hour in the user's time zone: `Tuesday`, `Tue`, `3 Mar` and `05:00`.
    var localWeekday: (day: (long: String, short: String, date: String), hour: String) {
        let shifted = localParts.shifted
        let names = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        let day = (names[shifted.parts.weekday], shifted.weekdayName, shifted.shortDate)
        return (day, String(shifted.description.dropFirst(11).prefix(5)))
    }

    private var localParts: (date: (year: Int, month: Int, day: Int, isLocal: Bool), shifted: Timestamp) {
        var time = time_t(seconds)
        var local = tm()
        let isLocal = localtime_r(&time, &local) != nil
        let shifted = isLocal ? self + Int64(local.tm_gmtoff) : self
        let parts = shifted.parts
        return ((parts.year, parts.month, parts.day, isLocal), shifted)
    }
}

/// `1 episode`, `2 episodes`.
public func counted(_ count: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
    count == 1 ? "1 \(noun)" : "\(grouped(Int(count))) \(plural ?? noun + "s")"
}

/// `12,345`.
public func grouped(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var result = ""
    for (offset, digit) in digits.enumerated() {
        if offset > 0 && (digits.count - offset) % 3 == 0 { result += "," }
        result.append(digit)
    }
    return (number < 0 ? "-" : "") + result
}

/// `1:02:03`, `4:05`: seconds in the form of players.
public func formattedDuration(_ seconds: Double) -> String {
    let whole = min(max(Int(bounded: seconds), 0), 1_000_000_000)
    let parts = [whole / 3_600, whole / 60 % 60, whole % 60]
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return parts[0] > 0 ? "\(parts[0]):\(two(parts[1])):\(two(parts[2]))" : "\(parts[1]):\(two(parts[2]))"
}

/// `00:12:34`: a position in an episode, in a form that sorts and that players read.
func position(_ seconds: Double) -> String {
    let text = formattedDuration(seconds)
    return String("00:00:00".dropLast(text.count)) + text
}

/// `12 s`, `3 min`, `2 h 5 min`: a duration.
public func span(_ seconds: Int64) -> String {
    switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7_200: "\(seconds / 60) min"
    case ..<172_800: seconds / 60 % 60 == 0 ? "\(seconds / 3_600) h" : "\(seconds / 3_600) h \(seconds / 60 % 60) min"
    default: "\(seconds / 86_400) days"
    }
}

/// `512 B`, `1.4 MB`: powers of 1000, like disks and download pages.
public func formattedSize(_ bytes: Int) -> String {
    var value = Double(bytes)
    guard value >= 1000 else { return "\(bytes) B" }
    for unit in ["kB", "MB", "GB"] {
        value /= 1000
        if value < 999.5 || unit == "GB" {
            let rounded = value < 9.95 ? (value * 10).rounded() / 10 : value.rounded()
            return (rounded < 10 ? "\(rounded)" : "\(Int(rounded))") + " \(unit)"
        }
    }
    return "\(bytes) B"
}

/// `1.4 MB of 20 MB`, or `1.4 MB` if the total is not known.
public func formattedSize(_ bytes: Int, of total: Int?) -> String {
    formattedSize(bytes) + (total.map { " of \(formattedSize($0))" } ?? "")
}
