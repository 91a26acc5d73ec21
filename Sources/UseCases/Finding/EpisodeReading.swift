import Domain
import Results

/// Reads episodes of many podcasts, of which some may be damaged.
enum EpisodeReading {
    /// - Parameter damaged: called if the podcast's file is damaged; nil to throw instead.
    static func skipping(
        _ podcast: PodcastID, _ damaged: ((UnreadablePodcast) -> Void)?, _ read: () async throws -> [Episode]
    ) async throws -> [Episode] {
        do {
            return try await read()
        } catch let failure as LibraryFailure {
            guard case .damaged = failure, let damaged else { throw failure }
            damaged(UnreadablePodcast(id: podcast, failure: failure))
            return []
        }
    }
}

extension EpisodeRepository {
    /// The episodes with these ids, in that order.
    ///
    /// - Parameter damaged: called for each podcast whose file is damaged, which is then left out; nil to throw instead.
    func episodes(_ ids: [EpisodeID], damaged: ((UnreadablePodcast) -> Void)?) async throws -> [Episode] {
        do {
            return try await episodes(ids)
        } catch let failure as LibraryFailure where damaged != nil {
            guard case .damaged = failure else { throw failure }
        }
        var readable: Set<EpisodeID> = []
        for (podcast, ids) in Dictionary(grouping: ids, by: \.podcastID).sorted(by: { $0.key < $1.key }) {
            readable.formUnion(try await EpisodeReading.skipping(podcast, damaged) { try await episodes(ids) }.map(\.id))
        }
        return try await episodes(ids.filter(readable.contains))
    }
}
