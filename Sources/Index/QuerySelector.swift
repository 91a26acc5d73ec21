public import Domain

/// Applies a query to a few episodes, in an index made for them alone.
public struct QuerySelector: EpisodeSelector {
    private let expansion: QueryExpansion

    public init(expansion: QueryExpansion) { self.expansion = expansion }

    public func matching(
        _ query: String, among episodes: [Episode], of podcast: Podcast, _ channel: Channel, now: Timestamp
    ) throws -> Set<EpisodeID> {
        var request = SearchRequest(text: expansion.expanded(query, now: now))
        request.now = now
        request.limit = SearchRequest.maxResults
        // The episodes are new, and have no other tags yet.
        request.tagged[.new] = episodes.map(\.id).sorted()
        for tag in Set(podcast.settings.tags.compactMap { Tag($0) }) { request.taggedPodcasts[tag] = [podcast.id] }
        let index = try SmallIndex([IndexedPodcast(podcast, channel, language: nil, episodes, [:])])
        return Set(IndexSearch(index.snapshot).episodes(matching: request))
    }
}
