/// The fingerprints of a library's transcripts, on this machine. They can be made anew from the transcripts.
public protocol PassageStore: Sendable {
    /// Empty if there is none, or it is damaged.
    func list() throws -> FingerprintedLibrary
    func store(_ list: FingerprintedLibrary) throws
    /// Newest first; empty if there are none, or they are damaged.
    func fingerprints(of podcast: PodcastID) throws -> [FingerprintedTranscript]
    func store(_ fingerprints: [FingerprintedTranscript], of podcast: PodcastID) throws
    func remove(_ podcast: PodcastID) throws
}

public struct FingerprintedLibrary: Equatable, Sendable {
    /// The library's revision up to which all transcripts have fingerprints; nil if there never was one.
    public var revision: Int?
    public var podcasts: [PodcastID: FingerprintedPodcast] = [:]

    public init() {}
}

public struct FingerprintedPodcast: Equatable, Sendable {
    /// `TranscriptState.revision` when they were made.
    public var revision: Int
    /// Of `PodcastNetwork`.
    public var networks: Set<UInt64>

    public init(revision: Int, networks: Set<UInt64>) { (self.revision, self.networks) = (revision, networks) }
}

public struct FingerprintedTranscript: Equatable, Sendable {
    public var episode: EpisodeID
    /// When the episode was published, in seconds since 1970.
    public var publishedAt: Int64
    /// Tells transcripts of the episode apart.
    public var version: UInt64
    public var fingerprint: PassageFingerprint

    public init(episode: EpisodeID, publishedAt: Int64, version: UInt64, fingerprint: PassageFingerprint) {
        (self.episode, self.publishedAt, self.version, self.fingerprint) = (episode, publishedAt, version, fingerprint)
    }
}
