import Domain

/// The subscriptions.
struct PodcastStore: PodcastRepository {
    let records: PodcastRecords
    let podcastWriter: PodcastWriter

    // MARK: Reading

    func podcasts(_ ids: [PodcastID]) async throws -> [Podcast] { try await records.podcasts(ids) }
    func podcasts(at feedURLs: [String]) async throws -> [Podcast] { try await records.ask { try $0.podcasts(at: feedURLs) } }

    func podcasts(withIDPrefix prefix: String, limit: Int) async throws -> [Podcast] {
        try await records.ask { try $0.podcasts(withIDPrefix: prefix, limit: limit) }
    }

    func lengths(of ids: [PodcastID]) async throws -> [PodcastID: Int] {
        try await records.ask { records in
            var lengths: [PodcastID: Int] = [:]
            for id in ids {
                let others = records.ids(withPrefix: String(id.text.prefix(ShortIDs.minLength))).map(\.text)
                lengths[id] = ShortIDs.length(of: id.text, among: others)
            }
            return lengths
        }
    }

    func podcasts(titled name: TitleName, limit: Int) async throws -> [Podcast] {
        try await records.ask { try $0.podcasts(titled: name, limit: limit) }
    }

    func page(of listing: PodcastListing, after last: Podcast?, limit: Int) async throws -> [Podcast] {
        try await records.ask { try $0.page(of: listing, after: last, limit: limit) }
    }

    func overview(now: Timestamp) async throws -> LibraryOverview { try await records.ask { $0.overview(now: now) } }
    func revision() async throws -> Int { try await records.ask { $0.contentRevision } }

    func changes(since revision: Int) async throws -> LibraryChanges? {
        try await records.ask { $0.changes(since: revision) }
    }

    // MARK: Writing

    func add(_ subscriptions: [NewSubscription]) async throws -> [AddResult] {
        guard !subscriptions.isEmpty else { return [] }
        return try await records.writer.write { try podcastWriter.add(subscriptions) }
    }

    func update(_ podcasts: [Podcast]) async throws -> [WriteResult] {
        guard !podcasts.isEmpty else { return [] }
        return try await records.write { try $0.update(podcasts) }
    }

    func remove(_ ids: [PodcastID], keepingEpisodes: Bool) async throws {
        guard !ids.isEmpty else { return }
        try await records.writer.write { try podcastWriter.remove(ids, keepingEpisodes: keepingEpisodes) }
    }
}
