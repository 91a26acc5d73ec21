public import Domain

/// At which days and hours a podcast's episodes come, learned from the dates of the last ones.
///
/// It is learned when an episode comes, and gives a plan of the next requests (`plan`), which is stored. A request that finds
/// nothing only takes the next moment of the plan.
public struct PublishingHabit: Sendable {
    /// Publication dates in the publisher's time, as far as it is known, newest first. Those published together count once.
    let dates: [Int64]
    /// The days of these dates, counted from `dayStart`.
    let days: [Int64]
    /// For each date whether it is midnight, by which nothing is said about the hour.
    let isWithoutHour: [Bool]
    let zone: DaylightSaving
    /// Usual seconds between two episodes.
    let gap: Int64
    /// The same of the latest ones, by which the learned interval goes.
    let latestGap: Int64
    /// Episodes a day.
    let rate: Double
    /// The share of the episodes that come within three hours of the day.
    let share: Double
    /// The second of the day before which fewest episodes come: a day of this podcast begins there. Two minutes after an hour, so
    /// that an episode of a full hour is the last of its step, and a request after the step finds it.
    let dayStart: Int64
    /// No episode has come for so long that only its hour can be guessed.
    let isDormant: Bool

    static let day: Int64 = 86_400
    private static let minDates = 6
    /// Older dates, which may also be nonsense, say nothing about the hours of today.
    private static let maxMemory = 10 * 366 * day

    /// Nil if the dates show no hours: they are too few, or most of them are given without an hour.
    ///
    /// - Parameter recent: newest first.
    public init?(of recent: [Timestamp], now: Timestamp) {
        var single: [Timestamp] = []
        single.reserveCapacity(recent.count)
        for date in recent.reversed()
        where now - date < Self.maxMemory && single.last.map({ date - $0 >= Schedule.hour / 4 }) ?? true {
            single.append(date)
        }
        guard single.count >= Self.minDates, let newest = single.last, let oldest = single.first else { return nil }
        var gaps = zip(single, single.dropFirst()).map { $1 - $0 }
        let latestGaps = gaps.suffix(9).sorted()
        gaps.sort()
        gap = gaps[gaps.count / 2]
        latestGap = latestGaps[latestGaps.count / 2]
        isDormant = now - newest > 4 * max(gap, gaps[gaps.count * 9 / 10])
        single.reverse()
        isWithoutHour = single.map { $0.seconds % Self.day == 0 }
        guard isWithoutHour.count(where: { $0 }) * 2 < single.count else { return nil }
        let zone = DaylightSaving.likeliest(for: single)
        self.zone = zone
        let dates = zone.local(single)
        let latest = single.prefix(10)
        let ofAll = Double(single.count) / Self.inDays(now - oldest)
        rate = (ofAll + Double(latest.count) / Self.inDays(now - (latest.last ?? newest))) / 2
        let seconds = dates.map { Self.secondOfDay($0) }.sorted()
        share = Double(Self.threeHours(of: seconds).hits) / Double(dates.count)
        let dayStart = Self.quietest(seconds) + 2 * Schedule.minute
        self.dayStart = dayStart
        self.dates = dates
        days = dates.map { Self.day(of: $0, from: dayStart) }
    }

    private static func inDays(_ seconds: Int64) -> Double { max(1, Double(seconds) / Double(day)) }

    /// The middle of the six hours with the fewest episodes.
    private static func quietest(_ seconds: [Int64]) -> Int64 {
        var counts = [Int](repeating: 0, count: 24)
        for second in seconds { counts[Int(second / Schedule.hour)] += 1 }
        var sum = counts[..<6].reduce(0, +)
        var (fewest, quietest) = (sum, 0)
        for start in 1..<24 {
            sum += counts[(start + 5) % 24] - counts[start - 1]
            if sum < fewest { (fewest, quietest) = (sum, start) }
        }
        return Int64((quietest + 3) % 24) * Schedule.hour
    }

    /// The three hours of the day with the most of these seconds of the day, which are sorted.
    static func threeHours(of seconds: [Int64]) -> (start: Int64, hits: Int) {
        var best: (start: Int64, hits: Int) = (0, 0)
        var end = 0
        for (index, start) in seconds.enumerated() {
            end = max(end, index)
            while end < index + seconds.count,
                seconds[end % seconds.count] + (end < seconds.count ? 0 : day) - start <= 3 * Schedule.hour
            {
                end += 1
            }
            if end - index > best.hits { best = (start, end - index) }
        }
        return best
    }

    static func secondOfDay(_ time: Int64) -> Int64 { ((time % day) + day) % day }

    private static func day(of time: Int64, from start: Int64) -> Int64 {
        (time - start - secondOfDay(time - start)) / day
    }

    func day(of time: Int64) -> Int64 { Self.day(of: time, from: dayStart) }
}
