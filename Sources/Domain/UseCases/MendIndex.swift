/// Brings the index in line with the library: re-indexes the podcasts whose changes it has not seen, and only those.
///
/// Needed after a crash between a commit and the index, after a channel changed, and where the index is missing.
public struct MendIndex: Sendable {
    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let index: any SearchIndex

    public init(podcasts: any PodcastRepository, episodes: any EpisodeRepository, index: any SearchIndex) {
        self.podcasts = podcasts
        self.episodes = episodes
        self.index = index
    }

    /// - Parameter progress: told how many of how many podcasts are done, where there are any.
    public func run(progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }) async throws {
        let known = try await podcasts.podcasts()
        let byID = Dictionary(known.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let stale = try await index.stale(byID.mapValues(\.revision))
        var done = 0
        // Small batches bound memory; each is one transaction.
        while done < stale.count {
            var changes: [IndexChange] = []
            for id in stale[done..<min(done + 16, stale.count)] {
                guard let podcast = byID[id] else {
                    changes.append(.removed(id))
                    continue
                }
                let channel = try await episodes.kept(of: id).channel
                changes.append(.whole(podcast, channel, try await episodes.episodes(of: id)))
            }
            try await index.apply(changes)
            done += changes.count
            progress(done, stale.count)
        }
    }
}
