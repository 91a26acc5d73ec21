import Domain

extension WorkStore {
    func pauses(now: Timestamp) async throws -> [String: Timestamp] {
        let rows = try await session.read(Shard.all.map { Transaction(.pausedHosts, $0, .time(now)) })
        return Dictionary(rows.all.compactMap { row in row.time("paused_until").map { (row.text("name"), $0) } }) { a, _ in a }
    }

    func hosts(_ keys: [String]) async throws -> [String: HostState] {
        // A claim has usually loaded them already.
        if let states = await leases.states(of: keys) { return states.filter { $0.value != HostState() } }
        let rows = try await session.read(
            Dictionary(grouping: Set(keys).map(BundleKey.host)) { Shard(host: $0) }.map {
                Transaction(.hosts, $0, .ints($1))
            })
        var states: [String: HostState] = [:]
        for row in rows.all {
            let allowance = row.number("allowance").map { Double(bitPattern: UInt64(bitPattern: $0)) }
            states[row.text("name")] = HostState(
                pausedUntil: row.time("paused_until"), allowance: allowance, measuredAt: row.time("measured_at"))
        }
        return states.filter { $0.value != HostState() }
    }

    func exchange(pauses: [String: Timestamp], _ lease: WorkLease) async throws -> [String: Timestamp] {
        // Slots that waited to be released with others, in case nothing else ends for long.
        try await releaseFinished(lease, mayWait: true)
        let run = try await leases.current(lease)
        let sharedHosts = Set(run.held.values.filter { $0.share < run.request.perHost }.map(\.host))
        let reported = pauses.map { key, until in
            let host = BundleKey.host(key)
            return Transaction(.pauseHost, Shard(host: host), .int(host), .text(key), .time(until))
        }
        let queried = Dictionary(grouping: sharedHosts) { Shard(host: $0) }.map { Transaction(.hosts, $0, .ints($1)) }
        guard !reported.isEmpty || !queried.isEmpty else { return [:] }
        let rows = try await session.run(reported + queried).dropFirst(reported.count).flatMap { try $0.orFailure().all }
        return Dictionary(rows.compactMap { row in row.time("paused_until").map { (row.text("name"), $0) } }) { a, _ in a }
    }

    /// Stores the state of hosts. During a run, a longer pause stored by another worker is kept.
    func store(_ hosts: [String: HostState]) async throws {
        let keepsPauses = await !leases.isIdle
        let transactions = hosts.map { key, state in
            let (host, allowance) = (BundleKey.host(key), state.allowance.map { Int64(bitPattern: $0.bitPattern) })
            return Transaction(
                .putHost, Shard(host: host), .int(host), .text(key), .time(state.pausedUntil), .int(allowance),
                .time(state.measuredAt), .flag(keepsPauses && !state.endsPause))
        }
        for reply in try await session.run(transactions) { _ = try reply.orFailure() }
    }
}
