/// The id of a podcast: eight characters, short enough to type, that stay when the feed moves.
public struct PodcastID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let text: String

    public init(text: String) { self.text = text }

    /// The id of a subscription to `feedURL`. `attempt` counts up where an earlier one is taken by another podcast.
    public init(feedURL: String, attempt: Int = 0) {
        text = ShortHash.text(attempt == 0 ? feedURL : "\(feedURL)\u{0}\(attempt)")
    }

    public var description: String { text }
    public static func < (a: PodcastID, b: PodcastID) -> Bool { a.text < b.text }
}

/// The id of an episode: its podcast's id, a hyphen, and eight characters of its own.
///
/// So the file that keeps an episode is known from its id, and a prefix of an id names few candidates.
public struct EpisodeID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let text: String

    /// nil where the text is not of the form above.
    public init?(text: String) {
        guard let hyphen = text.firstIndex(of: "-"), hyphen != text.startIndex else { return nil }
        self.text = text
    }

    /// The id of the episode that is first seen with this identity. `attempt` counts up where an earlier one is taken.
    public init(podcast: PodcastID, identity: String, attempt: Int = 0) {
        text = podcast.text + "-" + ShortHash.text(attempt == 0 ? identity : "\(identity)\u{0}\(attempt)")
    }

    public var podcastID: PodcastID { PodcastID(text: String(text.prefix { $0 != "-" })) }
    public var description: String { text }
    public static func < (a: EpisodeID, b: EpisodeID) -> Bool { a.text < b.text }
}

/// 40 bits of a hash in Crockford's base 32, lower case: no `i`, `l`, `o`, `u` to misread.
enum ShortHash {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    static func text(_ source: String) -> String {
        let hash = XXH64.hash(source.utf8)
        return String(unsafeUninitializedCapacity: 8) { bytes in
            for place in 0..<8 { bytes[place] = alphabet[Int(hash >> (59 - 5 * UInt64(place))) & 31] }
            return 8
        }
    }
}
