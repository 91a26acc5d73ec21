/// The id of a podcast: 13 characters that stay the same when the feed moves. A unique beginning is enough to name it:
/// see `ShortIDs`.
public struct PodcastID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let text: String

    public init(text: String) { self.text = text }

    /// The id of a subscription to `feedURL`. `attempt` is raised while another podcast has the resulting id.
    public init(feedURL: String, attempt: Int = 0) {
        let hash = XXH64.hash((attempt == 0 ? feedURL : "\(feedURL)\u{0}\(attempt)").utf8)
        text = String(unsafeUninitializedCapacity: HashText.length) { bytes in
            for index in 0..<HashText.length { bytes[index] = HashText.character(index, of: hash) }
            return HashText.length
        }
    }

    public var description: String { text }
    public static func < (a: PodcastID, b: PodcastID) -> Bool { a.text < b.text }
}

/// The id of an episode: its podcast's id, a hyphen, and 13 characters of its own.
///
/// The id therefore tells which file stores the episode, and a prefix of it matches few candidates.
public struct EpisodeID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let text: String

    /// nil if the text does not have the form above.
    public init?(text: String) {
        self.text = text
        guard case let hyphen = self.hyphen, hyphen != text.startIndex, hyphen != text.endIndex else { return nil }
    }

    /// True if the text is as long as a complete id and has no other characters.
    public static func isWhole(_ text: String) -> Bool {
        let halves = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return halves.count == 2
            && halves.allSatisfy { $0.count == HashText.length && $0.allSatisfy(HashText.alphabet.contains) }
    }

    /// The id of an episode first seen with this identity. `attempt` is raised while another episode has the resulting
    /// id.
    public init(podcast: PodcastID, identity: String, attempt: Int = 0) {
        self.init(podcast: podcast, identityHash: XXH64.hash((attempt == 0 ? identity : "\(identity)\u{0}\(attempt)").utf8))
    }

    /// - Parameter identityHash: the XXH64 of the identity.
    init(podcast: PodcastID, identityHash: UInt64) {
        let own = podcast.text.utf8.count + 1
        text = String(unsafeUninitializedCapacity: own + HashText.length) { bytes in
            _ = bytes.initialize(fromContentsOf: podcast.text.utf8)
            bytes[own - 1] = UInt8(ascii: "-")
            for index in 0..<HashText.length { bytes[own + index] = HashText.character(index, of: identityHash) }
            return own + HashText.length
        }
    }

    // Compares bytes, because a list of new episodes calls this many thousands of times.
    public var podcastID: PodcastID { PodcastID(text: String(text[..<hyphen])) }
    /// The part after the podcast's id.
    public var ownText: Substring { text[hyphen...].dropFirst() }
    private var hyphen: String.Index { text.utf8.firstIndex(of: UInt8(ascii: "-")) ?? text.endIndex }
    public var description: String { text }
    public static func < (a: EpisodeID, b: EpisodeID) -> Bool { a.text < b.text }
}

/// The 64 bits of a hash in Crockford's base 32, lower case, which leaves out the easily misread `i`, `l`, `o` and `u`.
/// Among four million podcasts no collision is expected.
private enum HashText {
    static let length = 13
    static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    static func character(_ index: Int, of hash: UInt64) -> UInt8 {
        // The last character holds four bits of the hash and a zero bit.
        let shift = 59 - 5 * index
        return alphabet[Int(truncatingIfNeeded: shift < 0 ? hash << UInt64(-shift) : hash >> UInt64(shift)) & 31]
    }
}
