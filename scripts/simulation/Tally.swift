import Domain

/// What one host gets in the measured time.
struct HostLoad: Sendable {
    var requests = 0
    /// Seconds that all its requests take.
    var busy = 0.0
    /// By the slots that the host has, each at its busiest.
    var maxAtOnce = 0
    private var open: [Double] = []
    private var maxInSlot = 0

    mutating func add(_ begin: Double, _ end: Double, _ plan: Plan) {
        open.removeAll { $0 <= begin }
        open.append(end)
        maxInSlot = max(maxInSlot, open.count)
        guard plan.isMeasured(begin) else { return }
        requests += 1
        busy += min(end, plan.end) - begin
    }

    /// Another slot of the same host.
    mutating func add(_ slot: HostLoad) {
        requests += slot.requests
        busy += slot.busy
        maxAtOnce += slot.maxInSlot
    }
}

/// What is counted over the measured time.
struct Tally: Sendable {
    var requests = 0
    var busy = 0.0
    var bodies = 0
    var bytes = 0.0
    /// Answers that brought episodes, and these.
    var news = 0
    var episodes = 0
    /// Bundles that were leased.
    var claims = 0
    var missing = 0
    var perMinute: [Int] = []
    /// Seconds from publication until the answer that brings it, by rhythm.
    var delays = [[Float]](repeating: [], count: Rhythm.allCases.count)
    /// Of the hosts that are looked at one by one.
    var hosts: [Int: HostLoad] = [:]
    /// The most requests at once that any host got.
    var maxAtOnce = 0

    init(_ plan: Plan) { perMinute = [Int](repeating: 0, count: Int(plan.measured / 60)) }

    mutating func add(
        _ publisher: Publisher, _ answer: (found: Range<Int>, body: Bool), _ begin: Double, _ end: Double, _ plan: Plan
    ) {
        for episode in answer.found {
            let time = publisher.time(of: episode)
            if plan.isMeasured(time) { delays[publisher.rhythm.rawValue].append(Float(end - time)) }
        }
        guard plan.isMeasured(begin) else { return }
        requests += 1
        busy += end - begin
        perMinute[Int((begin - plan.warmUp) / 60)] += 1
        if answer.body {
            bodies += 1
            bytes += publisher.episodes * Statistics.bytesPerEpisode
        }
        if !answer.found.isEmpty { news += 1 }
        episodes += answer.found.count
    }

    static func += (a: inout Tally, b: Tally) {
        a.requests += b.requests
        a.busy += b.busy
        a.bodies += b.bodies
        a.bytes += b.bytes
        a.news += b.news
        a.episodes += b.episodes
        a.claims += b.claims
        a.missing += b.missing
        a.maxAtOnce = max(a.maxAtOnce, b.maxAtOnce)
        for minute in a.perMinute.indices { a.perMinute[minute] += b.perMinute[minute] }
        for rhythm in a.delays.indices { a.delays[rhythm] += b.delays[rhythm] }
        for (host, load) in b.hosts {
            var sum = a.hosts[host] ?? HostLoad()
            sum.requests += load.requests
            sum.busy += load.busy
            sum.maxAtOnce += load.maxAtOnce
            a.hosts[host] = sum
        }
        a.maxAtOnce = max(a.maxAtOnce, a.hosts.values.map(\.maxAtOnce).max() ?? 0)
    }
}
