import Domain
import Scheduling

extension Leases.Run {
    var slotCount: Int {
        var slots: Set<Leases.SlotKey> = []
        for holding in held.values where holding.outstanding > 0 { slots.insert(holding.key) }
        return slots.count
    }

    /// True if a release should not wait: another bundle of an ended slot can be claimed, or the last release is over a
    /// second ago.
    var hasUrgent: Bool {
        ContinuousClock.now - releasedAt > .seconds(1) || held.values.contains { $0.outstanding == 0 && !$0.isAlone }
    }

    /// True if the run holds as many slots as it may at the moment.
    var isFull: Bool { slotCount >= min(maxSlots, maxSlotsAtFirst) }

    /// The number of parallel requests that all slots stand for which the run holds of a host.
    func share(of host: Int64) -> Int {
        var slots: Set<Int64> = []
        return held.values.reduce(0) { $1.host == host && slots.insert($1.slot).inserted ? $0 + $1.share : $0 }
    }

    /// The podcasts whose leases last beyond `end`, and whether a renewal may keep others.
    func leased(_ podcasts: [PodcastID], beyond end: ContinuousClock.Instant) -> (leased: Set<PodcastID>, mayBeRenewed: Bool) {
        var (leased, mayBeRenewed) = (Set<PodcastID>(), false)
        for id in podcasts {
            guard let holding = holding(of: id) else { continue }
            if holding.validUntil > end { leased.insert(id) } else { mayBeRenewed = true }
        }
        return (leased, mayBeRenewed)
    }

    /// The records and fences under which podcasts were claimed; nil instead of the fences if the run claimed nothing.
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
            guard let holding = holding(of: id) else { continue }
            let share = shares[holding.host] ?? share(of: holding.host)
            shares[holding.host] = share
            lanes[id] = WorkLane(key: "\(holding.hostKey) \(holding.slot)", slots: holding.share, hostSlots: share)
        }
        return lanes
    }

    /// The parts of the run that a claim needs. With a copy of the others, the next change would have to copy them too.
    var withoutFeeds: Self {
        var run = self
        (run.held, run.underWay, run.handedOut, run.waiting) = ([:], [:], [], [])
        (run.named, run.walked) = ([], [])
        return run
    }

    /// The next of the claimed feeds.
    mutating func next(_ limit: Int, now: Timestamp) -> [Podcast] {
        self.now = now
        let next = Array(waiting.suffix(limit).reversed())
        waiting.removeLast(next.count)
        return next
    }

    /// Takes over what was claimed.
    mutating func take(
        _ bundles: [ClaimedBundle], _ members: [Member], fence: Int64, validUntil: ContinuousClock.Instant, now: Timestamp
    ) {
        var holdings = bundles.filter(\.isClaimed).map { bundle in
            Leases.Held(
                slot: bundle.slot, bundle: bundle.bundle, hasBundle: bundle.hasBundle, changes: bundle.changes, fence: fence,
                share: bundle.share(perHost: request.perHost), isAlone: bundle.feeds <= BundleKey.size, hostKey: bundle.hostKey,
                validUntil: validUntil, shards: bundle.shards ?? 0)
        }
        for bundle in bundles where bundle.isClaimed { states[bundle.hostKey] = bundle.state }
        var holdingIndex: [BundleKey: Int] = [:]
        for (index, holding) in holdings.enumerated() {
            (slotFences[holding.key], holdingIndex[holding.bundle]) = (fence, index)
        }
        // The first feed of each bundle, then the second of each, and so on.
        var rounds: [[Podcast]] = []
        for member in members {
            guard let index = holdingIndex[member.bundle] else { continue }
            holdings[index].shards |= Shard(member.id).bit
            // A bundle may be claimed again while some of its feeds are being fetched.
            if underWay[member.id] != nil {
                underWay[member.id]?.fence = fence
                holdings[index].outstanding += 1
                continue
            }
            let isNamed = request.podcasts?.contains(member.id) ?? true
            guard isNamed, let podcast = member.podcast, isWanted(podcast, member, fence, now) else {
                // A feed that is due but not fetched now is not examined again for a while.
                let isDue = member.nextAt.map { $0 <= now + Schedule.tolerance } ?? false
                holdings[index].note(isNamed && isDue ? now + Leases.retryInterval : member.nextAt)
                continue
            }
            underWay[member.id] = Leases.UnderWay(bundle: member.bundle, fence: fence, dueAt: member.nextAt, podcast: podcast)
            handedOut.insert(member.id)
            let round = holdings[index].outstanding
            while rounds.count <= round { rounds.append([]) }
            rounds[round].append(podcast)
            holdings[index].outstanding += 1
        }
        for holding in holdings { held[holding.bundle] = holding }
        var handed: [Podcast] = []
        for round in rounds.reversed() { handed += round }
        waiting = handed + waiting
        if !holdings.isEmpty { feedsPerSlot = (feedsPerSlot + Double(handed.count) / Double(holdings.count)) / 2 }
    }

    private func isWanted(_ podcast: Podcast, _ member: Member, _ fence: Int64, _ now: Timestamp) -> Bool {
        if handedOut.contains(podcast.id) { return false }
        if isWalk {
            // A fence from a claim alone does not count: the worker that made it may have died before it fetched the
            // feed.
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
            end(id, due: stays ? podcast.dueAt : nil)
        case .lost(let current?): underWay[id]?.podcast = current  // it is decided and settled again
        case .lost(nil): end(id, due: nil)
        case .expired: end(id, due: underWay[id]?.dueAt)
        }
    }

    /// Ends a feed that produced nothing to store. It is left alone until the given time, or for a default time.
    mutating func giveBack(_ id: PodcastID, until: Timestamp?) {
        end(id, due: underWay[id]?.dueAt.map { max($0, until ?? now + Leases.retryInterval) })
    }

    private mutating func end(_ id: PodcastID, due: Timestamp?) {
        // Its bundle may have been claimed again without this feed.
        guard let feed = underWay.removeValue(forKey: id), held[feed.bundle]?.fence == feed.fence else { return }
        held[feed.bundle]?.note(due)
        held[feed.bundle]?.outstanding -= 1
    }

    mutating func takeFinished() -> [Leases.Held] {
        releasedAt = .now
        return end(held.values.filter { $0.outstanding == 0 })
    }

    /// Also takes bundles with unsettled feeds, which others can then claim at once.
    mutating func takeAll() -> [Leases.Held] {
        waiting = []
        for id in underWay.keys { end(id, due: underWay[id]?.dueAt) }
        return end(Array(held.values))
    }

    private mutating func end(_ leases: [Leases.Held]) -> [Leases.Held] {
        for holding in leases { held[holding.bundle] = nil }
        let slotsInUse = Set(held.values.map(\.key))
        var ended = leases
        for (index, holding) in leases.enumerated() where !slotsInUse.contains(holding.key) {
            ended[index].slotFence = slotFences[holding.key] ?? holding.fence
        }
        return ended
    }

    /// - Parameter renewed: the slots whose leases were still this run's.
    mutating func extend(_ bundles: [BundleKey], _ renewed: Set<Leases.SlotKey>, validUntil: ContinuousClock.Instant) {
        for bundle in bundles {
            guard let holding = held[bundle] else { continue }
            if renewed.contains(holding.key) { held[bundle]?.validUntil = validUntil } else { held[bundle] = nil }
        }
    }
}
