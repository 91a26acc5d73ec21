public import Domain

/// The owner's tags as lines that name podcasts and episodes as their feeds do, so that they suit another library.
public struct DumpTags: Sendable {
    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let tags: any TagRepository

    public init(_ library: Repositories) {
        podcasts = library.podcasts
        episodes = library.episodes
        tags = library.tags
    }

    /// All lines, sorted, including waiting ones; and the number of episodes without a line, because their podcast was
    /// unsubscribed and its feed's URL is not stored.
    public func callAsFunction() async throws -> (lines: [TagLine], omitted: Int) {
        let all = try await lines(of: tags.taggedEpisodes())
        var lines = all.filter { !$0.feedURL.isEmpty }
        let omitted = all.count - lines.count
        // A waiting line may be for an episode that exists by now; the next writer will apply it.
        let present = Set(lines.map { [$0.feedURL, $0.key] })
        lines += try await tags.waitingTags().filter { !present.contains([$0.feedURL, $0.key]) }
        return (lines.sorted { ($0.feedURL, $0.key) < ($1.feedURL, $1.key) }, omitted)
    }

    /// The lines for these episodes. Episodes that are no longer stored have none.
    func lines(of tagged: [TaggedEpisode]) async throws -> [TagLine] {
        var lines: [TagLine] = []
        let byPodcast = Dictionary(grouping: tagged, by: \.id.podcastID)
        for podcast in try await storedPodcasts(Array(byPodcast.keys)) {
            let keys = EpisodeKey.unique(try await episodes.stored(of: podcast.id).episodes)
            for episode in byPodcast[podcast.id] ?? [] {
                let tags = episode.tags.subtracting([.downloaded])
                guard let key = keys[episode.id], !tags.isEmpty else { continue }
                lines.append(TagLine(tags: tags, feedURL: podcast.feedURL, key: key))
            }
        }
        return lines
    }

    /// These podcasts, whether subscribed or unsubscribed with their episodes kept.
    private func storedPodcasts(_ ids: [PodcastID]) async throws -> [Podcast] {
        let subscribed = try await podcasts.podcasts(ids)
        let missing = Set(ids).subtracting(subscribed.map(\.id))
        guard !missing.isEmpty else { return subscribed }
        var unsubscribed: [Podcast] = []
        for id in missing.sorted() {
            unsubscribed += try await episodes.unsubscribed(withIDPrefix: id.text, limit: 2).filter { $0.id == id }
        }
        return subscribed + unsubscribed
    }
}
