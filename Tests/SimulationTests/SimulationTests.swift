import Testing

@testable import simulate

/// `scripts/simulate`, on fewer feeds than it is for.
struct SimulationTests {
    private static let outcomes = Task {
        var outcomes: [Outcome] = []
        for plan in Plan.all { outcomes.append(await Simulation(feeds: 3_000, perHost: 2, cores: 2).run(plan)) }
        return outcomes
    }

    @Test func `no host gets more requests at once than it may, and its slots are no busier than always`() async {
        for outcome in await Self.outcomes.value {
            #expect(outcome.maxAtOnce >= 1 && outcome.maxAtOnce <= 2)
            #expect(outcome.largest.allSatisfy { $0.use <= 1.0001 })
            #expect(outcome.requests > 0 && outcome.missing == 0)
        }
    }

    @Test func `who asks more often finds sooner, and costs more`() async throws {
        let outcomes = await Self.outcomes.value
        let (quarter, hour, learned) = (outcomes[0], outcomes[1], outcomes[3])
        for rhythm in [Rhythm.daily, .weekly] {
            let delays = try [quarter, hour].map { try #require($0.delays[rhythm]) }
            #expect(delays[0].count > 0 && delays[0].median < delays[1].median)
        }
        #expect(quarter.requests > 2 * hour.requests && hour.requests > 2 * learned.requests)
        #expect(quarter.workers >= hour.workers)
        // With a hub that tells of it, an episode is found within minutes.
        let (polled, told) = (try #require(learned.delays[.weekly]), try #require(outcomes[6].delays[.weekly]))
        #expect(told.p95 < 600 && told.median < polled.median)
    }

    @Test func `hours that are learned find sooner than the gap alone, with few more requests`() async throws {
        // A few thousand feeds have a dozen weekly episodes in the measured day, whose median is chance.
        var outcomes: [Outcome] = []
        for plan in Plan.all[2...3] { outcomes.append(await Simulation(feeds: 30_000, perHost: 32, cores: 2).run(plan)) }
        let (gap, hours) = (outcomes[0], outcomes[1])
        let delays = try [gap, hours].map { try #require($0.delays[.weekly]) }
        #expect(delays[0].count > 50 && delays[1].median < delays[0].median / 2)
        #expect(hours.requests <= 1.2 * gap.requests)
    }

    @Test func `what is drawn has the published numbers`() {
        let feeds = 40_000
        let newest = (0..<feeds).map { feed in
            let publisher = Publisher(feed: feed)
            return -publisher.time(of: publisher.newest(at: 0)) / 86_400
        }
        for (days, published) in [
            (3.0, Statistics.fresh.three), (10, Statistics.fresh.ten), (30, Statistics.fresh.thirty),
            (90, Statistics.fresh.ninety),
        ] {
            let drawn = Double(newest.count { $0 <= days }) / Double(feeds) * Double(Statistics.feeds)
            #expect(abs(drawn / published - 1) < 0.1, "\(days) days: \(drawn)")
        }
        let sizes = Hosts(feeds: Statistics.feeds).feeds.map(\.count)
        #expect(sizes.reduce(0, +) == Statistics.feeds)
        #expect(abs(Double(sizes.prefix(10).reduce(0, +)) / Double(Statistics.feeds) - 2 / 3) < 0.01)
    }

    @Test func `its report names all plans, and its charts are drawn`() async {
        let report = await Report(outcomes: Self.outcomes.value)
        for plan in Plan.all {
            #expect(report.tables.split(separator: "\n").count { $0.hasPrefix("| \(plan.name) |") } == 2)
            #expect(report.charts.contains(plan.name))
        }
    }
}
