/// The chance of an episode for each ten minutes of the coming days, as long as none has come.
///
/// The chance of a day is estimated from how many of such weekdays had an episode, and from how many episodes came so many days
/// after the one before. A day's chance is spread over its hours as episodes were, those of the same weekday above all.
extension PublishingHabit {
    static let step: Int64 = 600
    static let stepsADay = 144

    /// How much less an episode tells than the next one.
    private static let decay = 0.9
    private static let weights: [Double] = (0...Cadence.recentLimit).map { number in
        (0..<number).reduce(1) { weight, _ in weight * decay }
    }
    /// Part of an episode's chance that falls within the hour around its time of day, and anywhere in the day.
    private static let aroundShare = 0.2
    private static let anyTimeShare = 0.06
    /// How many episodes of other weekdays one of the same weekday outweighs, for the hours.
    private static let sameWeekday = 3.0
    /// Weights of the estimate that knows nothing but the rate, among the episodes.
    private static let (weekdayPrior, gapPrior) = (0.6, 1.0)
    /// The share of the weekday in a day's chance; the rest is that of the gap.
    private static let weekdayShare = 0.5
    private static let likeliest = 0.97
    /// Episodes outside of any habit, as a share of all.
    private static let background = 0.03

    /// - Parameters:
    ///   - start: the beginning of the first step, in the publisher's time.
    ///   - count: number of steps.
    func chances(from start: Int64, count: Int) -> [Double] {
        var result = [Double](repeating: Self.background * rate / Double(Self.stepsADay), count: count)
        var ofWeekday = [[Double]](repeating: [], count: 7)
        for day in day(of: start)...day(of: start + Int64(count) * Self.step) {
            let weekday = Int(((day % 7) + 7) % 7)
            if ofWeekday[weekday].isEmpty { ofWeekday[weekday] = hours(on: day) }
            let (chance, hours) = (chance(on: day), ofWeekday[weekday])
            let first = (day * Self.day + dayStart - start) / Self.step
            var passed = 0.0
            for number in 0..<Self.stepsADay {
                let ofStep = chance * hours[number]
                // That none came in the earlier hours of the day makes it likelier in the later ones.
                let given = rate < Self.severalADay ? ofStep / max(0.02, 1 - passed) : ofStep
                passed += ofStep
                let step = Int(first) + number
                if step >= 0, step < count { result[step] += given }
            }
        }
        return result
    }

    /// Episodes a day from which on the next one is not waited for, but expected all the time.
    private static let severalADay = 0.9

    /// The chance that an episode comes on this day, by its weekday and by the days since the last one.
    func chance(on day: Int64) -> Double {
        guard let newest = days.first, let oldest = days.last else { return 0 }
        let prior = min(1, rate)
        var (onDay, all) = (Self.weekdayPrior * prior, Self.weekdayPrior)
        var number = 0
        for week in stride(from: day - 7, through: oldest, by: -7) {
            while number + 1 < days.count, days[number] > week { number += 1 }
            all += Self.weights[number]
        }
        for (number, other) in days.enumerated() where (day - other) % 7 == 0 { onDay += Self.weights[number] }
        guard rate < Self.severalADay else { return min(onDay / all, 1.5 * rate) }
        let passed = day - newest
        var (same, atLeast) = (Self.gapPrior * prior, Self.gapPrior)
        for number in 1..<days.count where days[number - 1] - days[number] >= passed {
            atLeast += Self.weights[number - 1]
            if days[number - 1] - days[number] == passed { same += Self.weights[number - 1] }
        }
        return min(Self.weekdayShare * onDay / all + (1 - Self.weekdayShare) * same / atLeast, Self.likeliest)
    }

    /// The share of each step of this day in an episode's chance, from `dayStart` on.
    private func hours(on day: Int64) -> [Double] {
        var shares = [Double](repeating: 0, count: Self.stepsADay)
        for (number, date) in dates.enumerated() where !isWithoutHour[number] {
            let weight = Self.weights[number] * ((days[number] - day) % 7 == 0 ? Self.sameWeekday : 1)
            let step = Int(Self.secondOfDay(date - dayStart) / Self.step)
            shares[step] += weight * (1 - Self.aroundShare)
            for distance in -5...5 {
                let around = (step + distance + Self.stepsADay) % Self.stepsADay
                shares[around] += weight * Self.aroundShare * Double(6 - abs(distance)) / 36
            }
        }
        let sum = shares.reduce(0, +)
        let anyTime = 1 / Double(Self.stepsADay)
        return shares.map { sum > 0 ? (1 - Self.anyTimeShare) * $0 / sum + Self.anyTimeShare * anyTime : anyTime }
    }
}
