/// The id of a podcast: 13 characters that stay when the feed moves. Their beginning is enough to name it: see `ShortIDs`.
public struct PodcastID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let text: String

    public init(text: String) { self.text = text }

    /// The id of a subscription to `feedURL`. `attempt` counts up where an earlier one is taken by another podcast.
    public init(feedURL: String, attempt: Int = 0) {
        let hash = XXH64.hash((attempt == 0 ? feedURL : "\(feedURL)\u{0}\(attempt)").utf8)
        text = String(unsafeUninitializedCapacity: HashText.length) { bytes in
            HashText.write(hash, to: bytes)
            return HashText.length
        }
    }

    public var description: String { text }
    public static func < (a: PodcastID, b: PodcastID) -> Bool { a.text < b.text }
}

/// The id of an episode: its podcast's id, a hyphen, and 13 characters of its own.
///
/// So the file that keeps an episode is known from its id, and a prefix of an id names few candidates.
public struct EpisodeID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let text: String

    /// nil where the text is not of the form above.
    public init?(text: String) {
        self.text = text
        guard case let hyphen = self.hyphen, hyphen != text.startIndex, hyphen != text.endIndex else { return nil }
    }

    /// The id of the episode that is first seen with this identity. `attempt` counts up where an earlier one is taken.
    public init(podcast: PodcastID, identity: String, attempt: Int = 0) {
        self.init(podcast: podcast, identityHash: XXH64.hash((attempt == 0 ? identity : "\(identity)\u{0}\(attempt)").utf8))
    }

    /// - Parameter identityHash: the XXH64 of the identity.
    init(podcast: PodcastID, identityHash: UInt64) {
        let own = podcast.text.utf8.count + 1
        text = String(unsafeUninitializedCapacity: own + HashText.length) { bytes in
            _ = bytes.initialize(fromContentsOf: podcast.text.utf8)
            bytes[own - 1] = UInt8(ascii: "-")
            HashText.write(identityHash, to: UnsafeMutableBufferPointer(rebasing: bytes[own...]))
            return own + HashText.length
        }
    }

    // By bytes: a list of what is new asks for each of many thousands.
    public var podcastID: PodcastID { PodcastID(text: String(text[..<hyphen])) }
    /// The part behind the podcast's id.
    public var ownText: Substring { text[hyphen...].dropFirst() }
    private var hyphen: String.Index { text.utf8.firstIndex(of: UInt8(ascii: "-")) ?? text.endIndex }
    public var description: String { text }
    public static func < (a: EpisodeID, b: EpisodeID) -> Bool { a.text < b.text }
}

/// The 64 bits of a hash in Crockford's base 32, lower case: no `i`, `l`, `o`, `u` to misread. Of four million podcasts no
/// two are expected to meet.
private enum HashText {
    static let length = 13
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    static func write(_ hash: UInt64, to bytes: UnsafeMutableBufferPointer<UInt8>) {
        // The last character has four bits of the hash, and one that is 0.
        for place in 0..<length {
            let shift = 59 - 5 * place
            bytes[place] = alphabet[Int(truncatingIfNeeded: shift < 0 ? hash << UInt64(-shift) : hash >> UInt64(shift)) & 31]
        }
    }
}
