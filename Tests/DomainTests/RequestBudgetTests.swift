import Domain
import Testing

@testable import Scheduling

/// Made publishers of each kind: what their habit costs and gains, beside the learned interval alone.
@Suite struct RequestBudgetTests {
    private static let (start, day, hour) = (PublishingHabitTests.start, PublishingHabitTests.day, PublishingHabitTests.hour)

    enum Kind: CaseIterable {
        case weekly, daily, twiceAWeek, workdays, fortnightly, monthly, aroundAnHour, drifting, seasons, bursts, sometimesLate,
            anyTime, revived, europe, northAmerica, australia, newZealand
    }

    /// From 0 to 999, the same in each run.
    private static func chance(_ number: Int, _ salt: String) -> Int64 { Int64(XXH64.hash("\(salt)\(number)".utf8) % 1_000) }

    private static func dates(_ kind: Kind) -> [Timestamp] {
        func regular(_ count: Int, every days: Int64) -> [Timestamp] { (0..<count).map { start + Int64($0) * days * day } }
        let weekly = regular(100, every: 7)
        func inZone(_ zone: DaylightSaving) -> [Timestamp] {
            regular(160, every: 7).map { Timestamp(seconds: zone.utc($0.seconds)) }
        }
        switch kind {
        case .weekly: return weekly
        case .daily: return regular(200, every: 1)
        case .twiceAWeek: return weekly.flatMap { [$0, $0 + 2 * day + 10 * hour] }
        case .workdays: return regular(280, every: 1).filter { (1...5).contains($0.parts.weekday) }
        case .fortnightly: return regular(80, every: 14)
        case .monthly:
            return (0..<60).compactMap { Timestamp(year: 2020 + $0 / 12, month: $0 % 12 + 1, day: 15, hour: 6) }
        case .aroundAnHour: return weekly.enumerated().map { $1 + chance($0, "around") * 7_200 / 1_000 }
        case .drifting: return weekly.enumerated().map { $1 + Int64($0) * 120 }
        case .seasons: return weekly.enumerated().map { $1 + Int64($0 / 12) * 90 * day }
        case .bursts: return (weekly + (0..<20).map { weekly[70] + 11 * hour + Int64($0) * 5 * hour }).sorted()
        case .sometimesLate:
            return weekly.enumerated().map { chance($0, "is late") < 150 ? $1 + chance($0, "late") * day / 500 : $1 }
        case .revived: return weekly.enumerated().map { $0 < 60 ? $1 : $1 + 700 * day + 9 * hour }
        case .europe: return inZone(.europe)
        case .northAmerica: return inZone(.northAmerica)
        case .australia: return inZone(.australia)
        case .newZealand: return inZone(.newZealand)
        case .anyTime: return weekly.enumerated().map { $1 + chance($0, "any") * 6 * day / 1_000 }
        }
    }

    @Test(arguments: Kind.allCases)
    func `a habit costs few more requests than the interval, and no delay`(_ kind: Kind) {
        let dates = Self.dates(kind)
        let habit = PublishingHabitTests().replay(dates)
        let interval = PublishingHabitTests().replay(dates, byHabit: false)
        // Of the two that are drawn at random, other draws need 1.1 to 1.28 times as many.
        let limit = [.aroundAnHour, .sometimesLate].contains(kind) ? 1.3 : 1.2
        #expect(habit.requests <= limit * interval.requests, "\(habit.requests / interval.requests) times the requests")
        func mean(_ delays: [Int64]) -> Int64 { delays.reduce(0, +) / Int64(delays.count) }
        // Fewer requests are sent to a show that comes at any time.
        let allowed = kind == .anyTime ? mean(interval.delays) * 5 / 4 : mean(interval.delays)
        #expect(mean(habit.delays) <= max(25, allowed))
    }
}
