/// Adds podcasts: fetches and checks each URL, and stores it with its episodes. A URL that fails stores nothing.
public struct SubscribeToPodcast: Sendable {
    private let fetcher: any FeedFetching
    private let makeParser: MakeFeedParser
    private let findFeedLinks: FindFeedLinks
    private let directories: [any PodcastDirectory]
    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let transcripts: any TranscriptRepository
    private let index: any SearchIndex
    private let clock: @Sendable () -> Timestamp

    public init(
        fetcher: any FeedFetching, makeParser: @escaping MakeFeedParser, findFeedLinks: @escaping FindFeedLinks,
        directories: [any PodcastDirectory], podcasts: any PodcastRepository, episodes: any EpisodeRepository,
        transcripts: any TranscriptRepository, index: any SearchIndex, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.fetcher = fetcher
        self.makeParser = makeParser
        self.findFeedLinks = findFeedLinks
        self.directories = directories
        self.podcasts = podcasts
        self.episodes = episodes
        self.transcripts = transcripts
        self.index = index
        self.clock = clock
    }

    /// How many addresses are asked at once, and how many may be ahead of the first that has not ended.
    private static let concurrency = 16
    private static let window = 64

    /// Subscribes to what the user typed: feeds, web pages that name theirs, or a directory's pages. All are asked side
    /// by side, each URL once, and stored and reported in the order in which they were typed.
    ///
    /// - Parameter fetching: false stores the URLs for the next refresh.
    /// - Throws: `LibraryFailure` where the subscriptions cannot be read.
    public func run(
        _ inputs: [String], limits: FetchLimits = FetchLimits(), fetching: Bool = true,
        report: (SubscribeOutcome) async -> Void
    ) async throws {
        let finder = FeedFinder(
            ask: AskFeed(fetcher: fetcher, makeParser: makeParser, findFeedLinks: findFeedLinks), directories: directories,
            podcasts: podcasts, episodes: episodes, clock: clock, limits: limits)
        guard fetching else {
            var answers: [FeedFinder.Answer] = []
            for input in inputs { answers.append(await finder.find(input, fetching: false)) }
            for outcome in await store(answers) { await report(outcome) }
            return
        }
        var ended: [Int: FeedFinder.Answer] = [:]
        var (started, running, next) = (0, 0, 0)
        await withTaskGroup(of: (Int, FeedFinder.Answer).self) { group in
            while true {
                while started < inputs.count, running < Self.concurrency, started < next + Self.window, !Task.isCancelled {
                    let (number, input) = (started, inputs[started])
                    started += 1
                    running += 1
                    group.addTask { (number, await finder.find(input, fetching: true)) }
                }
                guard let (number, answer) = await group.next() else { break }
                running -= 1
                ended[number] = answer
                var answers: [FeedFinder.Answer] = []
                while let answer = ended.removeValue(forKey: next) {
                    answers.append(answer)
                    next += 1
                }
                for outcome in await store(answers) { await report(outcome) }
            }
        }
    }

    /// Stores what was found, all at once. A feed that was subscribed to meanwhile, or that another address led to before,
    /// exists already.
    private func store(_ answers: [FeedFinder.Answer]) async -> [SubscribeOutcome] {
        let new = answers.compactMap(\.subscription)
        var results: [Result<AddResult, any Error>]
        do {
            results = try await podcasts.add(new).map { .success($0) }
        } catch {
            // One bad file must not take the others with it: each on its own tells which.
            results = []
            for subscription in new {
                do {
                    results += try await podcasts.add([subscription]).map { .success($0) }
                } catch {
                    results.append(.failure(error))
                }
            }
        }
        // An index that cannot be written is brought in line by any later run.
        try? await index.apply(zip(new, results).compactMap { new, result in (try? result.get())?.indexChange(new) })
        var remaining = results[...]
        return answers.map { answer in
            guard answer.subscription != nil, let result = remaining.popFirst() else { return answer.outcome }
            var outcome = answer.outcome
            switch result {
            case .success(.added(let podcast)): outcome.podcast = podcast
            case .success(.existing(let podcast)):
                outcome = SubscribeOutcome(input: outcome.input, kind: .known, podcast: podcast)
            case .failure(let error): outcome = SubscribeOutcome(input: outcome.input, kind: .failed(SubscribeFailure(error)))
            }
            return outcome
        }
    }
}

extension FeedFinder.Answer {
    /// nil if there is nothing to store.
    fileprivate var subscription: NewSubscription? {
        guard case .subscribed = outcome.kind, let podcast = outcome.podcast else { return nil }
        return NewSubscription(podcast, changes: result?.news?.changes)
    }
}

extension AddResult {
    /// nil if there is nothing to index, or if the index must ask for all episodes: some were kept of an earlier
    /// subscription.
    fileprivate func indexChange(_ new: NewSubscription) -> IndexChange? {
        guard case .added(let podcast) = self, let changes = new.changes, podcast.id == changes.podcastID,
            changes.revision == 1
        else { return nil }
        return .episodes(of: podcast, after: 0, changes.channel ?? Channel(), changes.added)
    }
}

/// What became of one URL that was given to `subscribe`.
public struct SubscribeOutcome: Sendable {
    public enum Kind: Sendable {
        case subscribed
        /// The library has it already.
        case known
        case failed(SubscribeFailure)
    }

    /// As the user typed it, without password.
    public var input: String
    public var kind: Kind
    public var podcast: Podcast?
    /// Other feeds that the web page names.
    public var alternatives: [FeedLink] = []

    public init(input: String, kind: Kind, podcast: Podcast? = nil) {
        self.input = input
        self.kind = kind
        self.podcast = podcast
    }
}

public enum SubscribeFailure: Error, Sendable {
    /// Not a URL jimmy can fetch.
    case badURL
    case fetch(FetchFailure)
    case local(LocalFailure)
    case directory(any Error)

    init(_ error: any Error) {
        switch error {
        case let failure as FetchFailure: self = .fetch(failure)
        case is NotAFeed, is WebPage: self = .fetch(FetchFailure(error))
        default: self = LocalFailure(error).map { .local($0) } ?? .directory(error)
        }
    }
}
