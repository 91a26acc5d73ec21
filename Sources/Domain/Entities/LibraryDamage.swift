/// One thing that is wrong with the library's files.
public struct LibraryDamage: Hashable, Sendable {
    /// Relative to the library.
    public var file: String
    public var line: Int?
    public var reason: String
    /// The podcast concerned, where it is only one.
    public var podcast: PodcastID?
    /// What an interrupted run left behind: it is named, and nothing is wrong with the rest.
    public var isLeftover: Bool

    public init(
        file: String, line: Int? = nil, reason: String, podcast: PodcastID? = nil, isLeftover: Bool = false
    ) {
        self.file = file
        self.line = line
        self.reason = reason
        self.podcast = podcast
        self.isLeftover = isLeftover
    }
}

/// What a repair did.
public struct RepairReport: Hashable, Sendable {
    public var damage: [LibraryDamage] = []
    /// Where the damaged files were put, relative to the library; nothing is deleted.
    public var setAside: [String] = []
    /// Files that were written anew.
    public var restored: [String] = []
    /// Podcasts restored as far as they could be; the next fetch brings the rest.
    public var waiting: [PodcastID] = []
    /// Podcasts of which transcripts are missing until they are fetched again.
    public var waitingForTranscripts: [PodcastID] = []
    /// Files of which something is gone that no fetch can bring back.
    public var lost: [String] = []

    public init() {}
}
