import DatabaseServer
import Domain
import Testing

@testable import Database

/// What happens at the moment when a worker gives a slot back.
@Suite(.enabled(if: PostgresServer.shared != nil || PostgresServer.isRequired, "PostgreSQL is not installed"))
struct ReleaseTests {
    private let address: DatabaseAddress
    private let observer: Database

    init() async throws {
        address = try DatabaseAddress(try #require(PostgresServer.shared).newLibrary())
        observer = try await Database.open(address, .create)
    }

    /// How many transactions wait for rows that others have locked.
    private func waiting() async throws -> Int {
        let waiting = Statement("SELECT count(*) AS waiting FROM pg_locks, @version AS v WHERE v.shard = $1 AND NOT granted")
        return try await observer.session.read([Transaction(waiting, .owner)])[0].first?.int("waiting") ?? 0
    }

    private func eventually(_ condition: () async throws -> Bool) async throws {
        for _ in 0..<2_000 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("it did not happen")
    }

    @Test func `a feed that is added while the slot of its host is given back is due at once`() async throws {
        // One slot for all feeds of the host, and a bundle for the first fifty.
        _ = try await observer.podcasts.add((1...BundleKey.size).map { NewSubscription(podcast($0)) })
        let worker = try await Database.open(address, .write)
        let run = try await worker.work.begin(WorkRequest(perHost: 1), now: noon)
        let claimed = try await worker.work.claim(run.lease, limit: 512, now: noon).map(\.id)
        #expect(claimed.count == BundleKey.size)

        // Somebody holds the slot until the worker waits for it and the feed is there, or its subscriber waits, too.
        let holding = Statement(
            """
            DO $$ BEGIN
                PERFORM 1 FROM @slots FOR UPDATE;
                FOR attempt IN 1..2000 LOOP
                    EXIT WHEN (SELECT count(*) AS waiting FROM pg_locks WHERE NOT granted) >= 2
                        OR EXISTS (SELECT 1 FROM @podcasts WHERE bundle & 1048575 = 1);
                    PERFORM pg_sleep(0.01);
                END LOOP;
            END $$
            """)
        let holder = try await Database.open(address, .write)
        async let held = holder.session.run([Transaction([Call(defining: holding)])])
        let free = Statement("SELECT slot FROM @slots WHERE shard = $1 FOR UPDATE SKIP LOCKED")
        let shard = Shard(host: BundleKey.host(podcast(1).hostKey))
        try await eventually { try await observer.session.read([Transaction(free, shard)])[0].isEmpty }
        async let givenBack: Void = worker.work.giveBack(
            Dictionary(uniqueKeysWithValues: claimed.map { ($0, noon + 3_600) }), run.lease)
        try await eventually { try await waiting() > 0 }
        let added = try await Database.open(address, .write).podcasts.add([NewSubscription(podcast(BundleKey.size + 1))])
        for reply in try await held { _ = try reply.orFailure() }
        try await givenBack
        try await worker.work.release(run.lease, times: nil)

        let next = try await observer.work.begin(WorkRequest(perHost: 1), now: noon)
        #expect(try await observer.work.claim(next.lease, limit: 512, now: noon).map(\.id) == added.map(\.podcast.id))
        try await observer.work.release(next.lease, times: nil)
    }

    @Test func `a slot whose feeds are settled is given back though nothing else ends`() async throws {
        _ = try await observer.podcasts.add([NewSubscription(podcast(1))])
        let worker = try await Database.open(address, .write)
        let run = try await worker.work.begin(WorkRequest(), now: noon)
        var settled = try #require(try await worker.work.claim(run.lease, limit: 1, now: noon).first)
        (settled.fetch.lastAttemptAt, settled.fetch.nextDueAt) = (noon - 3_600, noon)
        _ = try await worker.work.settle([Settlement(settled)], run.lease)

        let next = try await observer.work.begin(WorkRequest(), now: noon)
        try await eventually {
            // As a run does while it waits for servers.
            _ = try await worker.work.exchange(pauses: [:], run.lease)
            return try await observer.work.claim(next.lease, limit: 1, now: noon).map(\.id) == [settled.id]
        }
        try await worker.work.release(run.lease, times: nil)
        try await observer.work.release(next.lease, times: nil)
    }
}
