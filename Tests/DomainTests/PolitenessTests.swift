import Addresses
import Synchronization
import Testing

@testable import Domain

/// The rules of one host are arithmetic; what holds them in a run is asked at every hop.
struct PolitenessTests {
    private let feed = WebURL("https://a.example/feed")!
    private let other = WebURL("https://b.example/feed")!
    private let now = Timestamp(seconds: 1_800_000_000)

    private func politeness(slots: Int = 2) -> Politeness { Politeness(slotsPerHost: slots) { [now] in now } }

    private func headers(retryAfter: String) -> ResponseHeaders {
        var headers = ResponseHeaders()
        headers.retryAfter = retryAfter
        return headers
    }

    @Test func `a host gets a burst and then a steady series`() {
        var allowance = Allowance(slots: 2, now: 0)
        for _ in 0..<200 { #expect(allowance.take(now: 0) == 0) }
        #expect(allowance.take(now: 0) == 1.0 / 50)
        #expect(allowance.take(now: 0) == 2.0 / 50)
        #expect(allowance.take(now: 1) == 0)
        #expect(allowance.requests(at: 100) == 200)
        #expect(allowance.isWorthKeeping(at: 1) && !allowance.isWorthKeeping(at: 100))
    }

    @Test func `a pause is what the host asked for within 32 days`() {
        var host = Host(allowance: Allowance(slots: 1, now: 0))
        #expect(host.standing(now: now) == .open)
        host.answered(status: 200, headers(retryAfter: "60"), now: now)
        #expect(host.standing(now: now) == .open)
        host.answered(status: 429, headers(retryAfter: "60"), now: now)
        #expect(host.standing(now: now) == .paused(until: now + 60))
        #expect(host.standing(now: now + 60) == .open)
        host.restore(pauseUntil: now + 33 * 86_400, isObeyed: true, now: now + 60)
        #expect(host.standing(now: now + 60) == .open)
    }

    @Test func `a host is unreachable after three failures in a row`() {
        var host = Host(allowance: Allowance(slots: 1, now: 0))
        host.failed(FetchFailure(.connect))
        host.failed(FetchFailure(.timeout))
        host.failed(FetchFailure(.cancelled))
        #expect(host.standing(now: now) == .open)
        host.failed(FetchFailure(.http, status: 500))
        host.failed(FetchFailure(.connect))
        host.failed(FetchFailure(.dns))
        #expect(host.standing(now: now) == .open)
        host.failed(FetchFailure(.connect, milliseconds: 30_000))
        #expect(host.standing(now: now) == .unreachable(FetchFailure(.connect)))
        host.answered(status: 404, ResponseHeaders(), now: now)
        #expect(host.standing(now: now) == .open)
    }

    @Test func `a slot goes to the visit that waited longest`() async throws {
        let politeness = politeness(slots: 1)
        let first = politeness.visit()
        #expect(try await first.enter(feed) == .granted)
        let order = Log<Int>()
        let waiters = (0..<3).map { _ in politeness.visit() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, visit) in waiters.enumerated() {
                group.addTask { [feed] in
                    let entry = try await visit.enter(feed)
                    #expect(entry == .granted)
                    order.add(number)
                    visit.leave(.answered(status: 200, ResponseHeaders()))
                }
                while politeness.waiting(for: feed.hostKey) <= number { await Task.yield() }
            }
            first.leave(.answered(status: 200, ResponseHeaders()))
            try await group.waitForAll()
        }
        #expect(order.all == [0, 1, 2])
    }

    @Test func `a cancelled visit leaves the queue`() async throws {
        let politeness = politeness(slots: 1)
        let first = politeness.visit()
        #expect(try await first.enter(feed) == .granted)
        let second = politeness.visit()
        let waiting = Task { [feed] in try await second.enter(feed) }
        while politeness.waiting(for: feed.hostKey) == 0 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: FetchFailure(.cancelled)) { try await waiting.value }
        #expect(politeness.waiting(for: feed.hostKey) == 0)
        first.leave(.answered(status: 200, ResponseHeaders()))
        #expect(try await politeness.visit().enter(feed) == .granted)
    }

    @Test func `who waited for a slot hears of the pause`() async throws {
        let politeness = politeness(slots: 1)
        let first = politeness.visit()
        #expect(try await first.enter(feed) == .granted)
        let second = politeness.visit()
        let waiting = Task { [feed] in try await second.enter(feed) }
        while politeness.waiting(for: feed.hostKey) == 0 { await Task.yield() }
        first.leave(.answered(status: 503, headers(retryAfter: "120")))
        await #expect(throws: HostPaused(until: now + 120)) { try await waiting.value }
        await #expect(throws: HostPaused(until: now + 120)) { try await politeness.visit().enter(feed) }
        #expect(try await politeness.visit().enter(other) == .granted)
    }

    @Test func `a URL is asked by the visit that claimed it`() async throws {
        let politeness = politeness()
        let shared = SharedURLs()
        let first = politeness.visit(sharing: shared)
        let second = politeness.visit(sharing: shared)
        #expect(try await first.enter(feed) == .granted)
        first.leave(.answered(status: 302, ResponseHeaders()))
        #expect(try await first.enter(other) == .granted)
        #expect(try await second.enter(other) == .shared)
        #expect(try await politeness.visit().enter(other) == .granted)
    }

    /// Sends requests to the feed's host, one after the other.
    private func ask(_ requests: Int, of politeness: Politeness) async throws {
        for _ in 0..<requests {
            let visit = politeness.visit()
            _ = try await visit.enter(feed)
            visit.leave(.answered(status: 200, ResponseHeaders()))
        }
    }

    @Test func `what the next run must know is a row`() async throws {
        let first = politeness(slots: 1)
        try await ask(60, of: first)
        let visit = first.visit()
        _ = try await visit.enter(other)
        visit.leave(.answered(status: 429, headers(retryAfter: "600")))
        let rows = first.rows()
        #expect(rows.keys.sorted() == [feed.hostKey, other.hostKey])
        #expect(rows[other.hostKey]?.pausedUntil == now + 600)
        let allowance = try #require(rows[feed.hostKey]?.allowance)
        #expect(allowance < 50)

        let second = politeness(slots: 1)
        second.restore(pauses: [other.hostKey: now + 600])
        second.restore(allowances: rows)
        await #expect(throws: HostPaused(until: now + 600)) { try await second.visit().enter(other) }
        #expect(second.rows()[feed.hostKey]?.allowance != nil)
        #expect(second.rows()[other.hostKey] == nil)
        #expect(politeness().rows().isEmpty)
    }

    @Test func `an earlier allowance does not forget requests of this run`() async throws {
        let politeness = politeness(slots: 1)
        try await ask(90, of: politeness)
        var earlier = HostState()
        (earlier.allowance, earlier.measuredAt) = (60, now)
        politeness.restore(allowances: [feed.hostKey: earlier])
        #expect(try #require(politeness.rows()[feed.hostKey]?.allowance) < 50)
    }

    @Test(arguments: [500, 429, 403, 200, 304])
    func `a pause that the user breaks is stored again, unless the host answers well`(status: Int) async throws {
        let politeness = politeness(slots: 1)
        politeness.restore(pauses: [feed.hostKey: now + 600], areObeyed: false)
        for _ in 0..<60 {
            let visit = politeness.visit()
            #expect(try await visit.enter(feed) == .granted)
            visit.leave(.answered(status: status, ResponseHeaders()))
        }
        let row = try #require(politeness.rows()[feed.hostKey])
        #expect(row.pausedUntil == (status < 400 ? nil : now + 600))
        #expect(row.endsPause == (status < 400))
    }

    @Test func `a pause that the user broke and the host ended does not return with the next claim`() async throws {
        let politeness = politeness(slots: 1)
        for _ in 0..<2 {
            politeness.restore(pauses: [feed.hostKey: now + 600], areObeyed: false)
            let visit = politeness.visit()
            #expect(try await visit.enter(feed) == .granted)
            visit.leave(.answered(status: 200, ResponseHeaders()))
        }
        let row = try #require(politeness.rows()[feed.hostKey])
        #expect(row.pausedUntil == nil)
        #expect(row.endsPause)
    }

    @Test func `of two pauses the longer one counts`() async throws {
        let politeness = politeness()
        for end in [now + 600, now + 60] { politeness.restore(pauses: [feed.hostKey: end]) }
        await #expect(throws: HostPaused(until: now + 600)) { try await politeness.visit().enter(feed) }
    }
}

/// What concurrent tasks saw, in order.
final class Log<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    func add(_ value: Value) { values.withLock { $0.append(value) } }
    var all: [Value] { values.withLock { $0 } }
}
