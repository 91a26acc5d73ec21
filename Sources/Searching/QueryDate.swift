public import Domain

/// A date as people type it: a day, a month, a year or a moment (`2024-03-01`, `2024-03`, `2024`,
/// `2024-03-01T12:00:00Z`; `/` and `.` also separate), `today`, `yesterday`, or a span back from now such as `3d`,
/// `2w`, `6m`, `1y`.
public struct QueryDate: Equatable, Sendable {
    private enum Form: Equatable, Sendable {
        case moment(Timestamp)
        /// UTC, both ends included.
        case period(Timestamp, Timestamp)
        case daysAgo(Int64)
        case ago(seconds: Int64)
    }

    private let form: Form

    /// nil if the text has none of these forms.
    public init?(_ text: String) {
        let text = text.lowercased()
        if let moment = Timestamp(text.uppercased()) {
            form = .moment(moment)
        } else if let (first, last) = QueryDate.period(text) {
            form = .period(first, last)
        } else if text == "today" {
            form = .daysAgo(0)
        } else if text == "yesterday" {
            form = .daysAgo(1)
        } else {
            let units: [Character: Int64] = ["h": 3_600, "d": 86_400, "w": 7 * 86_400, "m": 30 * 86_400, "y": 365 * 86_400]
            guard let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropLast()),
                (0...100_000).contains(number)
            else { return nil }
            form = .ago(seconds: number * unit)
        }
    }

    public var isRelative: Bool {
        switch form {
        case .moment, .period: false
        case .daysAgo, .ago: true
        }
    }

    /// The first moment of the date.
    ///
    /// - Parameter zone: seconds by which the user's clock is ahead of UTC, for today and yesterday.
    public func start(_ now: Timestamp, zone: Int64 = 0) -> Timestamp {
        switch form {
        case .moment(let moment), .period(let moment, _): moment
        case .daysAgo(let days): now - (((now.seconds + zone) % 86_400 + 86_400) % 86_400 + days * 86_400)
        case .ago(let seconds): now - seconds
        }
    }

    /// The last moment of the date, such as the end of the day.
    public func end(_ now: Timestamp, zone: Int64 = 0) -> Timestamp {
        switch form {
        case .moment, .ago: start(now)
        case .period(_, let end): end
        case .daysAgo: start(now, zone: zone) + 86_399
        }
    }

    private static func period(_ text: String) -> (Timestamp, Timestamp)? {
        let parts = text.split(omittingEmptySubsequences: false) { "-/.".contains($0) }
        guard (1...3).contains(parts.count), parts[0].utf8.count == 4,
            parts.allSatisfy({ (1...4).contains($0.utf8.count) && $0.utf8.allSatisfy { (48...57).contains($0) } })
        else { return nil }
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == parts.count,
            let first = Timestamp(
                year: numbers[0], month: numbers.count > 1 ? numbers[1] : 1, day: numbers.count > 2 ? numbers[2] : 1)
        else { return nil }
        // The period `2024-03` ends with the last day whose date begins with `2024-03`.
        let days: Int64 = [366, 31, 1][parts.count - 1]
        let head = first.description.prefix([4, 7, 10][parts.count - 1])
        let ends = (1...days).lazy.map { first + $0 * 86_400 - 1 }
        return (first, ends.last { $0.description.hasPrefix(head) } ?? first)
    }
}
