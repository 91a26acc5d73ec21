import Comparing
import Domain

/// One feed's way from its URL to a set of changes: ask, parse, compare. Writes nothing.
///
/// An unchanged feed leaves as early as it can: at the 304, at the body's hash, at the digest of its content, at the
/// comparison with the stored episodes.
struct RefreshFeed: Sendable {
    let ask: AskFeed
    let episodes: any EpisodeRepository
    let options: RefreshOptions

    /// 1. Requests the URL once for all its podcasts, and parses the body as it arrives.
    func reply(to job: FeedJob, askedAt: Timestamp) async -> FeedReply {
        do {
            let answer = try await ask(job.request(options, now: askedAt), knowing: job.digest, for: job.lead.id.text)
            return .answer(answer, await ask.newHome(of: job, answer, options))
        } catch {
            return .failure(error)
        }
    }

    func results(of asked: AskedFeed) async -> [FeedResult] {
        let (job, now) = (asked.job, asked.repliedAt)
        let (answer, move): (FeedAnswer, FeedMoveTarget?)
        switch asked.reply {
        case .answer(let feedAnswer, let target): (answer, move) = (feedAnswer, target)
        case .failure(let error): return job.podcasts.map { failed($0, error, now) }
        case .dropped: return job.podcasts.map { .dropped($0) }
        }
        var results: [FeedResult] = []
        for podcast in job.podcasts {
            do {
                var result = try await compare(podcast, answer, move, now)
                result.recordAnswer(answer, now: now)
                results.append(result)
            } catch {
                results.append(failed(podcast, error, now))
            }
        }
        return results
    }

    /// 2. Compares with the stored episodes. A move counts only if the new feed shares episodes with them: a permanent
    ///   redirect to another feed may come from a domain that changed hands, and nothing of it is stored.
    private func compare(
        _ podcast: Podcast, _ answer: FeedAnswer, _ move: FeedMoveTarget?, _ now: Timestamp
    ) async throws -> FeedResult {
        guard let move, move.reason == .permanentRedirect || !podcast.wasTakenAway(from: move.url) else {
            return try await compare(podcast, answer, now).result
        }
        var (result, isOurs) = try await compare(podcast, move.answer, now)
        if isOurs {
            if podcast.wasTakenAway(from: move.url) { return result }
            result.outcome.kind = .moved
            result.outcome.movedFrom = podcast.feedURL
            result.outcome.podcast.move(to: move.url, reason: move.reason, at: now)
            return result
        }
        if move.reason == .newFeedURL { return try await compare(podcast, answer, now).result }
        throw FetchFailure(
            .redirect, status: answer.response.status, detail: .foreignFeed, redirects: answer.response.redirects)
    }

    private func compare(
        _ podcast: Podcast, _ answer: FeedAnswer, _ now: Timestamp
    ) async throws -> (result: FeedResult, isOurs: Bool) {
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

        let known = podcast.episodesRevision > 0 ? KnownItems(feed.items, answer.itemDigests) : KnownItems()
        let stored = try await episodes.stored(of: podcast.id, knowing: known)
        var match = FeedMatch(
            items: feed.items, digests: answer.itemDigests, stored: stored.episodes, podcast: podcast.id,
            isComplete: !feed.truncated, isPaged: podcast.archive != nil || feed.channel.paging?.older != nil)
        var needed: [EpisodeID: Episode] = [:]
        if !match.isEmpty {
            let former = match.formerEpisodes(items: feed.items, stored: stored.episodes)
            for episode in try await episodes.episodes(match.withdrawn + former) { needed[episode.id] = episode }
            match.recognize(
                items: feed.items, stored: stored.episodes,
                episodes: (match.withdrawn + former).compactMap { needed[$0] })
        }
        let channelDiffers =
            stored.revision == 0 || ContentDigest(of: stored.channel.withoutBuildDates) != answer.channelDigest
        let isOurs = stored.episodes.isEmpty || match.pairs > 0
        outcome.podcast.episodesRevision = max(podcast.episodesRevision, stored.revision)
        outcome.podcast.describe(feed, stored: stored.episodes, added: match.added.count, now: now)
        guard !match.isEmpty || channelDiffers else { return (FeedResult(outcome, before: podcast), isOurs) }

        let difference = try await episodes.difference(
            match, items: feed.items, digests: answer.itemDigests, loaded: needed, now: now)
        // New tokens in the URLs of media files are stored, but are no news.
        let isRotation = !channelDiffers && difference.hasOnlyRotations
        outcome.kind = isRotation ? .unchanged : .updated
        outcome.added = difference.added
        outcome.changed = difference.changed.count + difference.returned.count
        outcome.withdrawn = difference.withdrawn.count
        outcome.podcast.episodesRevision += 1
        if !difference.added.isEmpty { outcome.podcast.lastAddedAt = now }
        var changes = PodcastChanges(
            podcastID: podcast.id, revision: outcome.podcast.episodesRevision, channel: channelDiffers ? feed.channel : nil,
            added: difference.added,
            replaced: difference.changed + difference.rotated + difference.returned + difference.withdrawn)
        let new = NewEpisodes.among(difference.added, of: podcast, onFirstFetch: options.newOnSubscribe)
        changes.new = await wanted(new, among: difference.added, of: podcast, feed.channel, now)
        changes.isPending = options.hasHook
        outcome.new = changes.new
        var result = FeedResult(outcome, before: podcast, feedChanges: FeedChanges(changes: changes, channel: feed.channel))
        result.weight = answer.weight(ofItems: changes.added.count + changes.replaced.count)
        return (result, isOurs)
    }

    /// Those of the new episodes that match the podcast's query; all if it has none or cannot be asked.
    private func wanted(
        _ new: [EpisodeID], among added: [Episode], of podcast: Podcast, _ channel: Channel, _ now: Timestamp
    ) async -> [EpisodeID] {
        guard let query = podcast.settings.only, let selector = options.selector, !new.isEmpty else { return new }
        let ids = Set(new)
        let matching = try? await selector.matching(
            query, among: added.filter { ids.contains($0.id) }, of: podcast, channel, now: now)
        return matching.map { matching in new.filter(matching.contains) } ?? new
    }

    private func failed(_ podcast: Podcast, _ error: any Error, _ now: Timestamp) -> FeedResult {
        if let pause = error as? HostPaused { return FeedResult(RefreshOutcome(skipped: podcast, until: pause.until)) }
        var result = FeedResult(failed: podcast, FetchFailure(error), now: now)
        result.localFailure = LocalFailure(error)
        return result
    }
}

extension FetchState {
    /// Replaces the validators, hash and digest by those of this answer. A 200 always replaces them, and a document
    /// that was cut off clears them.
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
        isRestoring = false
        if answer.feed != nil { contentDigest = answer.digest }
    }
}

extension Podcast {
    /// Copies the facts that listings need from the channel and the episodes.
    fileprivate mutating func describe(_ feed: ParsedFeed, stored: [StoredEpisode], added: Int, now: Timestamp) {
        title = feed.channel.title ?? title
        author = feed.channel.author ?? author
        episodeCount = stored.count + added
        let dates = stored.compactMap(\.keys.publishedAt) + feed.items.compactMap(\.item.publishedAt)
        let plausible = dates.filter { $0 - now <= Episode.futureGrace }
        // An episode with a date in the future counts from when it was first seen.
        let instead = plausible.count == dates.count ? nil : added > 0 ? now : lastAddedAt ?? now
        latestEpisodeAt = (plausible + [instead].compactMap(\.self)).max() ?? latestEpisodeAt
    }
}
