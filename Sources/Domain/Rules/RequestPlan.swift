/// Places requests where they find most.
///
/// Of all ways to place requests in the coming days the one is taken that costs least: each request has a price, and so has the
/// expected delay, as in Sia, Cho and others (TKDE 2007). Dynamic programming finds it.
extension PublishingHabit {
    /// Number of requests planned at most, and days.
    package static let maxPlanned = 12
    private static let plannedDays = 8.0

    /// When to ask next, as long as no episode comes: soonest first, in whole minutes, at most a day apart.
    ///
    /// - Parameter spread: seconds of this podcast, so that not all that come at one hour are asked at once; below `step`.
    public func plan(after now: Timestamp, spread: Int64) -> [Timestamp] {
        guard !isDormant else { return daily(after: now, spread: spread) }
        let local = zone.local(now)
        let start = local - Self.secondOfDay(local - dayStart) % Self.step
        // Two episodes ahead: the first of them ends the plan.
        let days = max(1, min(Self.plannedDays, (2 / rate).rounded(.down)))
        let requests = affordable(from: start, count: Int(days) * Self.stepsADay)
        // The last one is only the end of the time that is planned.
        return requests.dropLast().prefix(Self.maxPlanned).map { end in
            (now + (start - local + Int64(end) * Self.step + spread)).wholeMinute
        }
    }

    /// Once a day, a little after the moment by which an episode at one of the usual hours waits least.
    private func daily(after now: Timestamp, spread: Int64) -> [Timestamp] {
        let moments = zip(dates, isWithoutHour).filter { !$1 }.map { Self.secondOfDay($0.0) }.sorted()
        // How long episodes at all of them wait for a look at one, but for what is the same for each.
        func wait(_ number: Int) -> Int64 { Int64(moments.count) * moments[number] - Int64(number) * Self.day }
        guard let look = moments.indices.min(by: { wait($0) < wait($1) }).map({ moments[$0] }) else { return [] }
        let first = (now + Self.secondOfDay(look + Schedule.minute + spread - zone.local(now))).wholeMinute
        return (0...Int64(Self.plannedDays)).map { first + $0 * Self.day }.filter { $0 - now >= Schedule.shortestWait }
    }

    /// The requests that cost least, with a price by which there are about as many as `budget` allows or fewer.
    private func affordable(from start: Int64, count: Int) -> [Int] {
        var price = price
        let moments = moments(from: start, count: count, unlikely: price / 24)
        let allowed = budget * requestsByInterval(from: start, moments)
        var requests = cheapest(moments, price: price)
        for _ in 0..<Self.maxAdjustments {
            let excess = requests.dropLast().reduce(1) { $0 + moments[$1].silence } / allowed
            guard excess > 1.05 else { break }
            price *= min(excess * excess.squareRoot(), 4)
            requests = cheapest(moments, price: price)
        }
        return requests.map { moments[$0].end }
    }

    private static let maxAdjustments = 2

    /// How regular the hours are: 1 if most episodes come within three hours of the day, 0 if they come at any time.
    private var regularity: Double { min(1, max(0, (share - 0.45) / 0.25)) }

    /// Requests allowed for each that the learned interval would send: a few more where hours are usual, and fewer where they are
    /// not, since more would find little more.
    private var budget: Double { 0.95 + 0.18 * regularity }

    /// How many requests the learned interval would send, each counted by the chance that no episode comes before.
    private func requestsByInterval(from start: Int64, _ moments: [Moment]) -> Double {
        let newest = Timestamp(seconds: dates[0])
        var (time, count) = (start, 0.0)
        for (before, moment) in zip(moments, moments.dropFirst()) {
            let end = start + Int64(moment.end) * Self.step
            while time < end {
                count += before.silence
                // A podcast's own share shortens it by a tenth at most.
                time += Schedule.interval(gap: latestGap, newest: newest, now: Timestamp(seconds: time)).0 * 95 / 100
            }
        }
        return count
    }

    /// What a request may cost in hours of expected delay, before `budget` is heeded: a share of the gap. Without usual hours, more
    /// requests would find little more; a daily show is otherwise looked for all day, for the few episodes that come at any time.
    private var price: Double {
        Double(gap) / Double(Schedule.hour) * 0.00024 * (1 + min(rate, 1)) * (8 - 7 * regularity)
    }

    /// Hours of delay that an episode costs in addition if it is found more than an hour late. Less for a podcast that publishes
    /// several times a day, for which it would be a request an hour.
    private var latePrice: Double { 12 * min(1, Double(gap) / Double(Self.day)) }

    /// The requests that cost least together with the delay that they leave, by their moments.
    private func cheapest(_ moments: [Moment], price: Double) -> [Int] {
        let latePrice = latePrice
        let hours = Double(Self.step) / Double(Schedule.hour)
        // What the best requests up to each moment cost, with a request at it, and the one before it.
        var best = [(cost: Double, before: Int)](repeating: (0, 0), count: moments.count)
        var (earliest, hourBefore) = (0, 0)
        for number in 1..<moments.count {
            let moment = moments[number]
            while moment.end - moments[earliest].end > Self.stepsADay, earliest < number - 1 { earliest += 1 }
            while hourBefore + 1 < number, moment.end - moments[hourBefore + 1].end >= 6 { hourBefore += 1 }
            let lateChance = moments[hourBefore].chance
            let time = hours * Double(moment.end)
            var (least, before) = (Double.infinity, earliest)
            for start in earliest..<number {
                let chance = moments[start].chance
                let cost = best[start].cost + time * (moment.chance - chance) + latePrice * max(0, lateChance - chance)
                if cost < least { (least, before) = (cost, start) }
            }
            best[number] = (least + price, before)
            // The request before a later one is not earlier than that before this one.
            earliest = before
        }
        var requests: [Int] = []
        var number = moments.count - 1
        while number > 0 {
            requests.append(number)
            number = best[number].before
        }
        return requests.reversed()
    }
}
