import Addresses
import Testing

@testable import Domain

struct TurnsTests {
    private struct Job: Hosted, Hashable {
        let hostKey: String
        let number: Int
    }

    private func jobs(_ hosts: [(String, Int)]) -> [Job] {
        hosts.flatMap { host, count in (0..<count).map { Job(hostKey: host, number: $0) } }
    }

    private let politeness = Politeness(slotsPerHost: 1) { Timestamp(seconds: 1_000) }

    private func takeAll(_ turns: inout Turns<Job>) -> [Job] {
        var taken: [Job] = []
        while case .ask(let job) = turns.take(politeness) { taken.append(job) }
        return taken
    }

    @Test func `hosts take turns`() {
        var turns = Turns<Job>(slotsPerHost: 9)
        turns.add(jobs([("a", 3), ("b", 1), ("c", 2)]))
        #expect(takeAll(&turns).map { "\($0.hostKey)\($0.number)" } == ["a0", "b0", "c0", "a1", "c1", "a2"])
        #expect(turns.remaining == 0)
    }

    @Test func `later jobs wait behind earlier ones of their host`() {
        var turns = Turns<Job>(slotsPerHost: 9)
        turns.add(jobs([("a", 2)]))
        turns.add([Job(hostKey: "a", number: 2), Job(hostKey: "b", number: 0)])
        #expect(takeAll(&turns).map { "\($0.hostKey)\($0.number)" } == ["a0", "b0", "a1", "a2"])
    }

    @Test func `a host gets no more at once than it has slots`() {
        var turns = Turns<Job>(slotsPerHost: 2)
        turns.add(jobs([("a", 5), ("b", 1)]))
        let first = takeAll(&turns)
        #expect(first.count == 3)
        turns.ended(first[0])
        #expect(takeAll(&turns).count == 1)
        #expect(turns.remaining == 2)
    }

    @Test func `an unreachable host and one that asks for a pause are left alone`() async throws {
        for (path, result) in [("a", HopResult.failed(FetchFailure(.connect))), ("b", .answered(status: 429, Self.pause))] {
            for _ in 0..<3 {
                let visit = politeness.visit()
                guard let url = WebURL("http://\(path)/"), (try? await visit.enter(url)) == .granted else { continue }
                visit.leave(result)
            }
        }
        var turns = Turns<Job>(slotsPerHost: 1)
        turns.add(jobs([("http://a", 1), ("http://b", 1), ("http://c", 1)]))
        guard case .unreachable(_, FetchFailure(.connect)) = turns.take(politeness),
            case .paused(_, until: Timestamp(seconds: 1_060)) = turns.take(politeness),
            case .ask(let job) = turns.take(politeness)
        else {
            Issue.record("asked in spite of all")
            return
        }
        #expect(job.hostKey == "http://c")
    }

    private static let pause = {
        var headers = ResponseHeaders()
        headers.retryAfter = "60"
        return headers
    }()
}
