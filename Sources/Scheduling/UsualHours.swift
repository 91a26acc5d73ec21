public import Domain

/// The usual hours of a habit, for people.
extension PublishingHabit {
    public struct Window: Equatable, Sendable {
        /// The usual earliest and latest moment of a day, as seconds of the day in UTC as of now; the latest may be on the next day.
        public var earliest: Int64
        public var latest: Int64
        /// Weekdays (0 is Sunday), in UTC; empty if it can be any.
        public var weekdays: [Int]
        /// How many of the last episodes came in these hours.
        public var hits: Int
        public var episodes: Int
    }

    private static let maxWindows = 3

    /// The hours in which most episodes come, at most three each, those of the most episodes first; empty if they hold fewer than
    /// half of the episodes.
    public func windows(now: Timestamp) -> [Window] {
        let shift = zone.local(now) - now.seconds
        // Weekdays and hours are those of UTC as of now.
        var left = zip(dates, isWithoutHour).filter { !$1 }.map { Timestamp(seconds: $0.0 - shift) }
        var windows: [Window] = []
        while windows.count < Self.maxWindows {
            let start = Self.threeHours(of: left.map { Self.secondOfDay($0.seconds) }.sorted()).start
            let within = left.filter { Self.secondOfDay($0.seconds - start) <= 3 * Schedule.hour }
            // A few episodes at the same hour may be chance.
            guard within.count > 2, within.count * 10 >= 3 * dates.count else { break }
            windows.append(window(of: within, from: start))
            left.removeAll { Self.secondOfDay($0.seconds - start) <= 3 * Schedule.hour }
        }
        return windows.reduce(0) { $0 + $1.hits } * 2 >= dates.count ? windows : []
    }

    private func window(of within: [Timestamp], from start: Int64) -> Window {
        let offsets = within.map { Self.secondOfDay($0.seconds - start) }.sorted()
        var counts = [Int](repeating: 0, count: 7)
        for date in within { counts[date.parts.weekday] += 1 }
        let usual = counts.indices.filter { counts[$0] * 8 >= within.count }
        return Window(
            earliest: Self.secondOfDay(start + offsets[offsets.count / 20]),
            latest: Self.secondOfDay(start + offsets[offsets.count * 19 / 20]),
            weekdays: usual.count < 7 ? usual : [], hits: within.count, episodes: dates.count)
    }
}
