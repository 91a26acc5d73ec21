/// The one order of episodes, oldest first: by publication date; with equal or missing dates by podcast, season and
/// number; then by the place in the feed as first seen. Episodes without a date precede all others.
public struct EpisodeOrder: Comparable, Sendable {
    private let published: Timestamp
    private let podcast: PodcastID
    private let season: Double
    private let number: Double
    private let place: Int
    private let id: EpisodeID

    /// - Parameter place: among the stored episodes of its podcast, of which those first seen come first.
    public init(_ episode: Episode, place: Int = 0) {
        published = episode.orderedAt ?? .distantPast
        podcast = episode.podcastID
        (season, number) = (Self.rank(episode.item.season?.number), Self.rank(episode.item.episode?.number))
        self.place = place
        id = episode.id
    }

    /// Not every number of a feed can be compared.
    private static func rank(_ number: Double?) -> Double { number.flatMap { $0.isNaN ? nil : $0 } ?? -.infinity }

    /// True if only their places can tell which of two episodes comes first.
    public func isTied(with other: EpisodeOrder) -> Bool {
        published == other.published && podcast == other.podcast && season == other.season && number == other.number
    }

    /// The order of a list. Episodes without a date come last in both directions.
    public static func precedes(_ a: EpisodeOrder, _ b: EpisodeOrder, oldestFirst: Bool) -> Bool {
        guard oldestFirst else { return a > b }
        let (isADated, isBDated) = (a.published != .distantPast, b.published != .distantPast)
        return isADated == isBDated ? a < b : isADated
    }

    public static func < (a: EpisodeOrder, b: EpisodeOrder) -> Bool {
        if a.published != b.published { return a.published < b.published }
        if a.podcast != b.podcast { return a.podcast < b.podcast }
        if a.season != b.season { return a.season < b.season }
        if a.number != b.number { return a.number < b.number }
        if a.place != b.place { return a.place < b.place }
        return a.id < b.id
    }
}
