/// One feed's way from its URL to a set of changes: ask, parse, compare. Writes nothing.
///
/// A feed that did not change leaves as early as it can: at the 304, at the body's hash, at the digest of
/// everything it says, at the comparison with what is kept.
struct RefreshFeed: Sendable {
    let ask: AskFeed
    let episodes: any EpisodeRepository
    let clock: @Sendable () -> Timestamp
    let options: RefreshOptions

    /// 1. Ask once, for all podcasts that live at this URL, and parse the body as it arrives.
    func reply(to job: FeedJob) async -> FeedReply {
        do {
            let answer = try await ask(job.request(options, now: clock()), knowing: job.digest)
            return .answer(answer, await ask.newHome(of: job, answer, options))
        } catch {
            return .failure(error)
        }
    }

    func results(of job: FeedJob, _ reply: FeedReply) async -> [FeedResult] {
        let (answer, move): (FeedAnswer, FeedMoveTarget?)
        switch reply {
        case .answer(let given, let home): (answer, move) = (given, home)
        case .failure(let error): return job.podcasts.map { failed($0, error) }
        }
        var results: [FeedResult] = []
        for podcast in job.podcasts {
            do {
                var result = try await compare(podcast, answer, move)
                result.recordAnswer(answer, now: clock())
                results.append(result)
            } catch {
                results.append(failed(podcast, error))
            }
        }
        return results
    }

    /// 2. Compare with what is kept. A move counts only where the new feed shares episodes with ours: a permanent
    /// redirect to another feed is somebody else's (a domain that changed hands), and nothing of it is stored.
    private func compare(_ podcast: Podcast, _ answer: FeedAnswer, _ move: FeedMoveTarget?) async throws -> FeedResult {
        guard let move, move.reason == .permanentRedirect || !podcast.wasTakenAway(from: move.url) else {
            return try await compare(podcast, answer).result
        }
        var (result, isOurs) = try await compare(podcast, move.answer)
        if isOurs {
            if podcast.wasTakenAway(from: move.url) { return result }
            result.outcome.kind = .moved
            result.outcome.movedFrom = podcast.feedURL
            result.outcome.podcast.move(to: move.url, reason: move.reason, at: clock())
            return result
        }
        if move.reason == .newFeedURL { return try await compare(podcast, answer).result }
        throw FetchFailure(
            .redirect, status: answer.response.status, detail: .foreignFeed, redirects: answer.response.redirects)
    }

    private func compare(_ podcast: Podcast, _ answer: FeedAnswer) async throws -> (result: FeedResult, isOurs: Bool) {
        let now = clock()
        var outcome = RefreshOutcome(.unchanged, podcast: podcast)
        outcome.status = answer.response.status
        outcome.bytes = answer.response.bytes
        outcome.milliseconds = answer.response.milliseconds
        if case .notModified = answer.response.body { outcome.kind = .notModified }
        if answer.contradicts(podcast.fetch) { outcome.podcast.fetch.liesAboutNotModified = true }
        outcome.podcast.fetch.keep(answer)
        guard let feed = answer.feed else { return (FeedResult(outcome, before: podcast), true) }
        if options.mode != .force, podcast.episodesRevision > 0, podcast.fetch.contentDigest == answer.digest {
            return (FeedResult(outcome, before: podcast), true)
        }

        let stored = try await episodes.stored(of: podcast.id)
        let match = FeedMatch(
            items: feed.items, digests: answer.itemDigests, kept: stored.episodes, podcast: podcast.id,
            isComplete: !feed.truncated)
        let channelDiffers =
            stored.revision == 0 || ContentDigest(of: stored.channel.withoutBuildDates) != answer.channelDigest
        let isOurs = stored.episodes.isEmpty || match.pairs > 0
        outcome.podcast.episodesRevision = max(podcast.episodesRevision, stored.revision)
        outcome.podcast.describe(feed, stored: stored.episodes, added: match.added.count)
        guard !match.isEmpty || channelDiffers else { return (FeedResult(outcome, before: podcast), isOurs) }

        var needed: [EpisodeID: Episode] = [:]
        for episode in try await episodes.episodes(match.needed) { needed[episode.id] = episode }
        let difference = FeedDifference(match: match, items: feed.items, digests: answer.itemDigests, kept: needed, now: now)
        outcome.kind = .updated
        outcome.added = difference.added
        outcome.changed = difference.changed.count + difference.returned.count
        outcome.withdrawn = difference.withdrawn.count
        outcome.podcast.episodesRevision += 1
        if !difference.added.isEmpty { outcome.podcast.lastAddedAt = now }
        let changes = PodcastChanges(
            podcastID: podcast.id, revision: outcome.podcast.episodesRevision, channel: channelDiffers ? feed.channel : nil,
            added: difference.added, replaced: difference.changed + difference.returned + difference.withdrawn)
        var result = FeedResult(outcome, before: podcast, news: FeedNews(changes: changes, channel: feed.channel))
        result.weight = answer.weight
        return (result, isOurs)
    }

    private func failed(_ podcast: Podcast, _ error: any Error) -> FeedResult {
        if let pause = error as? HostPause { return FeedResult(RefreshOutcome(skipped: podcast, until: pause.until)) }
        var result = FeedResult(failed: podcast, FetchFailure(error), now: clock())
        result.localFailure = LocalFailure(error)
        return result
    }
}

/// What came of asking, before it is compared with what is kept. Indirect: it is large, and handed on a few times.
indirect enum FeedReply: Sendable {
    /// With another URL at which the feed was found.
    case answer(FeedAnswer, FeedMoveTarget?)
    case failure(any Error)

    /// nil also where the feed's host is to be left alone.
    var failure: FetchFailure? {
        if case .failure(let error) = self, !(error is HostPause) { return FetchFailure(error) }
        return nil
    }

    /// There is something to compare: that reads files.
    var hasFeed: Bool {
        if case .answer(let answer, _) = self { return answer.feed != nil }
        return false
    }

    /// Bytes of feed that it keeps in memory, about.
    var weight: Int {
        if case .answer(let answer, let move) = self { return max(answer.weight, move?.answer.weight ?? 0) }
        return 0
    }
}

/// One URL to ask, and the podcasts that live there: mostly one, never none.
struct FeedJob: Hosted {
    var podcasts: [Podcast]
    let hostKey: String

    init(_ podcast: Podcast, hostKey: String) {
        podcasts = [podcast]
        self.hostKey = hostKey
    }

    /// The one that stands for all.
    var lead: Podcast { podcasts[0] }

    /// What all its podcasts hold of the feed; nil where they differ, or hold nothing.
    var digest: ContentDigest? {
        podcasts.allSatisfy { $0.fetch.contentDigest == lead.fetch.contentDigest } ? lead.fetch.contentDigest : nil
    }

    func request(_ options: RefreshOptions, now: Timestamp) -> FetchRequest {
        var request = FetchRequest(url: lead.feedURL, credentials: lead.credentials, limits: lead.settings.limits(options.limits))
        request.userAgent = lead.settings.userAgent
        // Two podcasts at one URL may have seen different answers; then only a full answer serves both.
        let states = podcasts.map(\.fetch)
        if options.mode != .force, let first = states.first {
            let isBelieved = !Schedule.doubtsNotModified(first, now: now)
            if isBelieved, states.allSatisfy({ $0.validators == first.validators }) { request.validators = first.validators }
            if states.allSatisfy({ $0.bodyHash == first.bodyHash }) { request.knownBodyHash = first.bodyHash }
        }
        return request
    }
}

/// What one feed brought, waiting to be made durable.
struct FeedResult: Sendable {
    var outcome: RefreshOutcome
    /// nil where there is nothing to write. Kept apart, because thousands of results without it wait together.
    private let boxedNews: Boxed<FeedNews>?
    /// Bytes of feed that it keeps in memory, about.
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

    /// What a failure leaves: the episodes as they are, and a later due time.
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

    /// For a failure that was this machine's: nothing of it is stored.
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

/// What a feed brought that is to be kept, and the channel that it is found under.
struct FeedNews: Sendable {
    var changes: PodcastChanges
    var channel: Channel
}

extension [FeedResult] {
    var weight: Int { reduce(0) { $0 + $1.weight } }
}

extension FetchState {
    /// Keeps what vouches for this answer: every 200 replaces it, and a document that was cut off vouches for nothing.
    fileprivate mutating func keep(_ answer: FeedAnswer) {
        let response = answer.response
        if case .notModified = response.body { return }
        guard answer.feed?.truncated != true else {
            (validators, bodyHash, contentDigest) = (nil, nil, nil)
            return
        }
        let sent = Validators(
            url: response.finalURL, etag: response.headers.etag, lastModified: response.headers.lastModified)
        validators = sent.etag == nil && sent.lastModified == nil || liesAboutNotModified ? nil : sent
        bodyHash = response.bodyHash
        if answer.feed != nil { contentDigest = answer.digest }
    }
}

extension Podcast {
    /// Repeats what listings need of the channel and the episodes.
    fileprivate mutating func describe(_ feed: ParsedFeed, stored: [StoredEpisode], added: Int) {
        title = feed.channel.title ?? title
        author = feed.channel.author ?? author
        episodeCount = stored.count + added
        let dates = stored.compactMap(\.keys.publishedAt) + feed.items.compactMap(\.item.publishedAt)
        latestEpisodeAt = dates.max() ?? latestEpisodeAt
    }
}
