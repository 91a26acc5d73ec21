package import Domain
import Scheduling

/// The key of a bundle: a group of at most fifty feeds of one host, which wait in it until they are due.
///
/// ```
/// host ─┬─ slot 0   leased by one worker, with its share of the host's requests
///       ├─ slot 1       due: bundles 0, 2, 4, …
///       └─ bundles 1, 3, 5, …
/// ```
/// A host with one bundle has one slot, so only one worker at a time sends it requests. A bundle is due when the first
/// of its feeds is. A worker examines whole bundles, so the due times of single feeds need no index.
package struct BundleKey: Hashable {
    /// Largest number of feeds in a bundle.
    package static let size = 50
    /// Largest number of slots of a host.
    package static let maxSlots = 64
    private static let numbers: Int64 = 0xF_FFFF

    /// The host in the upper 44 bits, the number in the lower 20.
    let value: Int64

    init(_ value: Int64) { self.value = value }
    init(host: Int64, number: Int64) { value = host | min(number, Self.numbers) }

    var host: Int64 { value & ~Self.numbers }
    var number: Int64 { value & Self.numbers }
    var shard: Shard { Shard(host: host) }

    static func host(_ key: String) -> Int64 { Int64(bitPattern: XXH64.hash(key.utf8)) & ~numbers }

    /// The largest number of slots of a host that may receive this many parallel requests.
    package static func slots(perHost: Int) -> Int { min(perHost, maxSlots) }

    /// The number of parallel requests that one slot of a host with this many feeds stands for.
    package static func share(feeds: Int, perHost: Int) -> Int {
        let bundles = (feeds + size - 1) / size
        return max(1, perHost / max(1, min(bundles, slots(perHost: perHost))))
    }

    /// When a bundle is examined again whose first feed is due at `first`, or nil if none of its feeds is fetched any
    /// more.
    package static func dueAt(_ first: Timestamp?, now: Timestamp) -> Timestamp {
        let latest = now + Leases.maxCheckInterval
        return min(first ?? latest, latest)
    }
}

/// The bundles of feeds, and the slots of their hosts.
struct BundleTable: Sendable {
    let session: Session
    let time: DatabaseTime

    /// Bundles for feeds that are new at their host, made due at once.
    ///
    /// - Parameter before: the previous records. Podcasts that stay at their host keep their bundles.
    func assign(
        _ podcasts: [Podcast], unlessAt before: [PodcastID: Podcast]
    ) async throws -> [PodcastID: Int64] {
        let newcomers = podcasts.filter { podcast in before[podcast.id].map { !podcast.isAtHost(of: $0) } ?? true }
        guard !newcomers.isEmpty else { return [:] }
        let hosts = Array(Dictionary(grouping: newcomers, by: \.hostKey))
        let replies = try await session.run(
            hosts.map { key, feeds in
                let host = BundleKey.host(key)
                return Transaction(.addFeeds, Shard(host: host), .int(host), .text(key), .int(feeds.count))
            })
        var bundles: [PodcastID: Int64] = [:]
        for ((key, feeds), reply) in zip(hosts, replies) {
            let first = (try reply.orFailure().first?.first?.int("feeds") ?? feeds.count) - feeds.count
            for (index, podcast) in feeds.enumerated() {
                let bundle = BundleKey(host: BundleKey.host(key), number: Int64((first + index) / BundleKey.size))
                bundles[podcast.id] = bundle.value
            }
        }
        let now = time.now
        try await touch(bundles.map { Touch(id: $0, bundle: BundleKey($1), at: now) })
        return bundles
    }

    /// Makes the bundles of these podcasts due no later than the podcasts themselves.
    func touch(_ podcasts: [Podcast]) async throws {
        guard !podcasts.isEmpty else { return }
        let due = Dictionary(podcasts.map { ($0.id, $0.dueAt) }) { a, _ in a }
        let rows = try await session.read(
            Dictionary(grouping: podcasts.map(\.id), by: Shard.init).map { shard, ids in
                Transaction(.bundlesOf, shard, .texts(ids.map(\.text)))
            })
        let now = time.now
        try await touch(
            rows.all.compactMap { row in
                let id = PodcastID(text: row.text("id"))
                guard case let due?? = due[id] else { return nil }
                return Touch(id: id, bundle: BundleKey(row.number("bundle") ?? 0), at: max(due, now))
            })
    }

    /// A feed, its bundle, and the time at which the feed is due.
    private struct Touch {
        let id: PodcastID
        let bundle: BundleKey
        let at: Timestamp
    }

    private func touch(_ feeds: [Touch]) async throws {
        var touched: [BundleKey: (at: Timestamp, shards: Int64)] = [:]
        for feed in feeds {
            let (at, shards) = touched[feed.bundle] ?? (feed.at, 0)
            touched[feed.bundle] = (min(at, feed.at), shards | Shard(feed.id).bit)
        }
        var transactions: [Transaction] = []
        var last: Int64?
        // In this order, the bundles of one host follow each other and share a transaction.
        for value in touched.keys.map({ Int($0.value) }).sorted() {
            let bundle = BundleKey(Int64(value))
            guard let (at, shards) = touched[bundle] else { continue }
            let (shard, host, due) = (bundle.shard, Parameter.int(bundle.host), Parameter.time(at))
            if bundle.host != last { transactions.append(Transaction(.touchSlots, shard, host, .time(time.now))) }
            last = bundle.host
            var calls = [Call(.touchBundle, shard, host, .int(bundle.number), due, .int(shards))]
            if bundle.number < BundleKey.maxSlots { calls.append(Call(.addSlot, shard, host, .int(bundle.number), due)) }
            transactions[transactions.count - 1].calls += calls
        }
        for reply in try await session.run(transactions) { _ = try reply.orFailure() }
    }
}
