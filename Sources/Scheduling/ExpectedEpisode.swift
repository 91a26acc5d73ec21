public import Domain

/// When a podcast's next episode is expected.
public struct ExpectedEpisode: Equatable, Sendable {
    /// The usual moment, or, if no hour is usual, the usual gap after the newest episode.
    public var at: Timestamp
    /// Whether episodes come at a usual hour. If not, only the day of `at` says something.
    public var hasHour: Bool
    /// Whether its time has passed, as of when it was asked.
    public var isLate: Bool

    /// Nil if too few episodes are known, or if the podcast has been silent for long, is paused, or is gone.
    public init?(of podcast: Podcast, now: Timestamp) {
        let dates = podcast.fetch.cadence.appearances
        guard !podcast.settings.isPaused, !podcast.fetch.isGone, let newest = dates.first, let gap = podcast.fetch.cadence.gap,
            dates.count > 2
        else { return nil }
        if let habit = PublishingHabit(of: dates, now: now), !habit.isDormant, let expected = habit.expected(after: now) {
            (at, hasHour) = (expected, true)
        } else {
            guard now - newest <= 4 * gap else { return nil }
            (at, hasHour) = (newest + gap, false)
        }
        isLate = at < now
    }
}

extension PublishingHabit {
    /// Days ahead for which an episode is expected by habit.
    private static let maxDays: Int64 = 120
    /// The day is the first by which an episode is likelier than none.
    private static let likely = 0.5

    /// The usual hour of the day on which the next episode is expected; nil if no hour is usual.
    fileprivate func expected(after now: Timestamp) -> Timestamp? {
        let (today, chances) = (day(of: zone.local(now)), DayChances(of: self))
        var silent = 1.0
        for day in today...today + Self.maxDays {
            guard let moment = usualMoment(on: day) else { return nil }
            let chance = chances.chance(on: day)
            // Today's episode may still come, a little late, but not one whose hour is long past.
            if day == today, now - moment > 3 * Schedule.hour { continue }
            silent *= 1 - min(chance, 1)
            if 1 - silent >= Self.likely { return moment }
        }
        return nil
    }

    /// The median moment of such weekdays within the three hours in which most episodes come.
    private func usualMoment(on day: Int64) -> Timestamp? {
        func seconds(_ isWanted: (Int) -> Bool) -> [Int64] {
            dates.indices.filter { !isWithoutHour[$0] && isWanted($0) }.map { Self.secondOfDay(dates[$0]) }.sorted()
        }
        let ofWeekday = seconds { (days[$0] - day) % 7 == 0 }
        let all = ofWeekday.count >= 3 ? ofWeekday : seconds { _ in true }
        let (start, hits) = Self.threeHours(of: all)
        guard hits * 2 >= all.count, !all.isEmpty else { return nil }
        let offsets = all.map { Self.secondOfDay($0 - start) }.filter { $0 <= 3 * Schedule.hour }.sorted()
        let moment = Self.secondOfDay(start + offsets[offsets.count / 2] - dayStart)
        return Timestamp(seconds: zone.utc(day * Self.day + dayStart + moment))
    }
}
