import Domain
import Synchronization
import Testing

@testable import UseCases

/// What connects the stages of a run: handovers, budgets and the scheduler.
struct PipelineTests {
    @Test func `values arrive in order and a slow stage slows the one before`() async {
        let handover = Handover<Int>(capacity: 3)
        let sent = Log<Int>()
        async let producing: Void = {
            for number in 0..<100 {
                await handover.send(number)
                sent.add(number)
            }
            handover.close()
        }()
        var received: [Int] = []
        while let number = await handover.next() {
            received.append(number)
            #expect(sent.all.count <= received.count + 3)
        }
        await producing
        #expect(received == Array(0..<100))
        #expect(await handover.next() == nil)
    }

    @Test func `every value goes to one of several tasks`() async {
        let handover = Handover<Int>(capacity: 8)
        async let producing: Void = {
            for number in 0..<1_000 { await handover.send(number) }
            handover.close()
        }()
        let received = await withTaskGroup(of: [Int].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var mine: [Int] = []
                    while let number = await handover.next() { mine.append(number) }
                    return mine
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        await producing
        #expect(received.sorted() == Array(0..<1_000))
    }

    @Test func `a batch is large enough or the last`() async {
        let handover = Handover<Int>(capacity: 100)
        let size = BatchSize(count: 10, weight: 1_000, maxWait: .seconds(3_600))
        async let producing: Void = {
            for number in 0..<25 { await handover.send(number, weight: number == 3 ? 1_000 : 1) }
            handover.close()
        }()
        var received: [Int] = []
        while let batch = await handover.batch(size) { received += batch }
        await producing
        #expect(received == Array(0..<25))
    }

    @Test func `a small batch does not wait forever`() async {
        let handover = Handover<Int>(capacity: 100)
        await handover.send(1)
        #expect(await handover.batch(BatchSize(count: 10, weight: 10, maxWait: .milliseconds(1))) == [1])
        async let batch = handover.batch(BatchSize(count: 10, weight: 10, maxWait: .zero))
        await handover.send(2)
        #expect(await batch == [2])
    }

    @Test func `a spent budget makes wait until bytes are released`() async {
        let budget = ByteBudget(100)
        await budget.waitForRoom()
        budget.add(150)
        await expectRoom(in: budget, after: { budget.release(80) }, notAfter: { budget.release(20) })
    }

    @Test func `unfinished bodies spend half of a budget`() async {
        let budget = ByteBudget(100)
        budget.arrived(1_000)
        await budget.waitForRoom()
        budget.add(49)
        await budget.waitForRoom()
        budget.add(1)
        await expectRoom(in: budget, after: { budget.arrived(-51) }, notAfter: { budget.arrived(-900) })
    }

    /// Expects a task to wait for room during the first change, and to have it after the last.
    private func expectRoom(in budget: ByteBudget, after last: () -> Void, notAfter first: () -> Void) async {
        let room = Log<String>()
        async let waiting: Void = {
            await budget.waitForRoom()
            room.add("room")
        }()
        first()
        #expect(room.all.isEmpty)
        last()
        await waiting
        #expect(room.all == ["room"])
    }

    private struct Job: Hosted {
        let hostKey: String
    }

    @Test func `a scheduler claims while it runs and stops at a failure`() async {
        let politeness = Politeness(slotsPerHost: 2) { Timestamp(seconds: 1_000) }
        let scheduler = Scheduler<Job, String>(concurrency: 4, politeness: politeness)
        let underWay = Log<Int>()
        let pages = Log<Int>()
        var replies: [String] = []
        await #expect(throws: FetchFailure(.storage)) {
            try await scheduler.run { _ in
                pages.add(1)
                if pages.all.count == 4 { throw FetchFailure(.storage) }
                return (0..<10).map { Job(hostKey: "\($0 % 5)") }
            } ask: { job in
                underWay.add(1)
                await Task.yield()
                underWay.add(-1)
                return job.hostKey
            } handOver: { outcome in
                if case .replied(_, let reply) = outcome { replies.append(reply) }
            }
        }
        #expect(replies.count == 30)
        let most = underWay.all.reduce(into: (now: 0, most: 0)) { $0 = ($0.now + $1, max($0.most, $0.now + $1)) }.most
        #expect(most <= 4)
    }

    @Test(.timeLimit(.minutes(1))) func `a claim that finds nothing yet is repeated`() async throws {
        let politeness = Politeness(slotsPerHost: 2) { Timestamp(seconds: 1_000) }
        let scheduler = Scheduler<Job, Void>(concurrency: 4, politeness: politeness, lookahead: 0)
        let pages = Log<Int>()
        var replies = 0
        try await scheduler.run { room in
            pages.add(room)
            return switch pages.all.count {
            case 1, 4: [Job(hostKey: "a"), Job(hostKey: "b")]
            case 2, 3: nil
            default: []
            }
        } ask: { _ in
        } handOver: { _ in
            replies += 1
        }
        #expect(replies == 4)
        #expect(pages.all.allSatisfy { $0 > 0 })
    }

    /// A claim may wait for a disk or a database; the servers of jobs that are here already need not.
    @Test(.timeLimit(.minutes(1))) func `jobs begin while more are claimed`() async throws {
        let politeness = Politeness(slotsPerHost: 2) { Timestamp(seconds: 1_000) }
        let scheduler = Scheduler<Job, Void>(concurrency: 4, politeness: politeness)
        let (asked, pages) = (Log<String>(), Log<Int>())
        let (allAsked, allAreAsked) = AsyncStream<Void>.makeStream()
        try await scheduler.run { _ in
            pages.add(1)
            guard pages.all.count == 2 else { return pages.all.count > 2 ? [] : (0..<7).map { Job(hostKey: "\($0)") } }
            for await _ in allAsked {}
            return [Job(hostKey: "last")]
        } ask: { job in
            asked.add(job.hostKey)
            if asked.all.count == 7 { allAreAsked.finish() }
        } handOver: { _ in
        }
        #expect(asked.all.last == "last")
        #expect(asked.all.count == 8)
    }

    @Test func `failures are held back until a server was reached`() {
        var unreached = Unreached<Int>()
        #expect(unreached.admit(1, FetchFailure(.dns), reachedAnyone: false) == [])
        #expect(unreached.admit(2, nil, reachedAnyone: false) == [2])
        #expect(unreached.admit(3, FetchFailure(.connect), reachedAnyone: true) == [1, 3])
        #expect(unreached.admit(4, FetchFailure(.dns), reachedAnyone: false) == [])
        #expect(unreached.admit(5, FetchFailure(.connect), reachedAnyone: false) == [])
        let end = unreached.finish(reachedAnyone: false)
        #expect(end.results == [4, 5])
        #expect(end.wasOffline)
        #expect(!unreached.finish(reachedAnyone: false).wasOffline)
    }
}

/// What concurrent tasks saw, in order.
private final class Log<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    func add(_ value: Value) { values.withLock { $0.append(value) } }
    var all: [Value] { values.withLock { $0 } }
}
