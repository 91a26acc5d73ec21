public import Domain
public import Searching

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
        // Part of the query means nothing here, such as a named query that is gone: rather all are new than none.
        guard SearchQuery(text: request.text, now: now).unknown.isEmpty else { return Set(episodes.map(\.id)) }
        // The episodes are new, and have no other tags yet.
        request.tagged[.new] = episodes.map(\.id).sorted()
        for tag in Set(podcast.settings.tags.compactMap { Tag($0) }) { request.taggedPodcasts[tag] = [podcast.id] }
        do {
            return try search(request, episodes, podcast, channel)
        } catch let error as StorageError {
            throw error.failure(in: nil)
        } catch is StorageDamage {
            throw IndexFailure.damaged
        }
    }

    private func search(
        _ request: SearchRequest, _ episodes: [Episode], _ podcast: Podcast, _ channel: Channel
    ) throws -> Set<EpisodeID> {
        let folder = try TemporaryFolder()
        let update = try IndexUpdate(IndexFolder(path: folder.path), waitSeconds: 0)
        try update.add([.episodes(of: podcast, after: 0, channel, episodes, transcripts: [:])])
        try update.save()
        return withExtendedLifetime(folder) { Set(IndexSearch(update.snapshot).episodes(matching: request)) }
    }
}
