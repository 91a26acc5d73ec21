/// The owner's tags as lines that name podcasts and episodes as their feeds do, for another machine or another library.
public struct DumpTags: Sendable {
    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let tags: any TagRepository

    public init(podcasts: any PodcastRepository, episodes: any EpisodeRepository, tags: any TagRepository) {
        self.podcasts = podcasts
        self.episodes = episodes
        self.tags = tags
    }

    /// Sorted, waiting lines included.
    public func callAsFunction() async throws -> [TagLine] {
        var lines = try await lines(of: tags.taggedEpisodes())
        // A line that waits for an episode which is here waits for the next writer.
        let present = Set(lines.map { [$0.feedURL, $0.key] })
        lines += try await tags.waitingTags().filter { !present.contains([$0.feedURL, $0.key]) }
        return lines.map { ($0.text, $0) }.sorted { ($0.1.feedURL, $0.1.key) < ($1.1.feedURL, $1.1.key) }.map(\.1)
    }

    /// What names these episodes outside of this library. Episodes that are not in it any more have no line.
    func lines(of tagged: [TaggedEpisode]) async throws -> [TagLine] {
        var lines: [TagLine] = []
        let byPodcast = Dictionary(grouping: tagged, by: \.id.podcastID)
        for podcast in try await known(Array(byPodcast.keys)) {
            let keys = EpisodeKey.unique(try await episodes.stored(of: podcast.id).episodes)
            for episode in byPodcast[podcast.id] ?? [] {
                let tags = episode.tags.subtracting([.downloaded])
                guard let key = keys[episode.id], !tags.isEmpty else { continue }
                lines.append(TagLine(tags: tags, feedURL: podcast.feedURL, key: key))
            }
        }
        return lines
    }

    /// Subscribed to, or unsubscribed from with their episodes kept.
    private func known(_ ids: [PodcastID]) async throws -> [Podcast] {
        let subscribed = try await podcasts.podcasts(ids)
        let missing = Set(ids).subtracting(subscribed.map(\.id))
        guard !missing.isEmpty else { return subscribed }
        var kept: [Podcast] = []
        for id in missing.sorted() {
            kept += try await episodes.unsubscribed(withIDPrefix: id.text, limit: 2).filter { $0.id == id }
        }
        return subscribed + kept
    }
}
