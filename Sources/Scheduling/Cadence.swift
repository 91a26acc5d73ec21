public import Domain

extension Cadence {
    /// The publishing rhythm that a feed shows or declares.
    ///
    /// - Parameters:
    ///   - earlier: what was learned before. A feed may list fewer episodes than are worth remembering.
    ///   - lookedAt: when the feed was fetched before, without the episodes that are new now.
    public init(of feed: ParsedFeed, earlier: Cadence = Cadence(), lookedAt: Timestamp? = nil, now: Timestamp) {
        self.init()
        let stated = feed.items.compactMap(\.item.publishedAt).filter { $0 - now <= Schedule.day && $0.seconds >= 0 }
        let dates = stated.map(\.wholeMinute).sorted(by: >)
        // Dates among the newest are the feed's to change. It may also list an old episode beside a few new ones.
        let middle = dates.isEmpty ? now : dates[dates.count / 2]
        recent = Cadence.apart(dates, earlier.recent.drop { $0 >= middle })
        (dateShift, shiftedInARow, isShiftKnown) = (earlier.dateShift, earlier.shiftedInARow, earlier.isShiftKnown)
        // If the one before the newest is the same, it is the newest one's date that has changed.
        if let lookedAt, recent.count > 1, let last = earlier.recent.first, recent[0] - last >= Schedule.hour / 4,
            recent[1] != earlier.recent.dropFirst().first
        {
            learnShift(from: lookedAt - recent[0], to: now - recent[0])
        }
        // An episode that is dated later than now is out now: the publisher's clock is fast, or the date an announcement.
        let latest = (now - dateShift).wholeMinute
        for number in recent.indices { recent[number] = min(recent[number], latest) }
        if recent == earlier.recent { plan = earlier.plan }
        guard let schedule = feed.channel.schedule else { return }
        floor = max(Int64(clamping: schedule.ttlMinutes ?? 0).multipliedClamping(by: 60), Cadence.period(schedule))
        // Skipping all hours or all days would mean never, so it is ignored.
        let hours = Set(schedule.skipHours.filter { (0...23).contains($0) })
        if hours.count < 24 { skipHours = hours.sorted() }
        let days = Set(schedule.skipDays.compactMap { Cadence.weekdays.firstIndex(of: $0.lowercased()) })
        if days.count < 7 { skipDays = days.sorted() }
    }

    /// - Parameter dates: of earlier episodes, newest first.
    public init(dates: [Timestamp]) {
        self.init()
        recent = dates.prefix(Cadence.recentLimit).map(\.wholeMinute)
    }

    /// Both lists as one, newest first. Episodes published together count as one, so that a move, which dates all of them anew,
    /// leaves the earlier dates.
    private static func apart(_ dates: [Timestamp], _ before: ArraySlice<Timestamp>) -> [Timestamp] {
        var apart: [Timestamp] = []
        apart.reserveCapacity(recentLimit)
        var (date, earlier) = (dates.startIndex, before.startIndex)
        while apart.count < recentLimit, date < dates.endIndex || earlier < before.endIndex {
            let next: Timestamp
            if date < dates.endIndex, earlier == before.endIndex || dates[date] >= before[earlier] {
                next = dates[date]
                date += 1
            } else {
                next = before[earlier]
                earlier += 1
            }
            if apart.count >= oldLimit, apart[0] - next > oldest { break }
            if apart.isEmpty || apart[apart.count - 1] - next >= Schedule.hour / 4 { apart.append(next) }
        }
        return apart
    }

    /// - Parameters:
    ///   - minShift: seconds from the date of a new episode to the last fetch without it.
    ///   - maxShift: seconds from its date to the first fetch with it.
    private mutating func learnShift(from minShift: Int64, to maxShift: Int64) {
        // It may appear long after the fetch without it, or long before the one with it.
        let half = min((maxShift - minShift) / 2, Schedule.hour / 2)
        if dateShift > minShift, dateShift <= maxShift {
            shiftedInARow = 0
            // Two fetches soon one after the other tell best when a wrong clock's episodes appear. The next one will be a little
            // later than that.
            if !isShiftKnown, dateShift != 0, maxShift - minShift <= Schedule.hour {
                dateShift = Self.bounded(minShift + half / 2)
            }
        } else {
            shiftedInARow += 1
            // A single episode may have been late.
            guard shiftedInARow > 1 else { return }
            dateShift = Self.bounded(dateShift > maxShift ? maxShift - half : minShift + half)
            (shiftedInARow, isShiftKnown) = (0, false)
        }
        if dateShift - minShift <= Schedule.hour { isShiftKnown = true }
    }

    /// At most a day, in whole minutes, as it is stored.
    private static func bounded(_ shift: Int64) -> Int64 {
        let bounded = min(max(shift, -Schedule.day), Schedule.day)
        return bounded - bounded % Schedule.minute
    }

    /// When the newest episodes appeared, newest first.
    public var appearances: [Timestamp] { dateShift == 0 ? recent : recent.map { $0 + dateShift } }

    /// A year of a weekly podcast.
    package static let recentLimit = 52
    /// A few dates are remembered even if they are older than this before the newest.
    private static let (oldLimit, oldest) = (12, 3 * 366 * Schedule.day)
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
    var wholeMinute: Timestamp { self - (seconds % 60 + 60) % 60 }
}

extension Int64 {
    fileprivate func multipliedClamping(by factor: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
