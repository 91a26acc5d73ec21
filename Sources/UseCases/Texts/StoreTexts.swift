import Domain
import Searching

extension TranscriptRepository {
    /// Settles again on records that were edited meanwhile. Removed podcasts are dropped.
    ///
    /// - Returns: the stored records, and the content revision that each had before.
    func settleAgain(_ settlements: [TranscriptSettlement]) async throws -> [(after: Int, podcast: Podcast)] {
        var stored: [(after: Int, podcast: Podcast)] = []
        var remaining = settlements
        while !remaining.isEmpty {
            var lost: [TranscriptSettlement] = []
            for (settlement, result) in zip(remaining, try await settle(remaining)) {
                switch result {
                case .stored(let podcast): stored.append((settlement.podcast.contentRevision, podcast))
                case .lost(let current):
                    guard let current else { continue }
                    var again = settlement
                    again.podcast = current
                    lost.append(again)
                case .expired: continue
                }
            }
            remaining = lost
        }
        return stored
    }
}

extension SearchIndex {
    /// Indexes episodes whose texts were stored. Includes segments stored earlier, because transcripts and chapters come
    /// in different runs.
    ///
    /// - Parameter stored: the result of `settleAgain`.
    func apply(
        _ stored: [(after: Int, podcast: Podcast)], _ episodes: [PodcastID: [Episode]],
        _ transcripts: any TranscriptRepository, channel: (PodcastID) -> Channel
    ) async throws {
        var changes: [IndexChange] = []
        for (after, podcast) in stored where after != podcast.contentRevision {
            let changed = episodes[podcast.id] ?? []
            let segments = changed.isEmpty ? [:] : try await transcripts.segments(of: changed.map(\.id))
            changes.append(.episodes(of: podcast, after: after, channel(podcast.id), changed, transcripts: segments))
        }
        if !changes.isEmpty { try await apply(changes) }
    }
}
