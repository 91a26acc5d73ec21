import Domain

/// Made publishers of each kind: four years of a weekly one, and as many episodes of the others.
struct MadePublisher {
    let name: String
    let dates: [Timestamp]
    /// Seconds from the date that the feed states to the episode. Nil if it states days without hours.
    var late: Int64? = 0

    /// As the feed states it.
    func stated(_ date: Timestamp) -> Timestamp {
        late.map { date - $0 } ?? date - (date.seconds % 86_400)
    }

    static let all: [MadePublisher] = {
        let (minute, hour, day): (Int64, Int64, Int64) = (60, 3_600, 86_400)
        /// Tuesday, 2020-01-07 05:00 UTC.
        let start = Timestamp(seconds: 1_578_373_200)
        func every(_ days: Int64, _ count: Int) -> [Timestamp] { (0..<count).map { start + Int64($0) * days * day } }
        func chance(_ number: Int, _ salt: String) -> Int64 { Int64(XXH64.hash("\(salt)\(number)".utf8) % 1_000) }
        /// - Parameters: the months and days of the months from which on the first Sunday begins and ends the summer time.
        func inZone(from: (month: Int, day: Int), to: (month: Int, day: Int)) -> [Timestamp] {
            every(7, 200).map { date in
                func sunday(_ on: (month: Int, day: Int)) -> Timestamp {
                    let first = Timestamp(year: date.parts.year, month: on.month, day: on.day) ?? date
                    return first + Int64((7 - first.parts.weekday) % 7) * day
                }
                let (from, to) = (sunday(from), sunday(to))
                return (from < to ? from <= date && date < to : from <= date || date < to) ? date - hour : date
            }
        }
        let weekly = every(7, 200)
        let months = (0..<60).map { (year: 2020 + $0 / 12, month: $0 % 12 + 1) }
        return [
            MadePublisher(name: "daily, fixed hour", dates: every(1, 200)),
            MadePublisher(name: "weekly, fixed hour", dates: weekly),
            MadePublisher(name: "twice a week", dates: weekly.flatMap { [$0, $0 + 2 * day + 10 * hour] }),
            MadePublisher(name: "daily but weekends", dates: every(1, 280).filter { (1...5).contains($0.parts.weekday) }),
            MadePublisher(name: "fortnightly", dates: every(14, 100)),
            MadePublisher(
                name: "monthly, on the 15th",
                dates: months.compactMap { Timestamp(year: $0.year, month: $0.month, day: 15, hour: 6) }),
            MadePublisher(name: "around an hour", dates: weekly.enumerated().map { $1 + chance($0, "around") * 7_200 / 1_000 }),
            MadePublisher(name: "drifting two minutes a week", dates: weekly.enumerated().map { $1 + Int64($0) * 2 * minute }),
            MadePublisher(
                name: "seasons of twelve, pauses of 90 days", dates: weekly.enumerated().map { $1 + Int64($0 / 12) * 90 * day }),
            MadePublisher(
                name: "a burst of twenty", dates: (weekly + (0..<20).map { weekly[150] + 11 * hour + $0 * 5 * hour }).sorted()),
            MadePublisher(
                name: "dead for two years, at another hour",
                dates: weekly.enumerated().map { $0 < 130 ? $1 : $1 + 700 * day + 9 * hour }),
            MadePublisher(name: "summer time: Europe", dates: inZone(from: (3, 25), to: (10, 25))),
            MadePublisher(name: "summer time: North America", dates: inZone(from: (3, 8), to: (11, 1))),
            MadePublisher(name: "summer time: Australia", dates: inZone(from: (10, 1), to: (4, 1))),
            MadePublisher(name: "summer time: New Zealand", dates: inZone(from: (9, 24), to: (4, 1))),
            MadePublisher(name: "publisher's clock three hours slow", dates: weekly, late: 3 * hour),
            MadePublisher(name: "publisher's clock an hour fast", dates: weekly, late: -hour),
            MadePublisher(name: "dates without hours", dates: weekly, late: nil),
            MadePublisher(name: "at any time", dates: weekly.enumerated().map { $1 + chance($0, "any") * 6 * day / 1_000 }),
        ]
    }()
}
