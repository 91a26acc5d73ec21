extension Cadence {
    /// The publishing rhythm that a feed shows or declares.
    ///
    /// - Parameter earlier: what was learned before. A feed may list fewer episodes than are worth remembering.
    public init(of feed: ParsedFeed, earlier: Cadence = Cadence(), now: Timestamp) {
        let dates = feed.items.compactMap(\.item.publishedAt).filter { $0 <= now && $0.seconds >= 0 }.map(\.wholeMinute)
            .sorted(by: >)
        // Dates among the newest are the feed's to change. It may also list an old episode beside a few new ones.
        let middle = dates.isEmpty ? now : dates[dates.count / 2]
        let before = Set(earlier.recent.filter { $0 < middle }).subtracting(dates)
        recent = Array((dates + before).sorted(by: >).prefix(Cadence.recentLimit))
        guard let schedule = feed.channel.schedule else { return }
        floor = max(Int64(clamping: schedule.ttlMinutes ?? 0).multipliedClamping(by: 60), Cadence.period(schedule))
        // Skipping all hours or all days would mean never, so it is ignored.
        let hours = Set(schedule.skipHours.filter { (0...23).contains($0) })
        if hours.count < 24 { skipHours = hours.sorted() }
        let days = Set(schedule.skipDays.compactMap { Cadence.weekdays.firstIndex(of: $0.lowercased()) })
        if days.count < 7 { skipDays = days.sorted() }
    }

    /// - Parameter dates: of earlier episodes, newest first.
    public init(dates: [Timestamp]) { recent = dates.prefix(Cadence.recentLimit).map(\.wholeMinute) }

    /// A year of a weekly podcast.
    package static let recentLimit = 52
    /// The newest of them tell how often it publishes now.
    package var latest: ArraySlice<Timestamp> { recent.prefix(10) }
    private static let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

    /// The usual number of seconds between two episodes: the median gap. Episodes published together count as one.
    public var gap: Int64? {
        let gaps = zip(latest, latest.dropFirst()).map { $0 - $1 }.filter { $0 >= Schedule.hour / 4 }.sorted()
        return gaps.isEmpty ? nil : gaps[gaps.count / 2]
    }

    /// sy:updatePeriod divided by sy:updateFrequency.
    private static func period(_ schedule: PublishingSchedule) -> Int64 {
        let period: Int64
        switch schedule.updatePeriod?.lowercased() {
        case "hourly": period = Schedule.hour
        case "daily": period = Schedule.day
        case "weekly": period = 7 * Schedule.day
        case "monthly": period = 30 * Schedule.day
        case "yearly": period = 365 * Schedule.day
        default: return 0
        }
        return period / Int64(clamping: max(1, schedule.updateFrequency ?? 1))
    }
}

extension Timestamp {
    fileprivate var wholeMinute: Timestamp { self - (seconds % 60 + 60) % 60 }
}

extension Int64 {
    fileprivate func multipliedClamping(by factor: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
