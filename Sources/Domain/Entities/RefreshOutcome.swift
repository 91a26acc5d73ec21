/// The outcome of one podcast in a refresh.
public struct RefreshOutcome: Sendable {
    /// The words of `outcome` in the command's JSON.
    public enum Kind: String, Sendable, CaseIterable {
        case updated, unchanged, notModified, moved, gone, skipped, failed
    }

    public var kind: Kind
    /// The podcast as stored now. For a skipped one, only id, feed URL and title are set.
    public var podcast: Podcast
    public var status: Int?
    /// The added episodes, for hooks.
    public var added: [Episode] = []
    /// The added episodes that are new to the owner.
    public var new: [EpisodeID] = []
    public var changed = 0
    public var withdrawn = 0
    /// Bytes of the body as they were sent.
    public var bytes = 0
    public var milliseconds = 0
    public var failure: FetchFailure?
    /// For `skipped`: when it is due again; nil after a 410 and if the user paused it.
    public var until: Timestamp?
    /// Why it was skipped.
    public var skipReason = SkippedPodcast.Reason.notYet
    /// The feed URL before a move.
    public var movedFrom: String?
    /// How long each step took; nil if nothing was measured.
    public var timings: RunTimings?

    public init(_ kind: Kind, podcast: Podcast) {
        self.kind = kind
        self.podcast = podcast
    }

    package init(_ skipped: SkippedPodcast) {
        var podcast = Podcast(id: skipped.id, feedURL: skipped.feedURL, subscribedAt: .distantPast)
        podcast.title = skipped.title
        self.init(skipped: podcast, until: skipped.until)
        skipReason = skipped.reason
    }

    package init(skipped podcast: Podcast, until: Timestamp?) {
        self.init(.skipped, podcast: podcast)
        self.until = until
    }
}
