public import Domain

/// The owner's tags, positions and bookmarks as lines that name podcasts and episodes as their feeds do, so that they suit another library.
public struct DumpTags: Sendable {
    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let tags: any TagRepository
    private let positions: any PositionRepository
    private let bookmarks: any BookmarkRepository

    public init(_ library: Repositories) {
        podcasts = library.podcasts
        episodes = library.episodes
        tags = library.tags
        positions = library.positions
        bookmarks = library.bookmarks
    }

    /// All lines, sorted, including waiting ones; and the number of episodes without a line, because their podcast was
    /// unsubscribed and its feed's URL is not stored.
    public func callAsFunction() async throws -> (lines: [TagLine], omitted: Int) {
        let waitingLines = try await tags.waitingTags()
        let urls = Dictionary(waitingLines.map { (PodcastID(feedURL: $0.feedURL), $0.feedURL) }) { first, _ in first }
        let all = try await lines(urls) { _ in true }
        var lines = all.lines
        // A waiting line may be for an episode that exists by now; the next writer will apply it.
        let present = Set(lines.map { [$0.feedURL, $0.key] })
        let waiting = waitingLines.filter { !present.contains([$0.feedURL, $0.key]) }
        lines += waiting
        // Positions of an unsubscribed podcast stay under the ids of its episodes; the lines that wait have them, too. If it
        // had moved, its id does not follow from its URL, but those of its episodes follow from their keys.
        let others = all.unnamed.filter { urls[$0.podcastID] == nil }
        let named = others.isEmpty ? [] : Set(waitingLines.flatMap { EpisodeKey.ownTexts(of: $0.key) })
        let omitted = others.count { !named.contains(String($0.ownText)) }
        return (lines.sorted { ($0.feedURL, $0.key) < ($1.feedURL, $1.key) }, omitted)
    }

    /// The lines for the episodes of some podcasts, and the episodes that have none, because their feed is not stored.
    ///
    /// - Parameters:
    ///   - urls: those of podcasts that were unsubscribed, by their ids.
    ///   - queued: the episodes whose places in this list are written as their places in the queue.
    ///   - ignored: tags that are not written.
    func lines(
        _ urls: [PodcastID: String] = [:], queued: [EpisodeID] = [], without ignored: Set<Tag> = [.downloaded],
        of isWanted: (PodcastID) -> Bool
    ) async throws -> (lines: [TagLine], unnamed: Set<EpisodeID>) {
        let tagged = Dictionary(try await tags.taggedEpisodes().map { ($0.id, $0.tags.subtracting(ignored)) }) { $1 }
        let positions = try await positions.positions()
        let bookmarks = Dictionary(grouping: try await bookmarks.bookmarks(), by: \.episodeID)
        let places = Dictionary(queued.enumerated().map { ($0.element, $0.offset + 1) }, uniquingKeysWith: min)
        let ids = Set(tagged.filter { !$0.value.isEmpty }.keys).union(positions.keys).union(bookmarks.keys).union(places.keys)
            .filter { isWanted($0.podcastID) }
        var (lines, unnamed) = ([TagLine](), ids)
        let byPodcast = Dictionary(grouping: ids, by: \.podcastID)
        for podcast in try await storedPodcasts(Array(byPodcast.keys)) {
            let url = podcast.feedURL.isEmpty ? urls[podcast.id] ?? "" : podcast.feedURL
            guard !url.isEmpty else { continue }
            let keys = EpisodeKey.unique(try await episodes.stored(of: podcast.id).episodes)
            for id in byPodcast[podcast.id] ?? [] {
                guard let key = keys[id] else { continue }
                unnamed.remove(id)
                var facts = LineFacts(positions[id], bookmarks[id] ?? [])
                facts.queuePlace = places[id]
                lines.append(TagLine(tags: tagged[id] ?? [], feedURL: url, key: key, facts: facts))
            }
        }
        return (lines, unnamed)
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
