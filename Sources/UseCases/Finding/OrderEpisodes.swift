public import Domain

/// Sorts episodes by `EpisodeOrder`. Places in a feed are looked up only if nothing else tells two episodes apart.
public struct OrderEpisodes: Sendable {
    private let episodes: any EpisodeRepository

    public init(_ library: Repositories) { episodes = library.episodes }

    public func callAsFunction(_ listed: [ListedEpisode], oldestFirst: Bool = false) async throws -> [ListedEpisode] {
        var sorted = Self.sorted(listed, [:], oldestFirst)
        let orders = sorted.map { EpisodeOrder($0.episode) }
        let tied = zip(orders, orders.dropFirst()).enumerated().filter { $0.element.0.isTied(with: $0.element.1) }
        var places: [EpisodeID: Int] = [:]
        for podcast in Set(tied.map { sorted[$0.offset].podcast.id }) {
            for (place, episode) in try await episodes.stored(of: podcast).episodes.enumerated() { places[episode.id] = place }
        }
        if !places.isEmpty { sorted = Self.sorted(sorted, places, oldestFirst) }
        return sorted
    }

    private static func sorted(
        _ listed: [ListedEpisode], _ places: [EpisodeID: Int], _ oldestFirst: Bool
    ) -> [ListedEpisode] {
        listed.map { (order: EpisodeOrder($0.episode, place: places[$0.episode.id] ?? 0), listed: $0) }
            .sorted { EpisodeOrder.precedes($0.order, $1.order, oldestFirst: oldestFirst) }
            .map(\.listed)
    }
}
