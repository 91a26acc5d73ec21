public import Domain

/// Finds which episode of a podcast to play, by `NextEpisode`.
public struct FindNextEpisode: Sendable {
    private let episodes: any EpisodeRepository
    private let tags: any TagRepository
    private let positions: any PositionRepository

    public init(_ library: Repositories) {
        episodes = library.episodes
        tags = library.tags
        positions = library.positions
    }

    /// nil if no unheard episode remains.
    public func callAsFunction(of podcast: PodcastID) async throws -> Episode? {
        let all = try await episodes.episodes(of: podcast)
        let isSerial = try await episodes.channel(of: podcast)?.type?.lowercased() == "serial"
        return NextEpisode.choose(
            among: all, isSerial: isSerial,
            positions: try await positions.positions(of: all.map(\.id)).filter { $0.value.isBegun },
            tags: try await tags.tags(of: all.map(\.id)))
    }
}
