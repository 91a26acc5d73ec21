import Database
import Domain

/// One slot of a host, with its bundles of feeds: a worker leases it when its first bundle is due, asks for what is due in
/// that bundle with the slot's share of the host's requests, settles it, and gives it back.
struct SlotRun {
    private let plan: Plan
    private var feeds: [SimulatedFeed] = []
    private var bundles: [Range<Int>] = []
    private var due = DueBundles()
    private var lanes: [Double]
    private var allowance: Allowance
    private var podcast: Podcast
    /// Episodes of the measured time that were not found yet.
    private var missing = 0
    private var random: Int
    private var requests = 0

    /// - Parameters:
    ///   - host: the numbers of the host's feeds.
    ///   - slot: nil if the host has no such slot.
    init?(_ plan: Plan, host: Range<Int>, slot: Int, perHost: Int) {
        let slots = BundleKey.slots(perHost: perHost)
        let numbers = stride(from: slot * BundleKey.size, to: host.count, by: slots * BundleKey.size)
        guard slot < slots, slot * BundleKey.size < host.count else { return nil }
        self.plan = plan
        let share = BundleKey.share(feeds: host.count, perHost: perHost)
        lanes = [Double](repeating: 0, count: share)
        allowance = Allowance(slots: perHost, now: 0)
        allowance.share(slots: share, now: 0)
        podcast = Podcast(id: PodcastID(text: ""), feedURL: "", subscribedAt: Clock.timestamp(0))
        podcast.settings.minInterval = plan.interval
        podcast.settings.maxInterval = plan.interval
        random = host.lowerBound + slot
        feeds.reserveCapacity(numbers.underestimatedCount * BundleKey.size)
        for number in numbers {
            let start = feeds.count
            for feed in number..<min(number + BundleKey.size, host.count) {
                feeds.append(SimulatedFeed(host.lowerBound + feed, plan, &podcast))
                missing += feeds[feeds.count - 1].episodes(in: plan)
            }
            due.add(bundles.count, at: first(of: start..<feeds.count))
            bundles.append(start..<feeds.count)
        }
    }

    /// Until the measured time is over and all of its episodes are found.
    mutating func run(_ tally: inout Tally, _ load: inout HostLoad) {
        var free = 0.0
        while let next = due.first {
            // Workers look for something to do all the time.
            let now = max(free, next.at) + chance(random, requests)
            guard now < plan.end || missing > 0 && now < plan.latest else { break }
            free = ask(bundles[next.bundle], now, &tally, &load)
            if plan.isMeasured(now) { tally.claims += 1 }
            let first = Clock.timestamp(self.first(of: bundles[next.bundle]))
            due.replaceFirst(at: Clock.seconds(BundleKey.dueAt(first, now: Clock.timestamp(free))))
        }
        tally.missing += missing
    }

    private func first(of bundle: Range<Int>) -> Double {
        var first = Double.infinity
        for feed in bundle { first = min(first, feeds[feed].lookAt) }
        return first
    }

    /// - Returns: when the last answer is there.
    private mutating func ask(_ bundle: Range<Int>, _ now: Double, _ tally: inout Tally, _ load: inout HostLoad) -> Double {
        for lane in lanes.indices { lanes[lane] = now }
        for feed in bundle where feeds[feed].lookAt <= now && feeds[feed].isDue(at: now) {
            var lane = 0
            for other in lanes.indices where lanes[other] < lanes[lane] { lane = other }
            let begin = lanes[lane] + allowance.take(now: lanes[lane])
            requests += 1
            let luck = chance(random, requests &* 31)
            let end = begin + (luck < Statistics.slowShare ? Statistics.slow : 0.1 + 0.2 * luck)
            lanes[lane] = end
            load.add(begin, end, plan)
            let answer = feeds[feed].answer(asked: begin, answered: end, &podcast)
            tally.add(feeds[feed].publisher, answer, begin, end, plan)
            for episode in answer.found where plan.isMeasured(feeds[feed].publisher.time(of: episode)) { missing -= 1 }
        }
        return lanes.max() ?? now
    }
}

/// Bundles by the time at which they are due: a binary heap.
struct DueBundles {
    private var heap: [(at: Double, bundle: Int)] = []

    var first: (at: Double, bundle: Int)? { heap.first }

    mutating func add(_ bundle: Int, at time: Double) {
        heap.append((time, bundle))
        var place = heap.count - 1
        while place > 0, heap[place].at < heap[(place - 1) / 2].at {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func replaceFirst(at time: Double) {
        heap[0].at = time
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && heap[child].at < heap[least].at {
                least = child
            }
            guard least != place else { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}
