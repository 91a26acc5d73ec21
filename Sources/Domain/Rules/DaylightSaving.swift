/// The daylight saving time of a publisher, by which its hours move in UTC. Feeds do not name their zone.
enum DaylightSaving: CaseIterable, Sendable {
    case none, europe, northAmerica, australia, newZealand

    /// Seconds to be added to UTC, besides the constant offset of the zone.
    func offset(at time: Timestamp) -> Int64 {
        summer(of: time.parts.year).contains { $0.contains(time.seconds) } ? Schedule.hour : 0
    }

    func local(_ time: Timestamp) -> Int64 { time.seconds + offset(at: time) }

    /// The inverse of `local`, but for the hour that a year has twice.
    func utc(_ local: Int64) -> Int64 { local - offset(at: Timestamp(seconds: local)) }

    /// The one by which most of these dates have the same time of day; `none` unless another fits better.
    ///
    /// - Parameter dates: newest first.
    static func likeliest(for dates: [Timestamp]) -> DaylightSaving {
        guard let newest = dates.first, let oldest = dates.last, newest - oldest > 14 * Schedule.day else { return .none }
        let hits = allCases.map { mostTogether(dates, $0) }
        let best = allCases.indices.max { hits[$0] < hits[$1] } ?? 0
        // Few dates beyond a change prove nothing.
        return hits[best] > hits[0] + 1 ? allCases[best] : .none
    }

    /// The dates in the publisher's time.
    func local(_ dates: [Timestamp]) -> [Int64] {
        guard self != .none else { return dates.map(\.seconds) }
        // The bounds of a year are found once.
        var (year, summer) = (Int.min, [Range<Int64>]())
        return dates.map { date in
            let ofDate = date.parts.year
            if ofDate != year { (year, summer) = (ofDate, self.summer(of: ofDate)) }
            return date.seconds + (summer.contains { $0.contains(date.seconds) } ? Schedule.hour : 0)
        }
    }

    /// How many of the dates lie within twenty minutes of one time of day, before or after it.
    private static func mostTogether(_ dates: [Timestamp], _ zone: DaylightSaving) -> Int {
        let seconds = zone.local(dates).map { ($0 % Schedule.day + Schedule.day) % Schedule.day }.sorted()
        var (most, first, end) = (0, 0, 0)
        for centre in seconds {
            while seconds[first] < centre - Schedule.hour / 3 { first += 1 }
            while end < seconds.count, seconds[end] <= centre + Schedule.hour / 3 { end += 1 }
            most = max(most, end - first)
        }
        return most
    }

    /// The parts of a UTC year in which clocks are an hour ahead, in seconds since 1970.
    private func summer(of year: Int) -> [Range<Int64>] {
        func between(_ start: Timestamp?, _ end: Timestamp?) -> Range<Int64>? {
            guard let start, let end, start < end else { return nil }
            return start.seconds..<end.seconds
        }
        let first = Timestamp(year: year, month: 1, day: 1)
        let next = Timestamp(year: year + 1, month: 1, day: 1)
        func around(_ end: Timestamp?, _ start: Timestamp?) -> [Range<Int64>] {
            [between(first, end), between(start, next)].compactMap { $0 }
        }
        switch self {
        case .none: return []
        case .europe: return [between(Self.sunday(.last, 3, year), Self.sunday(.last, 10, year))].compactMap { $0 }
        case .northAmerica: return [between(Self.sunday(.second, 3, year), Self.sunday(.first, 11, year))].compactMap { $0 }
        case .australia: return around(Self.sunday(.first, 4, year), Self.sunday(.first, 10, year))
        case .newZealand: return around(Self.sunday(.first, 4, year), Self.sunday(.last, 9, year))
        }
    }

    private enum Week { case first, second, last }

    /// The beginning of a Sunday, in UTC.
    private static func sunday(_ week: Week, _ month: Int, _ year: Int) -> Timestamp? {
        let first =
            switch week {
            case .first: Timestamp(year: year, month: month, day: 1)
            case .second: Timestamp(year: year, month: month, day: 8)
            // Of months with 30 or 31 days.
            case .last: Timestamp(year: year, month: month, day: [4, 6, 9, 11].contains(month) ? 24 : 25)
            }
        return first.map { $0 + Int64((7 - $0.parts.weekday) % 7) * Schedule.day }
    }
}
