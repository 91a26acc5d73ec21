public import Domain

/// What a library keeps beside each podcast's record, so that podcasts are found, listed and counted without reading
/// records: a folder as numbers in its catalogue, a database as columns.
public protocol PodcastFacts {
    var id: PodcastID { get }
    var subscribedAt: Timestamp { get }
    var episodesRevision: Int { get }
    var episodeCount: Int { get }
    var latestEpisodeAt: Timestamp? { get }
    var isPaused: Bool { get }
    var due: Schedule.DueFacts { get }
    var health: HealthFacts { get }
    func facts(of text: EpisodeText) -> TextFacts
}

/// Whether a podcast's transcripts or chapters are to be fetched.
public struct TextFacts: Equatable, Sendable {
    /// nil if the general setting decides.
    public var isWanted: Bool?
    /// True if they were not looked for since the episodes changed.
    public var hasNew: Bool
    /// When the next that is waiting may be fetched; nil if none is.
    public var dueAt: Timestamp?

    public init(isWanted: Bool?, hasNew: Bool, dueAt: Timestamp?) {
        (self.isWanted, self.hasNew, self.dueAt) = (isWanted, hasNew, dueAt)
    }

    /// A time further away than any wait was written by a clock that has jumped.
    func isDue(_ now: Timestamp) -> Bool {
        hasNew || dueAt.map { $0 <= now || $0 - now > CachingHeaders.maxRetryAfter } ?? false
    }
}

extension PodcastFacts {
    /// When the podcast is due; nil if it is not fetched at all.
    public var dueAt: Timestamp? { due.isGone || due.isPaused ? nil : due.nextDueAt ?? subscribedAt }

    /// True if the last fetch failed or the server answered 410.
    public var isFailing: Bool { health.isFailing }

    /// The key by which listings of new episodes are ordered; nil if the podcast is in none of them.
    public var latestKey: Int64? { episodeCount > 0 ? latestEpisodeAt?.seconds ?? .max : nil }

    /// True if transcripts or chapters are to be fetched whatever the general setting is.
    public var wantsTexts: Bool { EpisodeText.allCases.contains { facts(of: $0).isWanted == true } }

    public func isDue(_ text: EpisodeText, _ now: Timestamp) -> Bool { facts(of: text).isDue(now) }

    /// The podcast's health, when it will change without any response, and whether the podcast is failing, from its facts
    /// read once.
    public func health(now: Timestamp) -> (Health, until: Timestamp?, isFailing: Bool) {
        let facts = health
        let health = Health(of: facts, now: now)
        let until = facts.turningPoints.filter { $0 > now && Health(of: facts, now: $0) != health }.min()
        return (health, until, facts.isFailing)
    }
}

extension Podcast: PodcastFacts {
    public var isPaused: Bool { settings.isPaused }
    public var due: Schedule.DueFacts { Schedule.DueFacts(self) }
    public var health: HealthFacts { HealthFacts(self) }

    public func facts(of text: EpisodeText) -> TextFacts {
        TextFacts(
            isWanted: settings.wants(text), hasNew: transcripts.seen(text) != episodesRevision,
            dueAt: transcripts.dueAt(text))
    }
}
