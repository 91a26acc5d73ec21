import Domain

/// The chance of an episode for each part of the coming days, as long as none has come.
///
/// The chance of a day is estimated from how many of such weekdays had an episode, and from how many episodes came so many days
/// after the one before. A day's chance is spread over its hours as episodes were, those of the same weekday above all.
extension PublishingHabit {
    static let step: Int64 = 600
    static let stepsADay = 144

    /// Weights of the latest episode, the one before it, and so on: how much less an episode tells than the next one.
    static let weights: [Double] = (0...Cadence.recentLimit).map { number in
        (0..<number).reduce(1) { weight, _ in weight * 0.9 }
    }
    /// Episodes outside of any habit, as a share of all.
    private static let background = 0.03
    /// Steps between two moments at most.
    private static let maxWait = 12

    /// A moment at which a request may be: the end of a step.
    struct Moment {
        /// Steps from the start.
        var end: Int
        /// Of all steps before it: the sum of the chances, and the chance that no episode came.
        var chance = 0.0
        var silence = 1.0
    }

    /// The moments of the coming days: after each step in which episodes were, where they are likely, and else every two hours.
    ///
    /// - Parameters:
    ///   - start: the beginning of the first step, in the publisher's time.
    ///   - count: number of steps.
    ///   - unlikely: the chance of an episode that is too small for a moment of its own.
    func moments(from start: Int64, count: Int, unlikely: Double) -> [Moment] {
        let (dayChances, hours) = (DayChances(of: self), DayHours(of: self))
        let background = Self.background * rate / Double(Self.stepsADay)
        var moments = [Moment(end: 0)]
        moments.reserveCapacity(count / 4)
        var moment = Moment(end: 0)
        for day in day(of: start)...day(of: start + Int64(count) * Self.step - 1) {
            let chance = dayChances.chance(on: day)
            let weekday = Self.weekday(of: day)
            let first = Int((day * Self.day + dayStart - start) / Self.step)
            var passed = 0.0
            for part in hours.ends.indices {
                let ofPart = chance * hours.share(of: part, on: weekday)
                // That none came in the earlier hours of the day makes it likelier in the later ones.
                let given = rate < Self.severalADay ? ofPart / max(0.02, 1 - passed) : ofPart
                passed += ofPart
                let end = first + hours.ends[part]
                guard end > 0 else { continue }
                guard end <= count else { break }
                let added = given + background * Double(end - moment.end)
                moment.end = end
                moment.chance += added
                moment.silence *= max(0, 1 - added)
                let last = moments[moments.count - 1]
                if moment.chance - last.chance >= unlikely || end - last.end >= Self.maxWait { moments.append(moment) }
            }
        }
        moment.end = count
        if moments[moments.count - 1].end < count { moments.append(moment) }
        return moments
    }

    /// Episodes a day from which on the next one is not waited for, but expected all the time.
    private static let severalADay = 0.9

    /// From 0 to 6, in any order.
    static func weekday(of day: Int64) -> Int { Int((day % 7 + 7) % 7) }

    /// The chance that an episode comes on a day, by its weekday and by the days since the last one.
    struct DayChances {
        private let days: [Int64]
        private let rate: Double
        /// The weight of the episodes of each weekday, and that of the weeks since the oldest one.
        private var ofWeekday: [Double]
        private var weeks = weekdayPrior

        /// Weights of the estimate that knows nothing but the rate, among the episodes.
        private static let (weekdayPrior, gapPrior) = (0.6, 1.0)
        /// The share of the weekday in a day's chance; the rest is that of the gap.
        private static let weekdayShare = 0.55
        private static let likeliest = 0.97

        init(of habit: PublishingHabit) {
            (days, rate) = (habit.days, habit.rate)
            ofWeekday = [Double](repeating: Self.weekdayPrior * min(1, rate), count: 7)
            guard var later = days.first else { return }
            for (number, day) in days.enumerated() {
                ofWeekday[weekday(of: day)] += weights[number]
                weeks += weights[number] * Double(later - day) / 7
                later = day
            }
        }

        func chance(on day: Int64) -> Double {
            guard let newest = days.first else { return 0 }
            let passed = day - newest
            let onDay = ofWeekday[weekday(of: day)] / (weeks + Double(max(0, passed)) / 7)
            let expected = min(onDay, 1.5 * rate)
            guard rate < severalADay || passed == 0 else { return expected }
            let weights = weights
            var (same, atLeast) = (Self.gapPrior * min(1, rate), Self.gapPrior)
            for number in 1..<days.count {
                let gap = days[number - 1] - days[number]
                guard gap >= passed else { continue }
                atLeast += weights[number - 1]
                if gap == passed { same += weights[number - 1] }
            }
            let ofGap = same / atLeast
            // The day's episode has come: another one is as likely as two on one day were.
            guard passed > 0 else { return rate < severalADay ? min(ofGap, Self.likeliest) : expected * ofGap }
            return min(Self.weekdayShare * onDay + (1 - Self.weekdayShare) * ofGap, Self.likeliest)
        }
    }
}
