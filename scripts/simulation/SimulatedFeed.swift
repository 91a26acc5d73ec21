import Domain
import Scheduling

/// One feed: what it publishes, and what the library knows of it.
struct SimulatedFeed {
    let publisher: Publisher
    private let hasHub: Bool
    private let hasValidators: Bool
    private let knownDates: Int
    /// The requests that the rule has planned.
    private var planned: [Timestamp] = []
    /// The number of the newest episode that was found.
    private var known: Int
    private var notModifiedInARow = 0
    private var nextDueAt = 0.0
    private var hubUntil: Timestamp?
    private var isReliable = true
    private var pingedAt: Timestamp?
    private var addedAt: Timestamp?
    /// When a hub tells of the next episode.
    private var pingAt = Double.infinity

    /// When a worker finds it due.
    var lookAt: Double { min(nextDueAt - Double(Schedule.tolerance), pingAt) }

    /// As it is when the simulation begins: somewhere between two requests.
    init(_ number: Int, _ plan: Plan, _ podcast: inout Podcast) {
        publisher = Publisher(feed: number)
        hasHub = publisher.hasHub(plan.hubs)
        hasValidators = publisher.hasValidators
        // Fewer dates than show a habit.
        knownDates = plan.knowsHours ? Cadence.recentLimit : 5
        known = publisher.newest(at: 0)
        load(into: &podcast)
        record(304, at: 0, &podcast)
        let tolerance = Double(Schedule.tolerance)
        nextDueAt = tolerance + (nextDueAt - tolerance) * chance(number, 99)
    }

    /// Episodes of the measured time.
    func episodes(in plan: Plan) -> Int { publisher.newest(at: plan.end) - publisher.newest(at: plan.warmUp) }

    /// May it be asked now? By the rule that every run goes by.
    func isDue(at time: Double) -> Bool {
        var facts = Schedule.DueFacts()
        facts.nextDueAt = Clock.timestamp(min(nextDueAt, pingAt))
        return Schedule.verdict(for: facts, mode: .due, isNamed: false, pause: nil, now: Clock.timestamp(time)) == .fetch
    }

    /// The server answers with what there is when it is asked, and the rules say when to ask again.
    ///
    /// - Parameter podcast: any; it is filled with what is known of this one.
    /// - Returns: the number of episodes that came, and whether a body was sent.
    mutating func answer(asked begin: Double, answered end: Double, _ podcast: inout Podcast) -> (found: Range<Int>, body: Bool) {
        let newest = publisher.newest(at: begin)
        let found = known + 1..<max(known, newest) + 1
        load(into: &podcast)
        let now = Clock.timestamp(end)
        let isUnchanged = found.isEmpty && hasValidators && !Schedule.doubtsNotModified(podcast.fetch, now: now)
        if !found.isEmpty {
            if pingAt <= begin { pingedAt = Clock.timestamp(pingAt) }
            addedAt = now
            known = newest
            recall(into: &podcast)
            podcast.fetch.cadence.plan.removeAll()
        }
        record(isUnchanged ? 304 : 200, at: end, &podcast)
        return (found, !isUnchanged)
    }

    private func load(into podcast: inout Podcast) {
        podcast.id = PodcastID(text: String(publisher.feed))
        recall(into: &podcast)
        podcast.fetch.cadence.plan = planned
        // That the publisher's clock is right was learned before.
        podcast.fetch.cadence.isShiftKnown = true
        podcast.fetch.notModifiedInARow = notModifiedInARow
        podcast.fetch.hubUntil = hubUntil
        podcast.fetch.answers.removeAll(keepingCapacity: true)
    }

    private func recall(into podcast: inout Podcast) {
        publisher.recall(known, count: knownDates, into: &podcast.fetch.cadence.recent)
    }

    private mutating func record(_ status: Int, at time: Double, _ podcast: inout Podcast) {
        let now = Clock.timestamp(time)
        if hasHub {
            isReliable = HubRule.isReliable(
                before: isReliable, verifiedAt: Clock.timestamp(0), pingedAt: pingedAt, addedAt: addedAt)
            HubRule.apply(isReliable ? now + 30 * 86_400 : nil, to: &podcast, now: now)
            hubUntil = podcast.fetch.hubUntil
            let (low, high) = (Statistics.ping.lowerBound, Statistics.ping.upperBound)
            pingAt = publisher.time(of: known + 1) + low + (high - low) * chance(publisher.feed, -known)
        }
        // The rhythm is set: with the parsed feed, the rule would take it from there.
        Schedule.recordAnswer(
            &podcast, status: status, feed: nil, headers: ResponseHeaders(), outcome: "", milliseconds: 0, now: now)
        notModifiedInARow = podcast.fetch.notModifiedInARow
        planned = podcast.fetch.cadence.plan
        nextDueAt = podcast.fetch.nextDueAt.map(Clock.seconds) ?? .infinity
    }
}
