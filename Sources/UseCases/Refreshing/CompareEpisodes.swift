import Comparing
import Domain

extension EpisodeRepository {
    /// The difference between a feed and its stored episodes, of which some at a time are in memory in full.
    ///
    /// - Parameters:
    ///   - digests: one for each item.
    ///   - loaded: the withdrawn episodes, and any others that are in memory already.
    func difference(
        _ match: FeedMatch, items: [FeedItem], digests: [ContentDigest], loaded: [EpisodeID: Episode] = [:], now: Timestamp
    ) async throws -> FeedDifference {
        let maxCompared = 8_192
        var difference = FeedDifference(match: match, items: items, digests: digests, stored: loaded, now: now)
        for start in stride(from: 0, to: match.changed.count, by: maxCompared) {
            let part = match.changed[start..<min(start + maxCompared, match.changed.count)]
            var stored = loaded
            for episode in try await episodes(part.map(\.id).filter { loaded[$0] == nil }) { stored[episode.id] = episode }
            difference.compare(part, of: match, items: items, digests: digests, stored: stored, now: now)
        }
        return difference
    }
}
