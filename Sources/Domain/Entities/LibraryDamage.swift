/// One fault in the library's files.
public struct LibraryDamage: Equatable, Sendable {
    /// Relative to the library.
    public var file: String
    public var line: Int?
    public var reason: String
    /// The podcast concerned, if it is only one.
    public var podcast: PodcastID?
    /// True for a leftover of an interrupted run, which is reported but is no damage.
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

/// The result of a repair.
public struct RepairReport: Equatable, Sendable {
    public var damage: [LibraryDamage] = []
    /// Paths of the damaged files that were set aside, relative to the library; nothing is deleted.
    public var setAside: [String] = []
    /// Files that were rewritten.
    public var restored: [String] = []
    /// Podcasts that were restored in part; the next fetch completes them.
    public var waiting: [PodcastID] = []
    /// Podcasts with transcripts that must be fetched again.
    public var waitingForTranscripts: [PodcastID] = []
    /// Copies that a synchronisation of folders made of files that two machines changed. What they said is in the library
    /// now, and they are set aside.
    public var merged: [String] = []
    /// Such copies that could not be read. They stay where they are.
    public var conflicts: [String] = []
    /// Files that lost data that no fetch can bring back.
    public var lost: [String] = []

    public init() {}
}
