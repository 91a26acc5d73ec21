import Database
import Domain

/// All feeds under one plan.
///
/// Hosts share nothing but the workers, of which there are enough, and the slots of a host nothing but its pace, which is
/// divided among them. So each slot is simulated by itself, and only the feeds of the slots under way are in memory.
struct Simulation: Sendable {
    let hosts: Hosts
    let perHost: Int
    let cores: Int

    init(feeds: Int, perHost: Int, cores: Int) {
        hosts = Hosts(feeds: feeds)
        self.perHost = perHost
        self.cores = cores
    }

    func run(_ plan: Plan) async -> Outcome {
        await withTaskGroup(of: Tally.self) { group in
            for core in 0..<cores { group.addTask { part(core, plan) } }
            var tally = Tally(plan)
            for await part in group { tally += part }
            return Outcome(plan, tally, perHost: perHost)
        }
    }

    /// The slots that one core simulates.
    private func part(_ core: Int, _ plan: Plan) -> Tally {
        var tally = Tally(plan)
        var number = 0
        for (place, host) in hosts.feeds.enumerated() {
            var load = HostLoad()
            for slot in 0..<BundleKey.slots(perHost: perHost) where slot * BundleKey.size < host.count {
                number += 1
                guard number % cores == core, var run = SlotRun(plan, host: host, slot: slot, perHost: perHost) else { continue }
                var slotLoad = HostLoad()
                run.run(&tally, &slotLoad)
                load.add(slotLoad)
            }
            if place < Statistics.largest.count { tally.hosts[place] = load }
            tally.maxAtOnce = max(tally.maxAtOnce, load.maxAtOnce)
        }
        return tally
    }
}

/// What a plan comes to, each second where nothing else is said.
struct Outcome: Sendable {
    /// Seconds from publication to discovery.
    struct Delay: Sendable {
        let median: Double
        let p95: Double
        let p99: Double
        let count: Int

        init(_ delays: [Float]) {
            let sorted = delays.sorted()
            func quantile(_ share: Double) -> Double {
                sorted.isEmpty ? .nan : Double(sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))])
            }
            (median, p95, p99, count) = (quantile(0.5), quantile(0.95), quantile(0.99), sorted.count)
        }
    }

    let plan: Plan
    let requests: Double
    let peak: Double
    let bodies: Double
    let bytes: Double
    let news: Double
    let episodes: Double
    let claims: Double
    /// Requests under way.
    let underWay: Double
    /// Of the ten largest hosts: requests, and the share of the time for which their slots are in use.
    let largest: [(requests: Double, use: Double)]
    let maxAtOnce: Int
    let delays: [Rhythm: Delay]
    let missing: Int

    init(_ plan: Plan, _ tally: Tally, perHost: Int) {
        self.plan = plan
        let seconds = plan.measured
        (requests, bodies) = (Double(tally.requests) / seconds, Double(tally.bodies) / seconds)
        (bytes, news) = (tally.bytes / seconds, Double(tally.news) / seconds)
        (episodes, claims) = (Double(tally.episodes) / seconds, Double(tally.claims) / seconds)
        peak = Double(tally.perMinute.max() ?? 0) / 60
        underWay = tally.busy / seconds
        largest = Statistics.largest.indices.map { place in
            let load = tally.hosts[place] ?? HostLoad()
            return (Double(load.requests) / seconds, load.busy / seconds / Double(perHost))
        }
        maxAtOnce = tally.maxAtOnce
        delays = Dictionary(uniqueKeysWithValues: Rhythm.allCases.map { ($0, Delay(tally.delays[$0.rawValue])) })
        missing = tally.missing
    }

    /// Rows written: a record for each answer; for each lease the slot, its end, and when its bundle is due; for each answer
    /// with news the channel, the shard, the commit and the search's sizes, and two rows for each episode.
    var rows: Double { requests + 3 * claims + 4 * news + 2 * episodes }
    /// At most, by the marks that the benchmarks hold: 0.1 for an answer without news, 4 for one with.
    var roundTrips: Double { 0.1 * (requests - news) + 4 * news }
    var workers: Int { max(1, Int(max(underWay / Worker.concurrency, Worker.cpu(self)).rounded(.up))) }
}

/// One process on one core.
enum Worker {
    /// Requests at once: the setting.
    static let concurrency = 256.0
    /// Seconds of processor time for an answer without a body, for one with a body that is as before, and for one with news:
    /// as `jimmy refresh` took with a database, and a millisecond for TLS.
    static let (notModified, body, news) = (0.0014, 0.0019, 0.002)

    /// Cores that are busy all the time.
    static func cpu(_ outcome: Outcome) -> Double {
        (outcome.requests - outcome.bodies) * notModified + (outcome.bodies - outcome.news) * body + outcome.news * news
    }
}
