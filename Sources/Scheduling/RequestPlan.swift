public import Domain

/// Places requests where they find most.
///
/// Of all ways to place requests in the coming days the one is taken that costs least: each request has a price, and so has the
/// expected delay, as in Sia, Cho and others (TKDE 2007). Dynamic programming finds it.
extension PublishingHabit {
    /// Number of requests planned at most, and days.
    package static let maxPlanned = 24
    private static let plannedDays = 8.0

    /// When to ask next, as long as no episode comes: soonest first, in whole minutes, at most a day apart.
    ///
    /// - Parameters:
    ///   - spread: seconds of this podcast, so that not all that come at one hour are asked at once; below `step`.
    ///   - looksEarly: asks half an hour before the likeliest moment too, which shows whether the publisher's clock is fast.
    public func plan(after now: Timestamp, spread: Int64, looksEarly: Bool = false) -> [Timestamp] {
        guard !isDormant else { return daily(after: now, spread: spread) }
        let local = zone.local(now)
        let start = local - Self.secondOfDay(local - dayStart) % Self.step
        // Two episodes ahead: the first of them ends the plan.
        let days = max(1, min(Self.plannedDays, (2 / rate).rounded(.down)))
        let requests = affordable(from: start, count: Int(days) * Self.stepsADay, looksEarly: looksEarly)
        // The last one is only the end of the time that is planned. The clocks may change before it.
        let moments = requests.dropLast().prefix(Self.maxPlanned).map { start + Int64($0) * Self.step }
        return zone.utc(moments).map { ($0 + spread).wholeMinute }
    }

    /// Once a day, a little after the moment by which an episode at one of the usual hours waits least.
    private func daily(after now: Timestamp, spread: Int64) -> [Timestamp] {
        let moments = zip(dates, isWithoutHour).filter { !$1 }.map { Self.secondOfDay($0.0) }.sorted()
        // How long episodes at all of them wait for a look at one, but for what is the same for each.
        func wait(_ number: Int) -> Int64 { Int64(moments.count) * moments[number] - Int64(number) * Self.day }
        guard let look = moments.indices.min(by: { wait($0) < wait($1) }).map({ moments[$0] }) else { return [] }
        let local = zone.local(now)
        let first = local + Self.secondOfDay(look + Schedule.minute + spread - local)
        let days = (0...Int64(Self.plannedDays)).map { first + $0 * Self.day }
        return zone.utc(days).map(\.wholeMinute).filter { $0 - now >= Schedule.minWait }
    }

    /// The requests that cost least, with a price by which there are about as many as `budget` allows or fewer.
    private func affordable(from start: Int64, count: Int, looksEarly: Bool) -> [Int] {
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
        let ends = requests.map { moments[$0].end }
        return looksEarly ? Self.withEarlyOne(ends, before: likeliest(of: requests, moments)) : ends
    }

    /// The place of the request that has the best chance to find an episode.
    private func likeliest(of requests: [Int], _ moments: [Moment]) -> Int {
        func chance(_ place: Int) -> Double {
            moments[requests[place]].chance - (place > 0 ? moments[requests[place - 1]].chance : 0)
        }
        return requests.indices.prefix(Self.maxPlanned).max { chance($0) < chance($1) } ?? 0
    }

    /// The ends with another one half an hour before that at a place, unless there is a request in this time.
    private static func withEarlyOne(_ ends: [Int], before place: Int) -> [Int] {
        let early = ends[place] - Int(Schedule.hour / 2 / step)
        guard early > (place > 0 ? ends[place - 1] : 0) else { return ends }
        return ends[..<place] + [early] + ends[place...]
    }

    private static let maxAdjustments = 2

    /// How regular the hours are: 1 if most episodes come within three hours of the day, 0 if they come at any time.
    private var regularity: Double { min(1, max(0, (share - 0.45) / 0.25)) }

    /// Requests allowed for each that the learned interval would send: a few more where hours are usual, and about as many
    /// elsewhere, where more would find little more.
    private var budget: Double { 0.98 + 0.18 * regularity }

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
            let time = hours * Double(moment.end)
            // Without what is the same for all. Episodes that come until an hour before this request are late too.
            let late = latePrice * moments[hourBefore].chance
            var (least, before) = (Double.infinity, earliest)
            var start = earliest
            while start <= hourBefore {
                let cost = best[start].cost - (time + latePrice) * moments[start].chance + late
                if cost < least { (least, before) = (cost, start) }
                start += 1
            }
            while start < number {
                let cost = best[start].cost - time * moments[start].chance
                if cost < least { (least, before) = (cost, start) }
                start += 1
            }
            best[number] = (least + time * moment.chance + price, before)
            // The request before a later one is not earlier than that before this one.
            earliest = before
        }
        var requests: [Int] = []
        requests.reserveCapacity(Self.maxPlanned)
        var number = moments.count - 1
        while number > 0 {
            requests.append(number)
            number = best[number].before
        }
        return requests.reversed()
    }
}
