import DatabaseServer
import Domain
import Testing

@testable import Database

/// `refresh --all` beside other workers: what one of them fetched since it began, it only looks at.
@Suite(.enabled(if: PostgresServer.shared != nil || PostgresServer.isRequired, "PostgreSQL is not installed"))
struct WalkTests {
    private let address: DatabaseAddress
    private let walker: Database

    init() async throws {
        address = try DatabaseAddress(try #require(PostgresServer.shared).newLibrary())
        walker = try await Database.open(address, .create)
    }

    private let request: WorkRequest = {
        var request = WorkRequest(perHost: 1)
        request.mode = .all
        return request
    }()

    /// Claims until nothing is left, and settles all claimed podcasts except `left`.
    private func work(
        _ worker: Database, _ lease: WorkLease, now: Timestamp = noon, leaving left: Set<PodcastID> = []
    ) async throws -> Set<PodcastID> {
        var claimed: Set<PodcastID> = []
        while case let page = try await worker.work.claim(lease, limit: 512, now: now), !page.isEmpty {
            claimed.formUnion(page.map(\.id))
            let settlements = page.filter { !left.contains($0.id) }.map { podcast in
                var podcast = podcast
                (podcast.fetch.lastAttemptAt, podcast.fetch.nextDueAt) = (now, now + 3_600)
                return Settlement(podcast)
            }
            for result in try await worker.work.settle(settlements, lease) {
                guard case .stored = result else {
                    Issue.record("not stored: \(result)")
                    continue
                }
            }
        }
        return claimed
    }

    /// The fence of each slot's last claim.
    private func fences() async throws -> [Int64] {
        let fences = Statement("SELECT fence FROM @slots WHERE shard = $1 ORDER BY host")
        return try await walker.session.read(Shard.all.map { Transaction(fences, $0) }).all.map { $0.number("fence") ?? 0 }
    }

    @Test func `feeds that another worker fetched are not claimed again, those that it gave back are`() async throws {
        // A slot with two bundles, and a host of its own.
        let big = (1...BundleKey.size + 10).map { podcast($0) }
        _ = try await walker.podcasts.add((big + [podcast(0, host: "small.example")]).map { NewSubscription($0) })
        let other = try await Database.open(address, .write)
        let run = try await other.work.begin(request, now: noon)
        let walk = try await walker.work.begin(request, now: noon)

        let left = Set(big.prefix(5).map(\.id))
        #expect(try await work(other, run.lease, leaving: left).count == big.count + 1)
        #expect(try await work(walker, walk.lease).isEmpty)  // leased
        try await other.work.giveBack(Dictionary(uniqueKeysWithValues: left.map { ($0, noon) }), run.lease)
        try await other.work.release(run.lease, times: nil)

        let before = try await fences()
        #expect(try await work(walker, walk.lease) == left)
        #expect(try await work(walker, walk.lease).isEmpty)
        // Only the slot that had something left was claimed.
        #expect(zip(before, try await fences()).count { $0 != $1 } == 1)
        #expect(try await walker.work.remainder(walk.lease)?.leased == 0)
        try await walker.work.release(walk.lease, times: nil)
    }

    @Test func `a feed that was taken over from a dead worker and not fetched is fetched by the next`() async throws {
        _ = try await walker.podcasts.add([NewSubscription(podcast(1))])
        let start = walker.now
        let walk = try await walker.work.begin(request, now: start)
        let dead = try await Database.open(address, .write)
        let lost = try await dead.work.begin(request, now: start)
        #expect(try await dead.work.claim(lost.lease, limit: 1, now: start).count == 1)

        let later = start + 3_600
        let heir = try await Database.open(address, .write)
        let run = try await heir.work.begin(request, now: later)
        #expect(try await heir.work.claim(run.lease, limit: 1, now: later).count == 1)
        try await heir.work.giveBack([podcast(1).id: later], run.lease)
        try await heir.work.release(run.lease, times: nil)

        #expect(try await work(walker, walk.lease, now: later) == [podcast(1).id])
        try await walker.work.release(walk.lease, times: nil)
    }
}
