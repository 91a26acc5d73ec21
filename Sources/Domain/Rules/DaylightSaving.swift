/// The daylight saving time of a publisher, by which its hours move in UTC. Feeds do not name their zone.
enum DaylightSaving: CaseIterable, Sendable {
    case none, europe, northAmerica, australia, newZealand

    /// Seconds to be added to UTC, besides the constant offset of the zone.
    func offset(at time: Timestamp) -> Int64 {
        let year = time.parts.year
        let isSummer =
            switch self {
            case .none: false
            case .europe: isBetween(time, Self.sunday(.last, 3, year), Self.sunday(.last, 10, year))
            case .northAmerica: isBetween(time, Self.sunday(.second, 3, year), Self.sunday(.first, 11, year))
            case .australia: !isBetween(time, Self.sunday(.first, 4, year), Self.sunday(.first, 10, year))
            case .newZealand: !isBetween(time, Self.sunday(.first, 4, year), Self.sunday(.last, 9, year))
            }
        return isSummer ? Schedule.hour : 0
    }

    func local(_ time: Timestamp) -> Int64 { time.seconds + offset(at: time) }

    /// The inverse of `local`, but for the hour that a year has twice.
    func utc(_ local: Int64) -> Int64 { local - offset(at: Timestamp(seconds: local)) }

    /// The one by which most of these dates have the same time of day; `none` unless another fits better.
    static func likeliest(for dates: [Timestamp]) -> DaylightSaving {
        guard let newest = dates.first, let oldest = dates.last, newest - oldest > 14 * Schedule.day else { return .none }
        let hits = allCases.map { zone in
            let seconds = dates.map { (zone.local($0) % Schedule.day + Schedule.day) % Schedule.day }
            return seconds.map { centre in seconds.count { abs($0 - centre) <= Schedule.hour / 3 } }.max() ?? 0
        }
        let best = allCases.indices.max { hits[$0] < hits[$1] } ?? 0
        // Few dates beyond a change prove nothing.
        return hits[best] > hits[0] + 1 ? allCases[best] : .none
    }

    private enum Week { case first, second, last }

    private func isBetween(_ time: Timestamp, _ start: Timestamp?, _ end: Timestamp?) -> Bool {
        guard let start, let end else { return false }
        return time >= start && time < end
    }

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
