import Domain

extension Leases.Run {
    var slotCount: Int {
        var slots: Set<Leases.SlotKey> = []
        for one in held.values where !one.outstanding.isEmpty { slots.insert(one.key) }
        return slots.count
    }

    /// Something waits for the end of a lease: another bundle of its slot, or what has waited for a second.
    var hasUrgent: Bool {
        ContinuousClock.now - releasedAt > .seconds(1) || held.values.contains { $0.outstanding.isEmpty && !$0.isAlone }
    }

    /// It has as many as it may have at the moment.
    var isFull: Bool { slotCount >= min(mostSlots, mostSlotsAtFirst) }

    /// Requests at once that all slots stand for which the run has of a host.
    func share(of host: Int64) -> Int {
        var slots: Set<Int64> = []
        return held.values.reduce(0) { $1.host == host && slots.insert($1.slot).inserted ? $0 + $1.share : $0 }
    }

    /// Those of the podcasts whose leases last longer, and whether a renewal may save others.
    func leased(_ podcasts: [PodcastID], beyond end: ContinuousClock.Instant) -> (leased: Set<PodcastID>, mayBeRenewed: Bool) {
        var (leased, mayBeRenewed) = (Set<PodcastID>(), false)
        for id in podcasts {
            guard let one = bundleOf[id].flatMap({ held[$0] }) else { continue }
            if one.validUntil > end { leased.insert(id) } else { mayBeRenewed = true }
        }
        return (leased, mayBeRenewed)
    }

    /// The records of podcasts as they were claimed, and the fences under which; nil if the run claimed nothing.
    func claims(of ids: [PodcastID]) -> (before: [PodcastID: Podcast], fences: [PodcastID: Int64]?) {
        var (before, fences) = ([PodcastID: Podcast](), [PodcastID: Int64]())
        for id in ids { (before[id], fences[id]) = (claimed[id], bundleOf[id].flatMap { held[$0]?.fence }) }
        return (before, bundleOf.isEmpty && handedOut.isEmpty ? nil : fences)
    }

    func lanes(of podcasts: [PodcastID]) -> [PodcastID: WorkLane] {
        var lanes: [PodcastID: WorkLane] = [:]
        var shares: [Int64: Int] = [:]
        for id in podcasts {
            guard let one = bundleOf[id].flatMap({ held[$0] }) else { continue }
            let share = shares[one.host] ?? share(of: one.host)
            shares[one.host] = share
            lanes[id] = WorkLane(key: "\(one.hostKey) \(one.slot)", slots: one.share, hostSlots: share)
        }
        return lanes
    }

    /// What a claim is made by. A copy of the rest would make each change of it a copy, too.
    var withoutFeeds: Self {
        var run = self
        (run.held, run.bundleOf, run.claimed, run.handedOut, run.waiting) = ([:], [:], [:], [], [])
        (run.named, run.walked) = ([], [])
        return run
    }

    /// The next feeds that were claimed.
    mutating func next(_ limit: Int, now: Timestamp) -> [Podcast] {
        self.now = now
        let next = Array(waiting.suffix(limit).reversed())
        waiting.removeLast(next.count)
        return next
    }

    /// Notes what was claimed.
    mutating func take(
        _ bundles: [ClaimedBundle], _ members: [Member], fence: Int64, validUntil: ContinuousClock.Instant, now: Timestamp
    ) {
        for one in bundles where one.isClaimed {
            states[one.hostKey] = one.state
            slotFences[Leases.SlotKey(host: one.bundle.host, slot: one.slot)] = fence
            // A bundle may be claimed again while some of its feeds are under way.
            let earlier = held[one.bundle]
            held[one.bundle] = Leases.Held(
                slot: one.slot, bundle: one.bundle, hasBundle: one.hasBundle, changes: one.changes, fence: fence,
                share: one.share(perHost: request.perHost), isAlone: one.feeds <= BundleKey.size, hostKey: one.hostKey,
                validUntil: validUntil,
                outstanding: earlier?.outstanding ?? [])
        }
        var handed: [(turn: Int, podcast: Podcast)] = []
        var turns: [BundleKey: Int] = [:]
        for member in members where held[member.bundle] != nil {
            held[member.bundle]?.due[member.id] = member.nextAt
            if let named = request.podcasts, !named.contains(member.id) { continue }
            guard bundleOf[member.id] == nil else { continue }
            guard let podcast = member.podcast, isWanted(podcast, member, fence, now) else {
                // Nobody looks at it again at once.
                if let next = member.nextAt, next <= now + Schedule.tolerance {
                    held[member.bundle]?.due[member.id] = now + Leases.shortRest
                }
                continue
            }
            held[member.bundle]?.outstanding.insert(member.id)
            bundleOf[member.id] = member.bundle
            claimed[member.id] = podcast
            handedOut.insert(member.id)
            handed.append((turns[member.bundle, default: 0], podcast))
            turns[member.bundle, default: 0] += 1
        }
        // The first feed of each host, then the second of each, and so on.
        waiting = handed.sorted { ($0.turn, $0.podcast.id) > ($1.turn, $1.podcast.id) }.map(\.podcast) + waiting
        let slots = bundles.count { $0.isClaimed }
        if slots > 0 { feedsPerSlot = (feedsPerSlot + Double(handed.count) / Double(slots)) / 2 }
    }

    private func isWanted(_ podcast: Podcast, _ member: Member, _ fence: Int64, _ now: Timestamp) -> Bool {
        if handedOut.contains(podcast.id) { return false }
        if isWalk {
            // Another worker has fetched it since this run began. A fence alone may say that one has died.
            let isFetched = podcast.fetch.lastAttemptAt.map { $0 >= start } ?? false
            if isFetched, member.fence > startMilliseconds, member.fence != fence { return false }
        }
        return Schedule.verdict(
            for: podcast, mode: request.mode, isNamed: request.podcasts != nil, pause: nil, now: now) == .fetch
    }

    mutating func note(_ settlement: Settlement, _ result: WriteResult) {
        let id = settlement.podcast.id
        switch result {
        case .stored(let podcast):
            let stays = claimed[id].map(podcast.isAtHost) ?? false
            end(id, due: stays ? PodcastRow(podcast).nextAt : nil)
        case .lost(let current?): claimed[id] = current  // decided again, and settled again
        case .lost(nil): end(id, due: nil)
        case .expired: end(id, due: bundleOf[id].flatMap { held[$0]?.due[id] })
        }
    }

    /// A feed that ended without anything to store. It is left alone until then, or for a while.
    mutating func giveBack(_ id: PodcastID, until: Timestamp?) {
        guard let bundle = bundleOf[id] else { return }
        let due = held[bundle]?.due[id]
        end(id, due: due.map { max($0, until ?? now + Leases.shortRest) })
    }

    private mutating func end(_ id: PodcastID, due: Timestamp?) {
        claimed[id] = nil
        guard let bundle = bundleOf.removeValue(forKey: id) else { return }
        held[bundle]?.due[id] = due
        held[bundle]?.outstanding.remove(id)
    }

    mutating func takeFinished() -> [Leases.Finished] {
        releasedAt = .now
        return end(held.values.filter(\.outstanding.isEmpty))
    }

    /// Also those with feeds that were not settled, which others can claim at once.
    mutating func takeAll() -> [Leases.Finished] {
        waiting = []
        return end(Array(held.values))
    }

    private mutating func end(_ finished: [Leases.Held]) -> [Leases.Finished] {
        for one in finished { held[one.bundle] = nil }
        let remaining = Set(held.values.map(\.key))
        return finished.map {
            Leases.Finished(held: $0, freesSlot: !remaining.contains($0.key), slotFence: slotFences[$0.key] ?? $0.fence)
        }
    }

    /// - Parameter renewed: the slots whose leases this run still had.
    mutating func extend(_ bundles: [BundleKey], _ renewed: Set<Leases.SlotKey>, validUntil: ContinuousClock.Instant) {
        for bundle in bundles {
            guard let one = held[bundle] else { continue }
            if renewed.contains(one.key) { held[bundle]?.validUntil = validUntil } else { held[bundle] = nil }
        }
    }
}
