public import Addresses
public import Domain
public import Results
import Scheduling
public import Searching

/// Adds podcasts: fetches and checks each URL, and stores it with its episodes. A URL that fails stores nothing.
public struct SubscribeToPodcast: Sendable {
    private let fetcher: any FeedFetching
    private let makeParser: MakeFeedParser
    private let findFeedLinks: FindFeedLinks
    private let directories: [any PodcastDirectory]
    private let library: Repositories
    private let index: (any SearchIndex)?
    private let clock: @Sendable () -> Timestamp

    public init(
        _ library: Repositories, fetcher: any FeedFetching, makeParser: @escaping MakeFeedParser,
        findFeedLinks: @escaping FindFeedLinks, directories: [any PodcastDirectory], index: (any SearchIndex)?,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.fetcher = fetcher
        self.makeParser = makeParser
        self.findFeedLinks = findFeedLinks
        self.directories = directories
        self.library = library
        self.index = index
        self.clock = clock
    }

    /// Addresses fetched at once.
    private static let concurrency = 16
    /// Several podcasts share one write, but no result waits long.
    private static let batchSize = BatchSize(count: 16, weight: 4 << 20, maxWait: .milliseconds(20))

    /// Subscribes to the addresses that the user typed: feeds, web pages that name feeds, or a directory's pages. They
    /// are fetched concurrently, each URL once, stored as they arrive, and reported in the order in which they were
    /// typed.
    ///
    /// - Parameters:
    ///   - newOnSubscribe: number of episodes of each podcast that become new.
    ///   - fetching: false stores the URLs for the next refresh.
    ///   - credentials: sent to the servers of the addresses, and stored; nil for those in the addresses.
    /// - Throws: `LibraryFailure` if the subscriptions cannot be read.
    public func run(
        _ inputs: [String], _ politeness: Politeness, limits: FetchLimits = FetchLimits(), newOnSubscribe: Int = 0,
        fetching: Bool = true, credentials: Credentials? = nil,
        report: (SubscribeOutcome) async -> Void
    ) async throws {
        let ask = AskFeed(fetcher: fetcher, makeParser: makeParser, politeness: politeness, findFeedLinks: findFeedLinks)
        // A refresh that ended in this second may have begun in the next one, by its own clock.
        let clock = steady(clock, from: try await library.work.lastRefresh().startedAt)
        let finder = FeedFinder(
            ask: ask, library: library, directories: directories, clock: clock, limits: limits,
            newOnSubscribe: newOnSubscribe, credentials: credentials)
        guard fetching else {
            var answers: [FeedFinder.Answer] = []
            for input in inputs { answers.append(await finder.find(input, fetching: false)) }
            for outcome in await store(answers) { await report(outcome) }
            return
        }
        let answered = Handover<(number: Int, answer: FeedFinder.Answer)>(capacity: 32)
        let scheduler = Scheduler<SubscribeJob, FeedFinder.Answer>(concurrency: Self.concurrency, politeness: politeness)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                let jobs = inputs.enumerated().map { SubscribeJob(number: $0, input: $1) }
                await scheduler.run(jobs) { job in
                    await finder.find(job.input, fetching: true)
                } handOver: { outcome in
                    let (job, answer) = outcome.answer
                    await answered.send((job.number, answer), weight: answer.result?.weight ?? 0)
                }
                answered.close()
            }
            var outcomes: [Int: SubscribeOutcome] = [:]
            var next = 0
            while let batch = await answered.batch(Self.batchSize) {
                let ordered = batch.sorted { $0.number < $1.number }
                for (number, outcome) in zip(ordered.map(\.number), await store(ordered.map(\.answer))) {
                    outcomes[number] = outcome
                }
                while let outcome = outcomes.removeValue(forKey: next) {
                    next += 1
                    await report(outcome)
                }
            }
            // If the task was cancelled, some addresses have no outcome.
            for (_, outcome) in outcomes.sorted(by: { $0.key < $1.key }) { await report(outcome) }
        }
    }

    /// Fetches what subscribing would store, and stores nothing.
    ///
    /// - Throws: `SubscribeFailure`; `LibraryFailure`.
    public func preview(
        _ input: String, _ politeness: Politeness, limits: FetchLimits = FetchLimits()
    ) async throws -> SubscribePreview {
        let ask = AskFeed(fetcher: fetcher, makeParser: makeParser, politeness: politeness, findFeedLinks: findFeedLinks)
        let answer = await FeedFinder(
            ask: ask, library: library, directories: directories, clock: clock, limits: limits,
            newOnSubscribe: 0
        ).find(input, fetching: true)
        if case .failed(let failure) = answer.outcome.kind { throw failure }
        guard let podcast = answer.outcome.podcast else { throw SubscribeFailure.badURL }
        guard let changes = answer.result?.feedChanges?.changes else {
            return SubscribePreview(
                podcast: podcast, channel: try await library.episodes.channel(of: podcast.id) ?? Channel(),
                episodes: try await library.episodes.episodes(of: podcast.id), isSubscribed: true, alternatives: [])
        }
        return SubscribePreview(
            podcast: podcast, channel: changes.channel ?? Channel(), episodes: changes.added, isSubscribed: false,
            alternatives: answer.outcome.alternatives)
    }

    /// Stores all results at once. A feed counts as existing if it was subscribed to meanwhile or if an earlier address
    /// led to it.
    private func store(_ answers: [FeedFinder.Answer]) async -> [SubscribeOutcome] {
        let new = answers.compactMap(\.subscription)
        var results: [Result<AddResult, any Error>]
        do {
            results = try await library.podcasts.add(new).map { .success($0) }
        } catch {
            // One bad file must not affect the others, so each is stored on its own to find it. A failed sync is not
            // repeated: everything is written again to new files, so a second attempt that succeeds has lost nothing.
            results = []
            for subscription in new {
                do {
                    results += try await library.podcasts.add([subscription]).map { .success($0) }
                } catch {
                    results.append(.failure(error))
                }
            }
        }
        // An index that cannot be written now is reconciled later.
        try? await index?.apply(zip(new, results).compactMap { new, result in (try? result.get())?.indexChange(new) })
        let added = results.compactMap { result in
            if case .success(.added(let podcast)) = result { podcast.feedURL } else { nil }
        }
        // Tags that cannot be written keep waiting.
        try? await RestoreTags(library).placeWaiting(of: Set(added), now: clock())
        var remaining = results[...]
        return answers.map { answer in
            guard let new = answer.subscription, let result = remaining.popFirst() else { return answer.outcome }
            var outcome = answer.outcome
            switch result {
            case .success(.added(let podcast)):
                outcome.podcast = podcast
                // A first fetch makes revision 1.
                outcome.hasKeptEpisodes = podcast.episodesRevision > (new.changes == nil ? 0 : 1)
            case .success(.existing(let podcast)): (outcome.kind, outcome.podcast) = (.existing, podcast)
            case .failure(let error): outcome = SubscribeOutcome(input: outcome.input, kind: .failed(SubscribeFailure(error)))
            }
            return outcome
        }
    }
}

/// An address that the user typed.
private struct SubscribeJob: Hosted {
    let number: Int
    let input: String
    var hostKey: String { FeedURL.parse(input)?.hostKey ?? "" }
}

extension Scheduler<SubscribeJob, FeedFinder.Answer>.Outcome {
    fileprivate var answer: (SubscribeJob, FeedFinder.Answer) {
        switch self {
        case .replied(let job, let answer): (job, answer)
        case .paused(let job, let until): (job, .failed(job.input, HostPaused(until: until)))
        case .unreachable(let job, let failure): (job, .failed(job.input, failure))
        }
    }
}

extension FeedFinder.Answer {
    /// nil if there is nothing to store.
    fileprivate var subscription: NewSubscription? {
        guard case .subscribed = outcome.kind, let podcast = outcome.podcast else { return nil }
        return NewSubscription(podcast, changes: result?.feedChanges?.changes)
    }
}

extension AddResult {
    /// nil if there is nothing to index, or if episodes of an earlier subscription were kept: then the index must read
    /// all of them.
    fileprivate func indexChange(_ new: NewSubscription) -> IndexChange? {
        guard case .added(let podcast) = self, let changes = new.changes, podcast.id == changes.podcastID,
            changes.revision == 1
        else { return nil }
        return .episodes(of: podcast, after: 0, changes.channel ?? Channel(), changes.added)
    }
}
