import Addresses
import Domain
import Results

/// Finds the feed that the user's input leads to: a feed, a web page that names feeds, or a directory's page. Stores
/// nothing.
struct FeedFinder: Sendable {
    /// `result` holds the fetched feed; without it, only the podcast is stored.
    struct Answer: Sendable {
        var outcome: SubscribeOutcome
        var result: FeedResult?
    }

    /// Must have `findFeedLinks` set.
    let ask: AskFeed
    let library: Repositories
    let directories: [any PodcastDirectory]
    let clock: @Sendable () -> Timestamp
    let limits: FetchLimits
    let newOnSubscribe: Int
    /// For the address that was typed, instead of those in it; nil for none.
    var credentials: Credentials?

    /// A page may name any number of feeds, but the podcast is among the first few.
    private static let maxLinks = 8
    /// Pages that are followed one after another.
    private static let maxPages = 3

    /// - Parameter fetching: false uses the address as it is.
    func find(_ input: String, fetching: Bool) async -> Answer {
        guard var address = FeedURL.parse(input) else {
            return Answer(outcome: SubscribeOutcome(input: Self.withoutLogin(input), kind: .failed(.badURL)))
        }
        address.credentials = credentials ?? address.credentials
        do {
            if let podcast = try await library.podcasts.podcast(at: address.url) { return Answer(address, .existing, podcast) }
            guard fetching else { return Answer(address, .subscribed, try await newPodcast(at: address)) }
            return try await find(address)
        } catch let failure as FetchFailure where failure.isUnreachable {
            // No server answered over https, which was only assumed. Try http.
            if var guess = FeedURL.overHTTP(input) {
                guess.credentials = credentials ?? guess.credentials
                if let podcast = try? await library.podcasts.podcast(at: guess.url) { return Answer(guess, .existing, podcast) }
                if let answer = try? await find(guess) { return answer }
            }
            return Answer(address, .failed(.fetch(failure)))
        } catch {
            return Answer(address, .failed(SubscribeFailure(error)))
        }
    }

    private func find(_ address: FeedURL) async throws -> Answer {
        for directory in directories {
            guard let entry = try await directory.lookUp(page: address.url), let feed = FeedURL.parse(entry.feedURL) else {
                continue
            }
            if let podcast = try await library.podcasts.podcast(at: feed.url) { return Answer(address, .existing, podcast) }
            return try await find(feed)
        }
        var (result, alternatives) = try await feed(at: address)
        // A redirect on subscribing is not a move, since the old address was never stored.
        result.outcome.podcast.fetch.moves = []
        var answer = Answer(address, result)
        answer.outcome.alternatives = alternatives
        return answer
    }

    /// The feed at this address; for a web page, the first of its feeds with media files, else the first.
    private func feed(at address: FeedURL) async throws -> (FeedResult, alternatives: [FeedLink]) {
        var pages: Set<String> = [address.url]
        var page: WebPage
        do {
            return (try await result(for: address), [])
        } catch let webPage as WebPage {
            page = webPage
        }
        while true {
            var fallback: (FeedResult, FeedLink)?
            var next: WebPage?
            for link in page.links.prefix(Self.maxLinks) {
                // A web page must not lead to a file of this machine.
                guard let feed = FeedURL.parse(link.url), FeedURL.filePath(feed.url) == nil, !pages.contains(feed.url) else {
                    continue
                }
                do {
                    let candidate = try await result(for: feed)
                    let hasMedia = candidate.feedChanges?.changes.added.contains { !$0.item.enclosures.isEmpty } ?? false
                    if hasMedia { return (candidate, page.links.filter { $0 != link }) }
                    if fallback == nil { fallback = (candidate, link) }
                } catch let webPage as WebPage {
                    pages.insert(feed.url)
                    if next == nil { next = webPage }
                } catch {}
            }
            if let (candidate, link) = fallback { return (candidate, page.links.filter { $0 != link }) }
            // A page that forwards to another, or that names as its feed a page about feeds.
            guard let next, pages.count <= Self.maxPages else { throw NotAFeed.html }
            page = next
        }
    }

    private func result(for address: FeedURL) async throws -> FeedResult {
        var options = RefreshOptions()
        options.limits = limits
        options.newOnSubscribe = newOnSubscribe
        let feed = RefreshFeed(ask: ask, episodes: library.episodes, options: options)
        let job = FeedJob(try await newPodcast(at: address), hostKey: address.hostKey)
        let askedAt = clock()
        let reply = await feed.reply(to: job, askedAt: askedAt)
        if case .failure(let error) = reply { throw error }
        let asked = AskedFeed(job, reply, .asked, askedAt: askedAt, repliedAt: clock())
        guard let result = await feed.results(of: asked).first else { throw FetchFailure(.cancelled) }
        if let failure = result.outcome.failure { throw result.localFailure ?? failure }
        return result
    }

    private func newPodcast(at address: FeedURL) async throws -> Podcast {
        let id = try await library.podcasts.freeID(for: address.url)
        return Podcast(id: id, feedURL: address.url, credentials: address.credentials, subscribedAt: clock())
    }

    /// Hides what may be a password in text that is not a URL: all before the last `@`, except for the scheme.
    fileprivate static func withoutLogin(_ input: String) -> String {
        guard let at = input.lastIndex(of: "@") else { return input }
        let scheme = input[..<at].firstRange(of: "//").map { input[..<$0.upperBound] } ?? ""
        return scheme + "…" + input[at...]
    }
}

extension FeedFinder.Answer {
    static func failed(_ input: String, _ error: any Error) -> Self {
        let address = FeedURL.parse(input)?.url ?? FeedFinder.withoutLogin(input)
        return Self(outcome: SubscribeOutcome(input: address, kind: .failed(SubscribeFailure(error))))
    }

    fileprivate init(_ address: FeedURL, _ kind: SubscribeOutcome.Kind, _ podcast: Podcast? = nil) {
        self.init(outcome: SubscribeOutcome(input: address.url, kind: kind, podcast: podcast))
    }

    fileprivate init(_ address: FeedURL, _ result: FeedResult) {
        self.init(address, .subscribed, result.outcome.podcast)
        self.result = result
    }
}
