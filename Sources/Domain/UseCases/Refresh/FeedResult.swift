/// The reply to one job, before it is compared with what is stored. Indirect: it is large, and handed on a few times.
indirect enum FeedReply: Sendable {
    /// With another URL at which the feed was found.
    case answer(FeedAnswer, FeedMoveTarget?)
    case failure(any Error)
    /// Not asked: its podcasts were removed, moved or paused after they were claimed.
    case dropped

    /// There is something to compare, which reads files.
    var hasFeed: Bool {
        if case .answer(let answer, _) = self { return answer.feed != nil }
        return false
    }

    /// The server wants to be left alone, with all its feeds.
    var asksForPause: Bool {
        guard case .failure(let error) = self else { return false }
        return error is HostPaused || [429, 503].contains((error as? FetchFailure)?.status)
    }

    /// Approximate size in bytes in memory.
    var weight: Int {
        if case .answer(let answer, let move) = self { return max(answer.weight, move?.answer.weight ?? 0) }
        return 0
    }
}

/// The result of one podcast's fetch, ready to be made durable.
struct FeedResult: Sendable {
    var outcome: RefreshOutcome
    /// nil if there is nothing to write. Boxed, because thousands of results without it wait together.
    private let boxedNews: Boxed<FeedNews>?
    /// Approximate size in bytes in memory.
    var weight = 0
    var localFailure: LocalFailure?

    /// The podcast as it was, before this run.
    private(set) var before: Podcast

    init(_ outcome: RefreshOutcome, before: Podcast? = nil, news: FeedNews? = nil) {
        self.outcome = outcome
        self.before = before ?? outcome.podcast
        boxedNews = news.map { Boxed($0) }
    }

    var news: FeedNews? { boxedNews?.value }

    /// After a failure: the episodes as they are, and a later due time.
    init(failed podcast: Podcast, _ failure: FetchFailure, now: Timestamp) {
        var outcome = RefreshOutcome(failure.status == 410 ? .gone : .failed, podcast: podcast)
        outcome.status = failure.status
        outcome.milliseconds = failure.milliseconds
        outcome.failure = failure
        if failure.code != .cancelled, failure.code != .storage {
            Schedule.recordFailure(&outcome.podcast, failure, now: now)
        }
        self.init(outcome, before: podcast)
    }

    mutating func recordAnswer(_ answer: FeedAnswer, now: Timestamp) {
        Schedule.recordAnswer(
            &outcome.podcast, status: answer.response.status, feed: answer.feed, headers: answer.response.headers,
            outcome: outcome.kind.rawValue, milliseconds: answer.response.milliseconds, now: now)
    }

    /// The failure was this machine's: nothing of it is stored.
    mutating func forgetFailure() { outcome.podcast = before }

    /// Nothing to store: the podcast was removed, paused or moved after it was claimed.
    static func dropped(_ podcast: Podcast) -> FeedResult { FeedResult(RefreshOutcome(skipped: podcast, until: nil)) }

    /// What is to be stored; nil if nothing changed.
    var settlement: Settlement? {
        guard news != nil || outcome.podcast != before else { return nil }
        return Settlement(outcome.podcast, changes: news?.changes)
    }

    /// True if the current record is what this result would store.
    func isStored(as current: Podcast) -> Bool {
        var expected = outcome.podcast
        (expected.revision, expected.contentRevision) = (before.revision + 1, current.contentRevision)
        return expected == current
    }

    /// The same result on a record that was edited since: what the user decided wins over what the run read.
    ///
    /// - Returns: nil if the result says nothing about the edited podcast: its feed, its login or its episodes are others.
    func rebased(onto current: Podcast) -> FeedResult? {
        guard current.feedURL == before.feedURL, current.credentials == before.credentials,
            current.episodesRevision == before.episodesRevision
        else { return nil }
        var result = self
        var podcast = outcome.podcast
        podcast.settings = current.settings
        podcast.transcripts = current.transcripts
        podcast.revision = current.revision
        podcast.contentRevision = current.contentRevision
        Schedule.heedBounds(&podcast)
        result.outcome.podcast = podcast
        result.before = current
        return result
    }
}

/// Changes that are to be stored, and the channel under which they are indexed.
struct FeedNews: Sendable {
    var changes: PodcastChanges
    var channel: Channel
}

extension [FeedResult] {
    var weight: Int { reduce(0) { $0 + $1.weight } }
}
