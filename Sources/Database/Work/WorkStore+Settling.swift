import Domain
import Records

extension WorkStore {
    func settle(_ settlements: [Settlement], _ lease: WorkLease) async throws -> [WriteResult] {
        _ = try await stillLeased(settlements.map(\.podcast.id), lease)
        let (before, fences) = try await leases.update(lease) { $0.claims(of: settlements.map(\.podcast.id)) }
        let results = try await podcasts.write(settlements, before: before, leasedBy: fences)
        try await leases.update(lease) { run in
            for (settlement, result) in zip(settlements, results) { run.note(settlement, result) }
        }
        try await releaseFinished(lease, mayWait: true)
        return results
    }

    /// The podcasts whose leases are still valid. A lease that may have ended, because the database or this process was
    /// unresponsive for long, is renewed if nobody else has taken it.
    func stillLeased(_ podcasts: [PodcastID], _ lease: WorkLease) async throws -> Set<PodcastID> {
        for isLast in [false, false, true] {
            let end = ContinuousClock.now + leases.margin
            let (leased, mayBeRenewed) = try await leases.update(lease) { $0.leased(podcasts, beyond: end) }
            if isLast || !mayBeRenewed { return leased }
            try await renew(lease, now: now)
        }
        return []
    }

    func giveBack(_ podcasts: [PodcastID: Timestamp?], _ lease: WorkLease) async throws {
        try await leases.update(lease) { run in
            for (podcast, until) in podcasts { run.giveBack(podcast, until: until) }
        }
        try await releaseFinished(lease)
    }

    /// Ends the leases on bundles whose feeds are all settled.
    ///
    /// - Parameter mayWait: true if slots without another bundle may be released later, together with others.
    func releaseFinished(_ lease: WorkLease, mayWait: Bool = false) async throws {
        let (finished, slots, now) = try await leases.update(lease) { run in
            (mayWait && !run.hasUrgent ? [] : run.takeFinished(), run.slotsPerHost, run.now)
        }
        try await release(finished, lease, slotsPerHost: slots, now: now)
    }

    private func release(_ finished: [Leases.Held], _ lease: WorkLease, slotsPerHost: Int, now: Timestamp) async throws {
        guard !finished.isEmpty else { return }
        let (token, parts) = (Parameter.int(Int64(lease.token)), Parameter.int(slotsPerHost))
        let transactions = Dictionary(grouping: finished, by: \.bundle.shard).map { shard, finished in
            let bundles = finished.filter(\.hasBundle)
            let slots = finished.filter { $0.slotFence != nil }
            return Transaction(
                [
                    Call(.lockSlots, shard, token, .ints(finished.map(\.host)), .ints(finished.map(\.slot))),
                    Call(
                        .settleBundles, shard, token, parts, .ints(bundles.map(\.host)), .ints(bundles.map(\.bundle.number)),
                        .ints(bundles.map(\.changes)), .ints(bundles.map { BundleKey.dueAt($0.dueAt, now: now).seconds }),
                        .ints(bundles.map(\.shards))),
                    Call(
                        .releaseSlots, shard, token, parts, .ints(slots.map(\.host)), .ints(slots.map(\.slot)),
                        .ints(slots.map(\.slotFence)), .time(now + Leases.maxCheckInterval), .time(now),
                        .int(now.seconds - Leases.sweepInterval)),
                ])
        }
        var released: [(slot: Leases.SlotKey, readyAt: Int64)] = []
        for reply in try await session.run(transactions) {
            for row in try reply.orFailure().last.map(Array.init) ?? [] {
                released.append(
                    (Leases.SlotKey(host: row.number("host") ?? 0, slot: row.number("slot") ?? 0), row.number("ready_at") ?? .max)
                )
            }
        }
        let all = released
        // The lease is gone at the end of a run, which has no use for them.
        try? await leases.update(lease) { for slot in all { $0.noteReleased(slot.slot, readyAt: slot.readyAt) } }
    }

    func renew(_ lease: WorkLease, now: Timestamp) async throws {
        let run = try await leases.current(lease)
        let valid = ContinuousClock.now + .seconds(leases.leaseSeconds)
        let until = Parameter.int(now.seconds + leases.leaseSeconds)
        let held = Array(run.held.values)
        let transactions = Dictionary(grouping: held) { Shard(host: $0.host) }.map { shard, held in
            Transaction(
                .renew, shard, .int(Int64(lease.token)), until, .ints(held.map(\.host)), .ints(held.map(\.slot)))
        }
        var renewed: Set<Leases.SlotKey> = []
        let start = ContinuousClock.now
        for reply in try await session.run(transactions + [signingOn(now)]) {
            for row in try reply.orFailure().last.map(Array.init) ?? [] {
                renewed.insert(Leases.SlotKey(host: row.number("host") ?? 0, slot: row.number("slot") ?? 0))
            }
        }
        await leases.signedOn(at: start)
        let renewedSlots = renewed
        try await leases.update(lease) { $0.extend(held.map(\.bundle), renewedSlots, validUntil: valid) }
    }

    func release(_ lease: WorkLease, times: RefreshTimes?) async throws {
        let keepsRunning = try await leases.current(lease).request.keepsRunning
        let (held, slots, latest) = try await leases.update(lease) { ($0.takeAll(), $0.slotsPerHost, $0.now) }
        await leases.end()
        try await release(held, lease, slotsPerHost: slots, now: latest)
        if !keepsRunning {
            let dropping = Transaction(.dropCommits, .owner, .time(now + -86_400))
            await leases.signedOn(at: nil)
            for reply in try await session.run([signingOff, dropping]) { _ = try reply.orFailure() }
        }
        guard let times else { return }
        try await owner.write(reading: [OwnerDocument.times.read]) { rows in
            var after = times
            after.counters = try Self.times(rows[0]).counters
            after.counters += times.counters
            return ([OwnerDocument.times.write { after.write(to: &$0) }], ())
        }
    }
}
