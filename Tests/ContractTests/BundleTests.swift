import DatabaseServer
import Domain
import Testing

@testable import Database

/// A bundle notes which shards have its feeds, so that a claim looks only there.
@Suite(.enabled(if: PostgresServer.shared != nil || PostgresServer.isRequired, "PostgreSQL is not installed"))
struct BundleTests {
    private let library: Database
    private let feeds = (1...BundleKey.size).map { podcast($0) }

    init() async throws {
        library = try await Database.open(try DatabaseAddress(try #require(PostgresServer.shared).newLibrary()), .create)
    }

    private struct Noted: Equatable {
        var shards: Set<Int> = []
        var isComplete = true
    }

    /// What all bundles note together.
    private func noted() async throws -> Noted {
        let statement = Statement("SELECT shards, shards_at - changes AS missing FROM @bundles WHERE shard = $1")
        var noted = Noted()
        for row in try await library.session.read(Shard.all.map { Transaction(statement, $0) }).all {
            noted.shards.formUnion(Shard.all.filter { row.int("shards") & Int($0.bit) != 0 }.map(\.number))
            if row.int("missing") != 0 { noted.isComplete = false }
        }
        return noted
    }

    private func shards(of podcasts: some Sequence<Podcast>) -> Set<Int> { Set(podcasts.map { Shard($0.id).number }) }

    private func run(_ statement: String) async throws {
        for reply in try await library.session.run(Shard.all.map { Transaction(Statement(statement), $0) }) {
            _ = try reply.orFailure()
        }
    }

    /// Resets what the bundles note.
    private func forgetShards() async throws {
        try await run("UPDATE @bundles SET shards = 0, shards_at = -1 WHERE shard = $1")
    }

    private func refresh(at now: Timestamp) async throws -> Set<PodcastID> {
        let run = try await library.work.begin(WorkRequest(), now: now)
        var claimed: Set<PodcastID> = []
        while case let page = try await library.work.claim(run.lease, limit: 512, now: now), !page.isEmpty {
            claimed.formUnion(page.map(\.id))
            let answered = page.map { podcast in
                var podcast = podcast
                (podcast.fetch.lastAttemptAt, podcast.fetch.nextDueAt) = (now, now + 3_600)
                return Settlement(podcast)
            }
            _ = try await library.work.settle(answered, run.lease)
        }
        try await library.work.release(run.lease, times: nil)
        return claimed
    }

    @Test func `a bundle notes the shards of the feeds that come to it`() async throws {
        _ = try await library.podcasts.add(feeds.prefix(3).map { NewSubscription($0) })
        #expect(try await noted() == Noted(shards: shards(of: feeds.prefix(3))))
        _ = try await library.podcasts.add(feeds.dropFirst(3).map { NewSubscription($0) })
        #expect(try await noted() == Noted(shards: shards(of: feeds)))
        #expect(try await refresh(at: noon) == Set(feeds.map(\.id)))
        #expect(try await noted() == Noted(shards: shards(of: feeds)))
    }

    @Test func `the shards of bundles that note none are noted when they are settled`() async throws {
        _ = try await library.podcasts.add(feeds.map { NewSubscription($0) })
        try await forgetShards()
        let now = noon
        #expect(try await refresh(at: now) == Set(feeds.map(\.id)))
        #expect(try await noted() == Noted(shards: shards(of: feeds)))
        #expect(try await refresh(at: now + 7_200) == Set(feeds.map(\.id)))
    }

    @Test func `a feed is found in whatever shard it is while its bundle is incomplete`() async throws {
        _ = try await library.podcasts.add(feeds.prefix(1).map { NewSubscription($0) })
        let noted = try await noted()
        _ = try await library.podcasts.add(feeds.dropFirst().map { NewSubscription($0) })
        // As if the feed had been counted, but its shard not noted yet.
        let bits = noted.shards.reduce(0) { $0 | 1 << $1 }
        try await run("UPDATE @bundles SET shards = \(bits), shards_at = changes - 1 WHERE shard = $1")
        #expect(try await refresh(at: noon) == Set(feeds.map(\.id)))
    }

    @Test func `a feed whose record comes while its bundle is settled stays noted`() async throws {
        _ = try await library.podcasts.add(feeds.prefix(1).map { NewSubscription($0) })
        try await forgetShards()
        // Bundles are told of feeds before their records are there.
        let late = try #require(feeds.first { Shard($0.id) != Shard(feeds[0].id) })
        _ = try await library.podcasts.bundles.assign([late], unlessAt: [:])
        #expect(try await refresh(at: noon) == [feeds[0].id])
        #expect(try await noted() == Noted(shards: shards(of: [feeds[0], late])))
    }
}
