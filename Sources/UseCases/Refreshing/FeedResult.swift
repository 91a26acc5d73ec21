import Domain
import Scheduling

/// The reply to one job, before it is compared with the stored podcasts. Indirect, because it is large and passed along
/// a few times.
indirect enum FeedReply: Sendable {
    /// With the feed's new URL, if it moved.
    case answer(FeedAnswer, FeedMoveTarget?)
    case failure(any Error)
    /// Not asked: its podcasts were removed, moved or paused after they were claimed.
    case dropped

    /// True if there is a feed to compare, which reads files.
    var hasFeed: Bool {
        if case .answer(let answer, _) = self { return answer.feed != nil }
        return false
    }

    /// True if the server asked for a pause, for all its feeds.
    var asksForPause: Bool {
        guard case .failure(let error) = self else { return false }
        return error is HostPaused || [429, 503].contains((error as? FetchFailure)?.status)
    }

    /// Approximate bytes in memory.
    var weight: Int {
        if case .answer(let answer, let move) = self { return max(answer.weight, move?.answer.weight ?? 0) }
        return 0
    }
}

/// The result of one podcast's fetch, ready to be made durable.
struct FeedResult: Sendable {
    var outcome: RefreshOutcome
    /// nil if nothing changed. Boxed, because thousands of unchanged results wait together.
    private let boxedChanges: Boxed<FeedChanges>?
    /// Approximate bytes in memory.
    var weight = 0
    var localFailure: LocalFailure?

    /// The podcast before this run.
    private(set) var before: Podcast

    init(_ outcome: RefreshOutcome, before: Podcast? = nil, feedChanges: FeedChanges? = nil) {
        self.outcome = outcome
        self.before = before ?? outcome.podcast
        boxedChanges = feedChanges.map { Boxed($0) }
    }

    var feedChanges: FeedChanges? { boxedChanges?.value }

    /// The result of a failure: unchanged episodes, and a later due time.
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

    /// Drops a failure that was this machine's, so that none of it is stored.
    mutating func forgetFailure() { outcome.podcast = before }

    /// A result without changes, for a podcast that was removed, paused or moved after it was claimed.
    static func dropped(_ podcast: Podcast) -> FeedResult { FeedResult(RefreshOutcome(skipped: podcast, until: nil)) }

    /// The changes to store; nil if nothing changed.
    var settlement: Settlement? {
        guard feedChanges != nil || outcome.podcast != before else { return nil }
        return Settlement(outcome.podcast, changes: feedChanges?.changes)
    }

    /// True if the current record equals the one that this result would store.
    func isStored(as current: Podcast) -> Bool {
        var expected = outcome.podcast
        (expected.revision, expected.contentRevision) = (before.revision + 1, current.contentRevision)
        return expected == current
    }

    /// The same result for a record that was edited meanwhile: the user's settings win over the run's data.
    ///
    /// - Returns: nil if the result no longer applies, because the feed URL, the credentials or the episodes have
    ///   changed.
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

/// The changes to store, and the channel under which they are indexed.
struct FeedChanges: Sendable {
    var changes: PodcastChanges
    var channel: Channel
}

extension [FeedResult] {
    var weight: Int { reduce(0) { $0 + $1.weight } }
}
