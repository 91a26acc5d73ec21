/// Places requests where they find most.
///
/// Of all ways to place requests in the coming days the one is taken that costs least: each request has a price, and so has the
/// expected delay, as in Sia, Cho and others (TKDE 2007). Dynamic programming finds it.
extension PublishingHabit {
    /// Number of requests planned at most, and days.
    package static let maxPlanned = 12
    private static let plannedDays = 8.0
    /// Hours of delay that an episode costs in addition if it is found more than an hour late. Far less for
    /// a podcast that publishes more than once a week, for which it would be a request an hour.
    private var latePrice: Double {
        let weeks = min(1, Double(gap) / Double(7 * Self.day))
        return 3 * weeks * weeks
    }

    /// When to ask next, as long as no episode comes: soonest first, in whole minutes, at most a day apart.
    ///
    /// - Parameter spread: seconds of this podcast, so that not all that come at one hour are asked at once; below `step`.
    public func plan(after now: Timestamp, spread: Int64) -> [Timestamp] {
        let local = zone.local(now)
        let start = local - Self.secondOfDay(local) % Self.step
        // Two episodes ahead: the first of them ends the plan.
        let days = max(1, min(Self.plannedDays, (2 / rate).rounded(.down)))
        let chances = chances(from: start, count: Int(days) * Self.stepsADay)
        // The last one is only the end of the time that is planned.
        return affordable(chances, from: start).dropLast().prefix(Self.maxPlanned).map { number in
            let begin = start + Int64(number - 1) * Self.step
            // The usual moments within these ten minutes.
            let moments = dates.prefix(12).map { Self.secondOfDay($0 - begin) }.filter { $0 < Self.step }
            let moment = now + (begin - local + (moments.max().map { $0 + Schedule.minute + spread } ?? Self.step - spread))
            return moment - (moment.seconds % Schedule.minute + Schedule.minute) % Schedule.minute
        }
    }

    /// The requests that cost least, with a price by which there are about as many as `budget` allows.
    private func affordable(_ chances: [Double], from start: Int64) -> [Int] {
        // The chance that none has come by the end of each step, and so that a request at it is sent.
        var silence = [1.0]
        silence.reserveCapacity(chances.count + 1)
        for chance in chances { silence.append(silence[silence.count - 1] * max(0, 1 - chance)) }
        let allowed = budget * requestsByInterval(from: start, silence)
        var price = price
        var requests = cheapest(chances, price: price)
        for _ in 0..<Self.maxAdjustments {
            let excess = requests.dropLast().reduce(1) { $0 + silence[$1] } / allowed
            guard excess < 0.85 || excess > 1.05 else { break }
            price *= min(max(excess * excess.squareRoot(), 0.25), 4)
            requests = cheapest(chances, price: price)
        }
        return requests
    }

    private static let maxAdjustments = 2

    /// Requests allowed for each that the learned interval would send: a few more if most episodes come within three hours of the
    /// day, and fewer if they come at any time, since more would find little more.
    private var budget: Double { 0.95 + 0.18 * min(1, max(0, (share - 0.45) / 0.25)) }

    /// How many requests the learned interval would send, each counted by the chance that no episode comes before.
    private func requestsByInterval(from start: Int64, _ silence: [Double]) -> Double {
        let (newest, end) = (Timestamp(seconds: dates[0]), start + Int64(silence.count - 1) * Self.step)
        var (time, count) = (start, 0.0)
        while time < end {
            count += silence[Int((time - start) / Self.step)]
            let wait = Schedule.interval(gap: latestGap, newest: newest, now: Timestamp(seconds: time)).0
            // A podcast's own share shortens it by a tenth at most.
            time += wait * 95 / 100
        }
        return count
    }

    /// What a request may cost in hours of expected delay, before `budget` is heeded. With 1/128 of the gap as many requests would be sent as by the learned
    /// interval, which is an eighth of it. Where most episodes come within three hours, a request finds more and may cost less.
    private var price: Double {
        let hours = Double(gap) / Double(Schedule.hour)
        // Several a day: about as many requests as by the shortest learned interval.
        let ofHabit = max(hours * (0.21 - 0.196 * min(share, 0.8)) / 128, 0.044 / (2 * hours))
        // Without a habit, more requests would find little more.
        let irregular = min(1, max(0, (0.7 - share) / 0.25))
        // A daily show is otherwise looked for all day, for the few episodes that come at any time.
        return ofHabit * (1 + irregular * (1 + min(rate, 1.5))) * (1 + min(rate, 1))
    }

    /// A possible moment of a request: the end of a step.
    private struct Moment {
        var end: Int
        /// Of all steps before it: the chances, and the chances by the ends of their steps.
        var chance = 0.0
        var timedChance = 0.0
        /// What the best requests up to it cost, with a request at it, and the one before it.
        var cost = 0.0
        var before = 0
    }

    /// The requests that cost least together with the delay that they leave, as the numbers of the steps at whose end they are.
    private func cheapest(_ chances: [Double], price: Double) -> [Int] {
        let latePrice = latePrice
        var moments = Self.moments(chances, price: price)
        let hours = Double(Self.step) / Double(Schedule.hour)
        var (earliest, hourBefore) = (0, 0)
        for number in 1..<moments.count {
            var moment = moments[number]
            while moment.end - moments[earliest].end > Self.stepsADay { earliest += 1 }
            while hourBefore + 1 < number, moment.end - moments[hourBefore + 1].end >= 6 { hourBefore += 1 }
            let lateChance = moments[hourBefore].chance
            moment.cost = .infinity
            for start in earliest..<number {
                let other = moments[start]
                let chance = moment.chance - other.chance
                var cost = other.cost + hours * (Double(moment.end) * chance - (moment.timedChance - other.timedChance))
                if start < hourBefore { cost += latePrice * (lateChance - other.chance) }
                if cost < moment.cost { (moment.cost, moment.before) = (cost, start) }
            }
            moment.cost += price
            moments[number] = moment
            // The request before a later one is not earlier than that before this one.
            earliest = moment.before
        }
        var requests: [Int] = []
        var number = moments.count - 1
        while number > 0 {
            requests.append(moments[number].end)
            number = moments[number].before
        }
        return requests.reversed()
    }

    /// Where a request may be: after each step of an hour in which an episode may come, and else after each hour.
    private static func moments(_ chances: [Double], price: Double) -> [Moment] {
        var moments = [Moment(end: 0)]
        moments.reserveCapacity(chances.count + 1)
        var moment = Moment(end: 0)
        for hour in stride(from: 0, to: chances.count, by: 6) {
            let last = min(hour + 6, chances.count)
            // The delay that placing a request finer could save is far below its price.
            let isCoarse = chances[hour..<last].reduce(0, +) < price / 8
            for number in hour..<last {
                moment.end = number + 1
                moment.chance += chances[number]
                moment.timedChance += chances[number] * Double(number + 1)
                if !isCoarse || number + 1 == last { moments.append(moment) }
            }
        }
        return moments
    }
}
