/// A subscription: where the feed is, what the user decided about it, and what a refresh must know before it asks again.
///
/// Everything the feed says about the podcast is its `Channel`, kept with the episodes. A `Podcast` is small,
/// because all of them are read to find out which are due.
public struct Podcast: Equatable, Sendable {
    public var id: PodcastID
    /// The URL that is fetched, without user and password.
    public var feedURL: String
    public var subscribedAt: Timestamp
    /// Counts what the library keeps, withdrawn episodes included.
    public var episodeCount = 0
    /// When the newest episode was published; lets a listing open only the files it needs.
    public var latestEpisodeAt: Timestamp?
    /// When a refresh last added an episode.
    public var lastAddedAt: Timestamp?
    /// Counts the changes of the record. The repository sets it; a write is refused if it is not the stored one. 0 before
    /// the first write.
    public var revision = 0
    /// The library's revision of the last change that matters to what is derived: episodes, channel, transcripts, title.
    /// The repository sets it.
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

    /// What takes more than a few words of memory is boxed: copying it would make much code wherever podcasts are.
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

    /// What people call it: their own title, else the channel's, else the feed URL.
    public var displayTitle: String { settings.title ?? title ?? feedURL }

    /// The server it is fetched from: scheme, host and port.
    public var hostKey: String { WebURL(feedURL)?.hostKey ?? feedURL }
}

/// How far the older pages of a feed were read (RFC 5005).
public struct ArchiveState: Equatable, Sendable {
    /// The page to go on with; nil when the last page was read.
    public var next: String?
    /// Pages that were read until now.
    public var pages = 0

    public init() {}
}

/// User and password of a feed URL, sent as Basic authentication to that host only.
public struct Credentials: Equatable, Sendable {
    public var user: String
    public var password: String

    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

/// What is known from earlier requests for one feed.
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
    /// Until then a hub that has kept its word says when the feed changes, and a server of ours hears it.
    public var hubUntil: Timestamp?
    /// Until then not even `--all` asks: the server's Retry-After.
    public var retryAfter: Timestamp?
    /// The server said 410: no more fetches until the user says so.
    public var isGone = false
    /// A repair may have lost episodes: the next fetch brings them back, and they are not new.
    public var isRestoring = false
    public var failure: FetchFailureState?
    /// How many 304s in a row the server has sent since its last body.
    public var notModifiedInARow = 0
    /// The server answered 304 for a feed that had changed: its validators are no longer used.
    public var liesAboutNotModified = false
    /// The last few answers, newest first, for `explain`.
    public var answers: [FetchAnswer] = []
    /// Where the feed was before, newest first.
    public var moves: [FeedMove] = []
    /// Facts of the last body that the schedule needs without opening the episodes.
    public var cadence = Cadence()

    public init() {}
}

/// What a publisher's past tells about when to ask again.
public struct Cadence: Equatable, Sendable {
    /// Publication times of the newest episodes, newest first, at most ten.
    public var recent: [Timestamp] = []
    /// Seconds for which the feed itself asks to be left alone: RSS ttl and the syndication module.
    public var floor: Int64 = 0
    /// UTC hours and English weekday numbers (0 is Sunday) in which the publisher asks to be left alone.
    public var skipHours: [Int] = []
    public var skipDays: [Int] = []

    public init() {}
}

/// What decided when a podcast is due next.
public enum DueRule: String, Sendable {
    /// The rhythm in which episodes were published.
    case cadence
    /// The time at which the next episode is expected.
    case nextEpisode
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
    /// Its hub says when it changes (W3C WebSub).
    case hub
}

/// Opaque header values, sent back exactly as they came: each character stands for one byte (U+0000 to U+00FF).
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

/// Failing since when, how often in a row, and with what.
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

/// A change of the feed URL, kept so that it can be undone.
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
