public import Addresses

/// A subscription: the feed's URL, the user's settings for it, and the state that decides when to fetch it again.
///
/// Everything the feed says about the podcast is its `Channel`, stored with the episodes. A `Podcast` is small, because
/// all of them are read to find out which are due.
public struct Podcast: Equatable, Sendable {
    public var id: PodcastID
    /// The URL that is fetched, without user and password.
    public var feedURL: String
    public var subscribedAt: Timestamp
    /// Number of stored episodes, including withdrawn ones.
    public var episodeCount = 0
    /// When the newest episode was published; lets a listing open only the files it needs.
    public var latestEpisodeAt: Timestamp?
    /// When a refresh last added an episode.
    public var lastAddedAt: Timestamp?
    /// Counts the changes of the record. The repository sets it, and refuses a write whose revision is not the stored
    /// one. 0 before the first write.
    public var revision = 0
    /// The library's revision at the last change that the index depends on: episodes, channel, transcripts, title. The
    /// repository sets it.
    public var contentRevision = 0
    /// Counts the changes of the episodes and the channel. 0 before the first.
    public var episodesRevision = 0

    /// User and password of the feed URL. Never shown, logged or exported unasked.
    public var credentials: Credentials? {
        _read { yield boxed.value.credentials }
        _modify { yield &boxed.value.credentials }
    }
    /// The channel's title; nil until the first fetch.
    public var title: String? {
        _read { yield boxed.value.title }
        _modify { yield &boxed.value.title }
    }
    public var author: String? {
        _read { yield boxed.value.author }
        _modify { yield &boxed.value.author }
    }
    public var settings: PodcastSettings {
        _read { yield boxed.value.settings }
        _modify { yield &boxed.value.settings }
    }
    public var fetch: FetchState {
        _read { yield boxed.value.fetch }
        _modify { yield &boxed.value.fetch }
    }
    public var transcripts: TranscriptState {
        _read { yield boxed.value.transcripts }
        _modify { yield &boxed.value.transcripts }
    }
    /// How far the older pages of the feed were read; nil if they never were.
    public var archive: ArchiveState? {
        _read { yield boxed.value.archive }
        _modify { yield &boxed.value.archive }
    }

    /// The larger values are boxed: copying them inline would add much code wherever podcasts are used.
    private struct Large: Equatable {
        var credentials: Credentials?
        var title: String?
        var author: String?
        var settings = PodcastSettings()
        var fetch = FetchState()
        var transcripts = TranscriptState()
        var archive: ArchiveState?
    }
    private var boxed = Self.unfetched
    private static let unfetched = Boxed(Large())

    public init(id: PodcastID, feedURL: String, credentials: Credentials? = nil, subscribedAt: Timestamp) {
        self.id = id
        self.feedURL = feedURL
        self.subscribedAt = subscribedAt
        if credentials != nil { self.credentials = credentials }
    }

    /// The user's own title, else the channel's, else the feed URL.
    public var displayTitle: String { settings.title ?? title ?? feedURL }

    /// The server it is fetched from: scheme, host and port.
    public var hostKey: String { WebURL(feedURL)?.hostKey ?? feedURL }
}

/// How far the older pages of a feed were read (RFC 5005).
public struct ArchiveState: Equatable, Sendable {
    /// The page to continue with; nil if the last page was read.
    public var next: String?
    /// Number of pages read.
    public var pages = 0

    public init() {}
}

/// The results of earlier requests for one feed.
public struct FetchState: Equatable, Sendable {
    public var validators: Validators?
    /// XXH64 of the last body's bytes as they were sent, so that a server without validators costs no parsing.
    public var bodyHash: UInt64?
    /// Digest of everything the last body said; differs whenever an episode or the channel does.
    public var contentDigest: ContentDigest?
    public var lastAttemptAt: Timestamp?
    /// The last time the server answered with a feed or a 304.
    public var lastSuccessAt: Timestamp?
    public var nextDueAt: Timestamp?
    /// The rule that set `nextDueAt`, for `explain`.
    public var dueRule: DueRule?
    /// Until then, a hub that proved reliable notifies our server when the feed changes.
    public var hubUntil: Timestamp?
    /// The server's Retry-After: until then not even `--all` fetches.
    public var retryAfter: Timestamp?
    /// The server answered 410: no more fetches until the user asks for one.
    public var isGone = false
    /// A repair may have lost episodes. The next fetch brings them back, and they do not count as new.
    public var isRestoring = false
    public var failure: FetchFailureState?
    /// How many 304s in a row the server has sent since its last body.
    public var notModifiedInARow = 0
    /// The server answered 304 for a feed that had changed: its validators are no longer used.
    public var liesAboutNotModified = false
    /// The last few answers, newest first, for `explain`.
    public var answers: [FetchAnswer] = []
    /// Earlier moves of the feed, newest first.
    public var moves: [FeedMove] = []
    /// Facts of the last body that the schedule needs without opening the episodes.
    public var cadence = Cadence()

    public init() {}
}

/// The publisher's rhythm and wishes, from which the next fetch is scheduled.
public struct Cadence: Equatable, Sendable {
    /// Publication times of the newest episodes in whole minutes, newest first, at most 52.
    public var recent: [Timestamp] = []
    /// When to ask next, as long as no episode comes, soonest first, in whole minutes, at most 24. Planned when the last one came.
    public var plan: [Timestamp] = []
    /// Seconds, in whole minutes, from an episode's date to its appearance in the feed, if the publisher's clock is wrong or its server late.
    public var dateShift: Int64 = 0
    /// How many episodes in a row appeared at another time than by `dateShift`.
    public var shiftedInARow = 0
    /// True if a fetch within the hour before an episode appeared by `dateShift` did not have it: it does not appear earlier.
    public var isShiftKnown = false
    /// Seconds for which the feed itself asks to be left alone: RSS ttl and the syndication module.
    public var floor: Int64 = 0
    /// UTC hours and English weekday numbers (0 is Sunday) in which the publisher asks to be left alone.
    public var skipHours: [Int] = []
    public var skipDays: [Int] = []

    public init() {}
}

/// The rule that decided when a podcast is due next.
public enum DueRule: String, Sendable {
    /// The rhythm in which episodes were published.
    case cadence
    /// The time at which the next episode is expected.
    case nextEpisode
    /// The weekdays and hours at which episodes come.
    case habit
    /// `Cache-Control` or `Expires`.
    case caching
    /// RSS ttl or the syndication module.
    case feedFloor
    /// RSS skipHours or skipDays.
    case skipped
    /// The wait after a failure.
    case backoff
    /// The user's own bounds.
    case settings
    case retryAfter
    /// A hub notifies us when the feed changes (W3C WebSub).
    case hub
}

/// Opaque header values, sent back exactly as received. Each character stands for one byte (U+0000 to U+00FF).
public struct Validators: Equatable, Sendable {
    /// The final URL that sent them; they are sent to no other.
    public var url: String
    public var etag: String?
    public var lastModified: String?

    public init(url: String, etag: String? = nil, lastModified: String? = nil) {
        self.url = url
        self.etag = etag
        self.lastModified = lastModified
    }
}

/// A series of failures: its beginning, its length and the last failure.
public struct FetchFailureState: Equatable, Sendable {
    public var since: Timestamp
    public var count: Int
    public var code: FetchFailure.Code
    public var status: Int?
    public var detail: FetchFailure.Detail?

    public init(since: Timestamp, count: Int, code: FetchFailure.Code, status: Int? = nil, detail: FetchFailure.Detail? = nil) {
        self.since = since
        self.count = count
        self.code = code
        self.status = status
        self.detail = detail
    }
}

/// One answer of a server, or the lack of one.
public struct FetchAnswer: Equatable, Sendable {
    public var at: Timestamp
    public var status: Int?
    public var outcome: String
    public var milliseconds: Int

    public init(at: Timestamp, status: Int?, outcome: String, milliseconds: Int) {
        self.at = at
        self.status = status
        self.outcome = outcome
        self.milliseconds = milliseconds
    }
}

/// A change of the feed URL, stored so that it can be undone.
public struct FeedMove: Equatable, Sendable {
    public enum Reason: String, Sendable {
        case permanentRedirect, newFeedURL, edited
    }

    public var at: Timestamp
    public var from: String
    public var reason: Reason

    public init(at: Timestamp, from: String, reason: Reason) {
        self.at = at
        self.from = from
        self.reason = reason
    }
}
