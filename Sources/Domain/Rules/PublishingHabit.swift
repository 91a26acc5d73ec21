/// At which hours a podcast's episodes come, learned from the dates of the last ones.
///
/// For every ten minutes of the coming day the chance of an episode is estimated: on how many of such weekdays, and how many
/// days after another, one came before; and at which times of the day. Requests are placed where they shorten the expected
/// delay by more than they cost, which is what Sia, Cho and others (TKDE 2007) ask of the best moments; dynamic programming
/// finds them.
public struct PublishingHabit: Sendable {
    /// Publication dates in the publisher's time, as far as it is known, newest first. Those published together count once.
    private let dates: [Int64]
    private let zone: DaylightSaving
    /// Usual seconds between two episodes.
    private let gap: Int64
    /// Episodes a day.
    private let rate: Double
    /// The share of the episodes that come within three hours of the day.
    private let share: Double
    /// The second of the day before which fewest episodes come: a day of this podcast begins there.
    private let dayStart: Int64

    private static let step: Int64 = 600
    private static let steps = 144
    private static let day: Int64 = 86_400
    /// How much less an episode tells than the next one.
    private static let decay = 0.93
    /// Part of an episode's chance that falls within the hours around its usual time, and elsewhere.
    private static let aroundShare = 0.3
    private static let anyTimeShare = 0.12
    private static let minDates = 6
    /// Older dates, which may also be nonsense, say nothing about the hours of today.
    private static let longestMemory = 10 * 366 * day

    /// Nil if there are too few dates, or if no episode has come for so long that the hours say nothing any more.
    public init?(of recent: [Timestamp], now: Timestamp) {
        var single: [Timestamp] = []
        for date in recent.reversed()
        where now - date < Self.longestMemory && single.last.map({ date - $0 >= Schedule.hour / 4 }) ?? true {
            single.append(date)
        }
        let gaps = zip(single, single.dropFirst()).map { $1 - $0 }.sorted()
        guard single.count >= Self.minDates, let newest = single.last, let oldest = single.first else { return nil }
        gap = gaps[gaps.count / 2]
        guard now - newest <= 4 * max(gap, gaps[gaps.count * 9 / 10]) else { return nil }
        single.reverse()
        let zone = DaylightSaving.likeliest(for: single)
        self.zone = zone
        dates = single.map { zone.local($0) }
        let latest = single.prefix(10)
        let ofAll = Double(single.count) / Self.days(now - oldest)
        rate = (ofAll + Double(latest.count) / Self.days(now - (latest.last ?? newest))) / 2
        guard dates.contains(where: { !Self.isMidnight($0, zone) }) else { return nil }
        dayStart = Self.quietest(dates)
        let moments = dates.map { Self.secondOfDay($0) }
        let most = moments.map { start in moments.count { Self.secondOfDay($0 - start) <= 3 * Schedule.hour } }.max() ?? 0
        share = Double(most) / Double(dates.count)
    }

    private static func days(_ seconds: Int64) -> Double { max(1, Double(seconds) / Double(day)) }

    /// A date without an hour is given as midnight.
    private static func isMidnight(_ local: Int64, _ zone: DaylightSaving) -> Bool { zone.utc(local) % day == 0 }

    /// The middle of the six hours with the fewest episodes.
    private static func quietest(_ dates: [Int64]) -> Int64 {
        let hours = dates.map { secondOfDay($0) / Schedule.hour }
        let counts = (0..<24).map { start in hours.count { ($0 - Int64(start) + 24) % 24 < 6 } }
        let start = counts.indices.min { counts[$0] < counts[$1] } ?? 0
        return Int64((start + 3) % 24) * Schedule.hour
    }

    private static func secondOfDay(_ time: Int64) -> Int64 { ((time % day) + day) % day }

    // MARK: The next request

    /// When the next request finds most, within a day from now.
    ///
    /// - Parameter lag: seconds after the usual moment, so that not all podcasts of one hour are asked at once.
    public func nextLook(after now: Timestamp, lag: Int64) -> Timestamp {
        let start = zone.local(now)
        let step = Self.best(chances(from: start), price: cost)
        let begin = start + Int64(step - 1) * Self.step
        // The usual moments within these ten minutes.
        let moments = dates.prefix(12).map { Self.secondOfDay($0 - begin) }.filter { $0 < Self.step }
        return now + (begin - start + (moments.max().map { $0 + lag } ?? Self.step))
    }

    /// What a request may cost in hours of expected delay. With 1/128 of the gap as many requests would be sent as by the plain
    /// rule, which waits an eighth of it. Where most episodes come within three hours, a request finds more and may cost less.
    private var cost: Double {
        let hours = Double(gap) / Double(Schedule.hour)
        // Several a day: as many requests as by the shortest learned interval.
        return max(hours * (0.30 - 0.28 * min(share, 0.8)) / 128, 0.0625 / (2 * hours))
    }

    /// The first of the requests that cost least together with the delay that they leave, as the number of its step.
    private static func best(_ chances: [Double], price: Double) -> Int {
        var sums = [0.0]
        var moments = [0.0]
        for (index, chance) in chances.enumerated() {
            sums.append(sums[index] + chance)
            moments.append(moments[index] + chance * Double(index + 1))
        }
        let hours = Double(step) / Double(Schedule.hour)
        var costs = [0.0]
        var first = [0]
        for end in 1...chances.count {
            var (least, from) = (Double.infinity, 0)
            for start in 0..<end {
                let delay = hours * (Double(end) * (sums[end] - sums[start]) - (moments[end] - moments[start]))
                if costs[start] + delay < least { (least, from) = (costs[start] + delay, start) }
            }
            costs.append(least + price)
            first.append(from == 0 ? end : first[from])
        }
        return first[chances.count]
    }

    // MARK: The chance of an episode

    /// The chance in each step from this local time on.
    private func chances(from start: Int64) -> [Double] {
        var result = [Double](repeating: 0.02 * rate / Double(Self.steps), count: Self.steps)
        let firstDay = day(of: start)
        for day in firstDay...firstDay + 1 {
            let (chance, hours) = (chance(on: day), hours(on: day))
            for step in 0..<Self.steps {
                let time = start + Int64(step) * Self.step
                guard self.day(of: time) == day else { continue }
                let share = hours[Int(Self.secondOfDay(time) / Self.step)]
                result[step] += chance * ((1 - Self.anyTimeShare) * share + Self.anyTimeShare / Double(Self.steps))
            }
        }
        return result
    }

    private func day(of time: Int64) -> Int64 { (time - dayStart - Self.secondOfDay(time - dayStart)) / Self.day }

    private static let weights: [Double] = (0...Cadence.recentLimit).map { number in
        (0..<number).reduce(1) { weight, _ in weight * decay }
    }

    /// The chance that an episode comes on this day, by its weekday and by the days since the last one.
    private func chance(on day: Int64) -> Double {
        let days = dates.map { self.day(of: $0) }
        let prior = min(1, rate)
        var (onDay, all) = (0.3 * prior, 0.3)
        for (number, other) in days.enumerated() where (day - other) % 7 == 0 { onDay += Self.weights[number] }
        var week = day - 7
        while let oldest = days.last, week >= oldest {
            all += Self.weights[days.firstIndex { $0 <= week } ?? 0]
            week -= 7
        }
        let byWeekday = onDay / all
        guard rate < 0.9, let newest = days.first else { return min(byWeekday, 1.5 * rate) }
        let passed = day - newest
        var (same, atLeast) = (0.5 * prior, 0.5)
        for (number, gap) in zip(days, days.dropFirst()).map({ $0 - $1 }).enumerated() where gap >= passed {
            atLeast += Self.weights[number]
            if gap == passed { same += Self.weights[number] }
        }
        return min((byWeekday + same / atLeast) / 2, 0.97)
    }

    /// The shares of the day's steps in an episode's chance; those of the same weekday count three times.
    private func hours(on day: Int64) -> [Double] {
        var shares = [Double](repeating: 0, count: Self.steps)
        for (number, date) in dates.enumerated() where !Self.isMidnight(date, zone) {
            let weight = Self.weights[number] * ((self.day(of: date) - day) % 7 == 0 ? 3 : 1)
            let step = Int(Self.secondOfDay(date) / Self.step)
            shares[step] += weight * (1 - Self.aroundShare)
            for distance in -5...5 {
                shares[(step + distance + Self.steps) % Self.steps] += weight * Self.aroundShare * Double(6 - abs(distance)) / 36
            }
        }
        let sum = shares.reduce(0, +)
        return sum > 0 ? shares.map { $0 / sum } : shares
    }

    // MARK: In words

    /// The usual hours, for `explain`.
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

    /// The three hours in which most episodes come; nil if fewer than half of them do.
    public func window(now: Timestamp) -> Window? {
        let timed = dates.filter { !Self.isMidnight($0, zone) }
        let shift = zone.local(now) - now.seconds
        let seconds = timed.map { Self.secondOfDay($0 - shift) }
        let within = { (start: Int64) in seconds.map { Self.secondOfDay($0 - start) }.filter { $0 <= 3 * Schedule.hour } }
        guard let start = seconds.max(by: { within($0).count < within($1).count }) else { return nil }
        let offsets = within(start).sorted()
        guard offsets.count * 2 >= dates.count else { return nil }
        var counts = [Int](repeating: 0, count: 7)
        for date in timed where Self.secondOfDay(date - shift - start) <= 3 * Schedule.hour {
            counts[Timestamp(seconds: date - shift).parts.weekday] += 1
        }
        let usual = counts.indices.filter { counts[$0] * 8 >= offsets.count }
        return Window(
            earliest: Self.secondOfDay(start + offsets[offsets.count / 20]),
            latest: Self.secondOfDay(start + offsets[offsets.count * 19 / 20]),
            weekdays: usual.count < 7 ? usual : [], hits: offsets.count, episodes: dates.count)
    }
}
