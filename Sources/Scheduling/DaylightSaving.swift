import Domain

/// The daylight saving time of a publisher, by which its hours move in UTC. Feeds do not name their zone.
enum DaylightSaving: Int, CaseIterable, Sendable {
    case none, europe, northAmerica, australia, newZealand

    /// Seconds to be added to UTC, besides the constant offset of the zone.
    func offset(at time: Timestamp) -> Int64 { Year(time).isSummer(time, self) ? Schedule.hour : 0 }

    func local(_ time: Timestamp) -> Int64 { time.seconds + offset(at: time) }

    /// The inverse of `local`, but for the hour that a year has twice.
    func utc(_ local: Int64) -> Int64 { local - offset(at: Timestamp(seconds: local)) }

    /// The one by which most of these dates have the same time of day; `none` unless another fits better.
    ///
    /// - Parameter dates: newest first.
    static func likeliest(for dates: [Timestamp]) -> DaylightSaving {
        guard let newest = dates.first, let oldest = dates.last, newest - oldest > 14 * Schedule.day else { return .none }
        let steps = PublishingHabit.stepsADay
        // Of each zone how many dates are in each step of the day.
        var counts = [Int16](repeating: 0, count: allCases.count * steps)
        var year = Year(newest)
        for date in dates {
            if !year.contains(date) { year = Year(date) }
            let step = Int(PublishingHabit.secondOfDay(date.seconds) / PublishingHabit.step)
            let later = step + 6 < steps ? step + 6 : step + 6 - steps
            for zone in allCases { counts[zone.rawValue * steps + (year.isSummer(date, zone) ? later : step)] += 1 }
        }
        func hits(_ zone: DaylightSaving) -> Int16 { mostTogether(counts[(zone.rawValue * steps)..<(zone.rawValue + 1) * steps]) }
        let withoutZone = hits(.none)
        // Few dates beyond a change prove nothing.
        guard withoutZone + 1 < dates.count else { return .none }
        let (zone, most) = allCases.dropFirst().map { ($0, hits($0)) }.max { $0.1 < $1.1 } ?? (.none, 0)
        return most > withoutZone + 1 ? zone : .none
    }

    /// How many of the dates are in five steps of the day in a row: within about twenty minutes of one time of day.
    private static func mostTogether(_ counts: ArraySlice<Int16>) -> Int16 {
        let (start, end) = (counts.startIndex, counts.endIndex)
        var together = counts[(end - 4)...].reduce(0, +)
        var (most, first) = (together, end - 4)
        for step in start..<end {
            together += counts[step]
            most = max(most, together)
            together -= counts[first]
            first = first + 1 == end ? start : first + 1
        }
        return most
    }

    /// The dates in the publisher's time.
    ///
    /// - Parameter dates: best in order, so that the bounds of a year are found once.
    func local(_ dates: [Timestamp]) -> [Int64] {
        guard self != .none, let first = dates.first else { return dates.map(\.seconds) }
        var year = Year(first)
        return dates.map { date in
            if !year.contains(date) { year = Year(date) }
            return date.seconds + (year.isSummer(date, self) ? Schedule.hour : 0)
        }
    }

    /// The inverse, in order: an hour of a year has no inverse, and another one has two.
    func utc(_ local: [Int64]) -> [Timestamp] {
        guard self != .none, let first = local.first else { return local.map { Timestamp(seconds: $0) } }
        var year = Year(Timestamp(seconds: first))
        return local.map { local in
            let time = Timestamp(seconds: local)
            if !year.contains(time) { year = Year(time) }
            return year.isSummer(time, self) ? time - Schedule.hour : time
        }.sorted()
    }

    /// A year in UTC, and when the clocks of each zone change in it.
    private struct Year {
        private var start: Int64
        private var end: Int64
        /// The last Sundays of March, September and October, the second of March, and the first of April, October and November.
        private var (march, september, october): (Int64, Int64, Int64)
        private var (secondOfMarch, firstOfApril, firstOfOctober, firstOfNovember): (Int64, Int64, Int64, Int64)

        init(_ time: Timestamp) {
            let year = time.parts.year
            let first = (Timestamp(year: year, month: 1, day: 1)?.seconds ?? 0) / Schedule.day
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let march = first + (isLeap ? 60 : 59)
            /// The first Sunday from a day on, counted from 1 March.
            func sunday(_ day: Int64) -> Int64 {
                let day = march + day
                return (day + (7 - ((day + 4) % 7 + 7) % 7) % 7) * Schedule.day
            }
            (start, end) = (first * Schedule.day, (first + (isLeap ? 366 : 365)) * Schedule.day)
            (self.march, september, october) = (sunday(24), sunday(207), sunday(238))
            (secondOfMarch, firstOfApril, firstOfOctober, firstOfNovember) = (sunday(7), sunday(31), sunday(214), sunday(245))
        }

        func contains(_ time: Timestamp) -> Bool { start <= time.seconds && time.seconds < end }

        func isSummer(_ time: Timestamp, _ zone: DaylightSaving) -> Bool {
            let time = time.seconds
            switch zone {
            case .none: return false
            case .europe: return march <= time && time < october
            case .northAmerica: return secondOfMarch <= time && time < firstOfNovember
            case .australia: return time < firstOfApril || firstOfOctober <= time
            case .newZealand: return time < firstOfApril || september <= time
            }
        }
    }
}
