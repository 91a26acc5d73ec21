import Addresses
import Comparing
public import Domain
public import Results

/// Reads the older pages of a paged feed (RFC 5005: `next`, `prev-archive`).
///
/// 1. It begins with the page that the feed's first page names, or where an earlier run stopped.
/// 2. Each page is stored with the address of the next, so that nothing is read twice after an interruption.
/// 3. It ends at the last page, at the limit of pages, at a page already read, or, if all were read before, at the
///   first page without changes.
///
/// A page adds episodes, none of them new to the owner, and withdraws none. Archive pages never change, so stored
/// episodes are more recent than their items on such a page.
public struct FetchArchive: Sendable {
    public struct Options: Sendable {
        public var maxPages = 200
        public var limits = FetchLimits()
        /// Whether to read all pages again.
        public var isForced = false

        public init() {}
    }

    private let ask: @Sendable (Politeness) -> AskFeed
    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let work: any WorkSource
    private let reconcile: ReconcileIndex?
    private let clock: @Sendable () -> Timestamp
    private let journal: (any RunJournal)?
    /// The recorded run that is replayed; nil if servers are asked.
    private let script: (any RunScript)?

    /// - Parameters:
    ///   - journal: notes what a replay needs; nil if the run is not recorded.
    ///   - script: a recorded run to replay.
    public init(
        _ library: Repositories, fetcher: any FeedFetching, makeParser: @escaping MakeFeedParser,
        reconcile: ReconcileIndex?, clock: @escaping @Sendable () -> Timestamp, journal: (any RunJournal)? = nil,
        script: (any RunScript)? = nil
    ) {
        ask = { AskFeed(fetcher: fetcher, makeParser: makeParser, politeness: $0, script: script) }
        podcasts = library.podcasts
        episodes = library.episodes
        work = library.work
        self.reconcile = reconcile
        self.clock = clock
        self.journal = journal
        self.script = script
    }

    /// - Parameter follow: called after each page with the podcast's title and the pages and episodes so far.
    /// - Returns: nil if the feed has no older pages or the podcast was removed.
    /// - Throws: `LibraryFailure`.
    public func callAsFunction(
        _ id: PodcastID, _ options: Options, _ politeness: Politeness,
        follow: (_ title: String, _ pages: Int, _ added: Int) -> Void = { _, _, _ in }
    ) async throws -> ArchiveOutcome? {
        guard let podcast = try await podcasts.podcast(id), podcast.episodesRevision > 0 else { return nil }
        let first = try await episodes.channel(of: id)?.paging?.older
        let resumed = options.isForced ? nil : podcast.archive?.next
        guard var next = resumed ?? first else { return nil }
        let wasWhole = podcast.archive != nil && resumed == nil && !options.isForced
        politeness.restore(pauses: try await work.pauses(now: clock()))
        journal?.noted(.archive(id, maxPages: options.maxPages, isForced: options.isForced))
        var outcome = ArchiveOutcome(podcast: podcast)
        let asking = ask(politeness)
        var visited: Set<String> = [podcast.feedURL]
        var last: [ContentDigest] = []
        while outcome.pages < options.maxPages, !Task.isCancelled {
            guard visited.insert(next).inserted else {
                outcome.isLoop = true
                break
            }
            let page: FeedAnswer
            do {
                page = try await asking(request(next, podcast, options), knowing: nil, for: id.text)
            } catch let pause as HostPaused {
                outcome.pausedUntil = pause.until
                break
            } catch {
                outcome.failure = FetchFailure(error)
                break
            }
            // Some servers return the same page for every number.
            guard let feed = page.feed, !feed.items.isEmpty, page.itemDigests != last else { break }
            last = page.itemDigests
            let older = feed.channel.paging?.older
            guard let now = try pageTime(),
                let added = try await store(page, feed, podcast: id, next: older, &outcome, now: now)
            else { return outcome }
            follow(outcome.podcast.displayTitle, outcome.pages, outcome.added)
            guard let older, !(wasWhole && added == 0) else {
                outcome.isComplete = true
                break
            }
            next = older
        }
        guard let hosts = try hosts(politeness) else { return outcome }
        if outcome.isLoop
            || outcome.failure == nil && outcome.pausedUntil == nil && outcome.pages < options.maxPages
                && !Task.isCancelled
        {
            outcome.isComplete = true
            try await finish(&outcome)
        }
        try await work.store(hosts)
        // An index that cannot be written now is reconciled later.
        if outcome.added + outcome.changed > 0 { _ = try? await reconcile?() }
        return outcome
    }

    /// The time at which the page is stored; nil if the recorded run was killed before.
    private func pageTime() throws -> Timestamp? {
        if let script {
            guard case .page(let time)? = try script.nextStep() else { return nil }
            return time
        }
        let now = clock()
        journal?.noted(.page(at: now))
        return now
    }

    /// The host states for the next run; nil if the recorded run was killed before.
    private func hosts(_ politeness: Politeness) throws -> [String: HostState]? {
        if let script {
            guard case .archiveEnded(let hosts)? = try script.nextStep() else { return nil }
            return hosts
        }
        let hosts = politeness.rows()
        journal?.noted(.archiveEnded(hosts: hosts))
        return hosts
    }

    private func request(_ url: String, _ podcast: Podcast, _ options: Options) -> FetchRequest {
        var request = FetchRequest(url: url, limits: podcast.settings.limits(options.limits))
        // The feed's credentials go to the feed's own server only.
        if let page = WebURL(url), WebURL(podcast.feedURL)?.sharesCredentials(with: page) == true {
            request.credentials = podcast.credentials
        }
        request.userAgent = podcast.settings.userAgent
        return request
    }

    /// Stores a page, on the current record.
    ///
    /// - Returns: the number of episodes added or changed; nil if the podcast was removed meanwhile.
    private func store(
        _ page: FeedAnswer, _ feed: ParsedFeed, podcast id: PodcastID, next: String?, _ outcome: inout ArchiveOutcome,
        now: Timestamp
    ) async throws -> Int? {
        while true {
            let run = try await work.begin(WorkRequest(podcasts: [id], mode: .force), now: now)
            do {
                guard var podcast = try await work.claim(run.lease, limit: 1, now: now).first else {
                    try await work.release(run.lease, times: nil)
                    return nil
                }
                let changes = try await changes(page, feed, &podcast, now: now)
                var archive = podcast.archive ?? ArchiveState()
                (archive.next, archive.pages) = (next, archive.pages + 1)
                podcast.archive = archive
                let result = try await work.settle([Settlement(podcast, changes: changes)], run.lease).first
                try await work.release(run.lease, times: nil)
                guard let stored = result?.stored else { continue }
                outcome.podcast = stored
                outcome.pages += 1
                outcome.added += changes?.added.count ?? 0
                outcome.changed += changes?.replaced.count ?? 0
                return (changes?.added.count ?? 0) + (changes?.replaced.count ?? 0)
            } catch {
                try? await work.release(run.lease, times: nil)
                throw error
            }
        }
    }

    /// The changes that a page brings; nil if there are none.
    private func changes(
        _ page: FeedAnswer, _ feed: ParsedFeed, _ podcast: inout Podcast, now: Timestamp
    ) async throws -> PodcastChanges? {
        let stored = try await episodes.stored(of: podcast.id, knowing: KnownItems(feed.items, page.itemDigests))
        var match = FeedMatch(
            items: feed.items, digests: page.itemDigests, stored: stored.episodes, podcast: podcast.id, isComplete: false)
        if feed.channel.paging?.next == nil {
            let withdrawn = Set(stored.episodes.lazy.filter(\.isWithdrawn).map(\.id))
            match.changed.removeAll { !withdrawn.contains($0.id) }
        }
        guard !match.isEmpty else { return nil }
        let difference = try await episodes.difference(match, items: feed.items, digests: page.itemDigests, now: now)
        podcast.episodesRevision = max(podcast.episodesRevision, stored.revision) + 1
        podcast.episodeCount = stored.episodes.count + difference.added.count
        let dates = [podcast.latestEpisodeAt].compactMap(\.self) + difference.added.compactMap(\.orderedAt)
        podcast.latestEpisodeAt = dates.max()
        return PodcastChanges(
            podcastID: podcast.id, revision: podcast.episodesRevision, channel: nil, added: difference.added,
            replaced: difference.changed + difference.rotated + difference.returned)
    }

    /// Records that the last page was read, if the pages did not say so themselves.
    private func finish(_ outcome: inout ArchiveOutcome) async throws {
        let stored = try await podcasts.change(outcome.podcast) { podcast in
            var podcast = podcast
            var archive = podcast.archive ?? ArchiveState()
            archive.next = nil
            podcast.archive = archive
            return podcast
        }
        if let stored { outcome.podcast = stored }
    }
}

extension Paging {
    /// The address of the page with older items.
    var older: String? { next ?? prevArchive }
}
