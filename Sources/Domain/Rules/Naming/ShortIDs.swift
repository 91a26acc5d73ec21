/// Ids as shown to people: the shortest beginning that is unique in the library, at least eight characters of each
/// half.
public struct ShortIDs: Sendable {
    /// Characters of each half.
    public static let minLength = 8

    /// The ids that need more than eight characters, with the number needed.
    private let podcasts: [PodcastID: Int]
    private let episodes: [EpisodeID: Int]

    public init(podcasts: [PodcastID: Int] = [:], episodes: [EpisodeID: Int] = [:]) {
        self.podcasts = podcasts
        self.episodes = episodes
    }

    public func text(_ id: PodcastID) -> String { String(id.text.prefix(podcasts[id] ?? Self.minLength)) }

    public func text(_ id: EpisodeID) -> String {
        "\(text(id.podcastID))-\(id.ownText.prefix(episodes[id] ?? Self.minLength))"
    }

    /// The number of characters that distinguish `text` from `others`; nil if `minLength` are enough.
    public static func length(of text: some StringProtocol, among others: some Sequence<some StringProtocol>) -> Int? {
        var length = 0
        for other in others where other != text { length = max(length, zip(text, other).prefix { $0 == $1 }.count + 1) }
        return length > minLength ? length : nil
    }
}
