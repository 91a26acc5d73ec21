import Domain

extension Leases.Run {
    var slotCount: Int {
        var slots: Set<Leases.SlotKey> = []
        for one in held.values where one.outstanding > 0 { slots.insert(one.key) }
        return slots.count
    }

    /// Something waits for the end of a lease: another bundle of its slot, or what has waited for a second.
    var hasUrgent: Bool {
        ContinuousClock.now - releasedAt > .seconds(1) || held.values.contains { $0.outstanding == 0 && !$0.isAlone }
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
            guard let one = holding(of: id) else { continue }
            if one.validUntil > end { leased.insert(id) } else { mayBeRenewed = true }
        }
        return (leased, mayBeRenewed)
    }

    /// The records of podcasts as they were claimed, and the fences under which; nil if the run claimed nothing.
    func claims(of ids: [PodcastID]) -> (before: [PodcastID: Podcast], fences: [PodcastID: Int64]?) {
        var (before, fences) = ([PodcastID: Podcast](), [PodcastID: Int64]())
        for id in ids { (before[id], fences[id]) = (underWay[id]?.podcast, holding(of: id)?.fence) }
        return (before, underWay.isEmpty && handedOut.isEmpty ? nil : fences)
    }

    private func holding(of id: PodcastID) -> Leases.Held? { underWay[id].flatMap { held[$0.bundle] } }

    func lanes(of podcasts: [PodcastID]) -> [PodcastID: WorkLane] {
        var lanes: [PodcastID: WorkLane] = [:]
        var shares: [Int64: Int] = [:]
        for id in podcasts {
            guard let one = holding(of: id) else { continue }
            let share = shares[one.host] ?? share(of: one.host)
            shares[one.host] = share
            lanes[id] = WorkLane(key: "\(one.hostKey) \(one.slot)", slots: one.share, hostSlots: share)
        }
        return lanes
    }

    /// What a claim is made by. A copy of the rest would make each change of it a copy, too.
    var withoutFeeds: Self {
        var run = self
        (run.held, run.underWay, run.handedOut, run.waiting) = ([:], [:], [], [])
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
        var holdings = bundles.filter(\.isClaimed).map { one in
            Leases.Held(
                slot: one.slot, bundle: one.bundle, hasBundle: one.hasBundle, changes: one.changes, fence: fence,
                share: one.share(perHost: request.perHost), isAlone: one.feeds <= BundleKey.size, hostKey: one.hostKey,
                validUntil: validUntil, shards: one.shards ?? 0)
        }
        for one in bundles where one.isClaimed { states[one.hostKey] = one.state }
        var holdingIndex: [BundleKey: Int] = [:]
        for (index, one) in holdings.enumerated() { (slotFences[one.key], holdingIndex[one.bundle]) = (fence, index) }
        // The first feed of each bundle, then the second of each, and so on.
        var rounds: [[Podcast]] = []
        for member in members {
            guard let index = holdingIndex[member.bundle] else { continue }
            holdings[index].shards |= Shard(member.id).bit
            // A bundle may be claimed again while some of its feeds are under way.
            if underWay[member.id] != nil {
                underWay[member.id]?.fence = fence
                holdings[index].outstanding += 1
                continue
            }
            let isNamed = request.podcasts?.contains(member.id) ?? true
            guard isNamed, let podcast = member.podcast, isWanted(podcast, member, fence, now) else {
                // Nobody looks at it again at once.
                let isDue = member.nextAt.map { $0 <= now + Schedule.tolerance } ?? false
                holdings[index].note(isNamed && isDue ? now + Leases.shortRest : member.nextAt)
                continue
            }
            underWay[member.id] = Leases.UnderWay(bundle: member.bundle, fence: fence, dueAt: member.nextAt, podcast: podcast)
            handedOut.insert(member.id)
            let round = holdings[index].outstanding
            while rounds.count <= round { rounds.append([]) }
            rounds[round].append(podcast)
            holdings[index].outstanding += 1
        }
        for one in holdings { held[one.bundle] = one }
        var handed: [Podcast] = []
        for round in rounds.reversed() { handed += round }
        waiting = handed + waiting
        if !holdings.isEmpty { feedsPerSlot = (feedsPerSlot + Double(handed.count) / Double(holdings.count)) / 2 }
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
            let stays = (underWay[id]?.podcast).map(podcast.isAtHost) ?? false
            end(id, due: stays ? PodcastRow(podcast).nextAt : nil)
        case .lost(let current?): underWay[id]?.podcast = current  // decided again, and settled again
        case .lost(nil): end(id, due: nil)
        case .expired: end(id, due: underWay[id]?.dueAt)
        }
    }

    /// A feed that ended without anything to store. It is left alone until then, or for a while.
    mutating func giveBack(_ id: PodcastID, until: Timestamp?) {
        end(id, due: underWay[id]?.dueAt.map { max($0, until ?? now + Leases.shortRest) })
    }

    private mutating func end(_ id: PodcastID, due: Timestamp?) {
        // Its bundle may have been claimed again without it.
        guard let one = underWay.removeValue(forKey: id), held[one.bundle]?.fence == one.fence else { return }
        held[one.bundle]?.note(due)
        held[one.bundle]?.outstanding -= 1
    }

    mutating func takeFinished() -> [Leases.Held] {
        releasedAt = .now
        return end(held.values.filter { $0.outstanding == 0 })
    }

    /// Also those with feeds that were not settled, which others can claim at once.
    mutating func takeAll() -> [Leases.Held] {
        waiting = []
        for id in underWay.keys { end(id, due: underWay[id]?.dueAt) }
        return end(Array(held.values))
    }

    private mutating func end(_ leases: [Leases.Held]) -> [Leases.Held] {
        for one in leases { held[one.bundle] = nil }
        let slotsInUse = Set(held.values.map(\.key))
        var ended = leases
        for (index, one) in leases.enumerated() where !slotsInUse.contains(one.key) {
            ended[index].slotFence = slotFences[one.key] ?? one.fence
        }
        return ended
    }

    /// - Parameter renewed: the slots whose leases this run still had.
    mutating func extend(_ bundles: [BundleKey], _ renewed: Set<Leases.SlotKey>, validUntil: ContinuousClock.Instant) {
        for bundle in bundles {
            guard let one = held[bundle] else { continue }
            if renewed.contains(one.key) { held[bundle]?.validUntil = validUntil } else { held[bundle] = nil }
        }
    }
}
