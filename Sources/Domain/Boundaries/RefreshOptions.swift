/// The user's options of a refresh.
public struct RefreshOptions: Sendable {
    public enum Mode: Sendable {
        /// Due podcasts.
        case due
        /// Also podcasts that are not due yet, but never those that a Retry-After or a 410 forbids.
        case all
        /// Everything, without validators. Named podcasts are fetched whatever their servers said.
        case force
    }

    /// Only these podcasts; nil for all.
    public var podcasts: Set<PodcastID>?
    public var mode = Mode.due
    /// Number of feeds in progress at once.
    public var concurrency = 32
    /// Number of simultaneous requests per host.
    public var perHost = 2
    public var limits = FetchLimits()
    /// Whether to fetch transcripts, unless a podcast's own setting differs.
    public var transcripts = false
    /// Whether to fetch chapters, unless a podcast's own setting differs.
    public var chapters = false
    /// Whether to report each podcast when its fetch begins.
    public var reportsStarts = false
    /// Number of episodes of a first fetch that become new.
    public var newOnSubscribe = 0
    /// Decides for podcasts with a query (`PodcastSettings.only`) which episodes become new; nil if all do.
    public var selector: (any EpisodeSelector)?
    /// True if new episodes wait for an `--on-new` command.
    public var hasHook = false
    /// Whether to report each podcast that is not due; otherwise they are only counted.
    public var reportsSkipped = false
    /// Set for a worker that keeps running: the run claims podcasts until then, so that the work after it is not late.
    public var claimsUntil: ContinuousClock.Instant?

    public init() {}

    /// True if named podcasts are fetched although their hosts asked for a pause.
    package var passesPauses: Bool { mode == .force && podcasts != nil }
}
