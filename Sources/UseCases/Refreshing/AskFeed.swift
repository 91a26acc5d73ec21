import Comparing
import Domain

/// Fetches one feed and parses the body as it arrives. Each URL is requested once per run, at every hop.
struct AskFeed: Sendable {
    let fetcher: any FeedFetching
    let makeParser: MakeFeedParser
    let politeness: Politeness
    /// Records which answers were shared; nil if nothing is recorded.
    var journal: (any RunJournal)?
    /// Counts the bytes of bodies while they are read, and holds bodies back while it is spent; nil for no limit.
    var budget: ByteBudget?
    /// Measures the parser.
    var meter: RunMeter?
    /// The recorded run that is replayed; nil if servers are asked.
    let script: (any RunScript)?
    /// Finds the feeds that a web page names; nil if web pages are simply refused.
    var findFeedLinks: FindFeedLinks?
    private let shared: SharedAnswers<Answer>

    /// The result of a visit.
    private struct Answer: Sendable {
        var result: Result<FeedAnswer, any Error>
        /// The digest of the feed that the visit's podcasts had before, which a 304 confirms.
        var before: ContentDigest?
    }

    init(
        fetcher: any FeedFetching, makeParser: @escaping MakeFeedParser, politeness: Politeness,
        findFeedLinks: FindFeedLinks? = nil, script: (any RunScript)? = nil
    ) {
        self.fetcher = fetcher
        self.makeParser = makeParser
        self.politeness = politeness
        self.findFeedLinks = findFeedLinks
        self.script = script
        shared = SharedAnswers(remembering: script?.sharedVisits)
    }

    /// - Parameters:
    ///   - digest: the digest of the stored feed. Another fetch's 304 is shared only if it had the same.
    ///   - subject: the id of the podcast.
    func callAsFunction(
        _ request: FetchRequest, knowing digest: ContentDigest?, for subject: String = ""
    ) async throws -> FeedAnswer {
        let visit = visit(for: subject, sharing: shared.urls)
        let result: Result<FeedAnswer, any Error>
        do {
            var answer = try await ask(request, visit)
            if case .shared = answer.response.body {
                let others = try await sharedAnswer(answer.response, visit, knowing: digest)
                // The shared answer may not suit this request, which is then sent itself.
                if let others { answer = others } else { answer = try await ask(request, self.visit(for: subject)) }
            }
            result = .success(answer)
        } catch {
            result = .failure(error)
        }
        shared.publish(Answer(result: result, before: digest), size: (try? result.get().size) ?? 0, for: visit)
        return try result.get()
    }

    private func visit(for subject: String, sharing urls: SharedURLs? = nil) -> Visit {
        guard let script else { return politeness.visit(for: subject, sharing: urls) }
        return politeness.visit(for: subject, recordedAs: script.nextVisit(for: subject))
    }

    /// The answer of another fetch for the URL at which this one stopped; nil if it does not suit this request.
    private func sharedAnswer(
        _ response: FetchResponse, _ visit: Visit, knowing digest: ContentDigest?
    ) async throws -> FeedAnswer? {
        let answer: Answer
        if let script {
            // The owner of the answer was asked before.
            guard let published = script.owner(ofAnswerFor: visit.number).flatMap(shared.published) else { return nil }
            answer = published
        } else {
            guard let (sharedAnswer, owner) = await shared.answer(at: response.finalURL, for: visit) else { return nil }
            journal?.shared(visit.number, answerOf: owner)
            answer = sharedAnswer
        }
        switch answer.result {
        case .success(let feed):
            guard feed.feed != nil || (digest != nil && digest == answer.before) else { return nil }
            return feed.reached(at: response.finalURL, by: response.redirects)
        case .failure(var failure as FetchFailure):
            failure.redirects = response.redirects + failure.redirects.drop { $0.from != response.finalURL }
            throw failure
        case .failure(let error):
            throw error
        }
    }

    private func ask(_ request: FetchRequest, _ visit: Visit) async throws -> FeedAnswer {
        var parser: (any FeedParsing)?
        var hints = ParseHints()
        var size = 0
        var page: [UInt8] = []
        var request = request
        if let budget { request.admitBody = { await budget.waitForRoom() } }
        defer { budget?.arrived(-size) }
        let response = try await fetcher.fetch(request, visit) { head, bytes in
            size += bytes.count
            budget?.arrived(bytes.count)
            if parser == nil {
                hints = ParseHints(baseURL: head.url, contentType: head.headers.contentType, link: head.headers.link)
            }
            let current = parser ?? makeParser(hints)
            parser = current
            if let meter { meter.measure(.parse, for: visit.subject) { current.push(bytes) } } else { current.push(bytes) }
            if findFeedLinks != nil, page.count < Self.pageLimit { page += bytes.prefix(Self.pageLimit - page.count) }
        }
        guard case .received = response.body else { return FeedAnswer(response: response) }
        do {
            let last = parser ?? makeParser(hints)
            let feed = try meter?.measure(.parse, for: visit.subject) { try last.finish() } ?? last.finish()
            return FeedAnswer(response: response, feed: feed, size: size)
        } catch let reason as NotAFeed {
            let links = reason == .html ? findFeedLinks?(page, hints) : nil
            // A page that names feeds is one, whoever guards it.
            if let links, !links.isEmpty { throw WebPage(links: links) }
            let wall = BotWall.challenge(response.headers)
            // A server that has no feed yet says so by its status.
            if wall != nil || response.status > 200 {
                throw FetchFailure(
                    .http, status: response.status, detail: wall, redirects: response.redirects, headers: response.headers,
                    milliseconds: response.milliseconds)
            }
            if let links { throw WebPage(links: links) }
            throw reason
        }
    }

    /// Bytes of a web page that are searched for links to feeds, which are in its head.
    private static let pageLimit = 2 << 20
}

/// A server's answer, parsed and digested once for all podcasts at its URL.
struct FeedAnswer: Sendable {
    private(set) var response: FetchResponse
    let feed: ParsedFeed?
    /// Bytes of the decoded body.
    let size: Int
    let itemDigests: [ContentDigest]
    let channelDigest: ContentDigest
    let digest: ContentDigest

    init(response: FetchResponse, feed: ParsedFeed? = nil, size: Int = 0) {
        let feed = feed?.withoutOpenItem
        self.response = response
        self.feed = feed
        self.size = size
        itemDigests = feed.map { feed in feed.items.map { $0.digest } } ?? []
        channelDigest = ContentDigest(of: feed?.channel.withoutBuildDates ?? Channel())
        digest = ContentDigest.feed(channel: channelDigest, items: itemDigests)
    }

    /// Approximate bytes in memory: even a small feed has a channel with all its fields.
    var weight: Int { feed == nil ? 0 : size + Self.channelWeight }

    /// The weight with only `count` of the items.
    func weight(ofItems count: Int) -> Int { size * count / max(1, itemDigests.count) + Self.channelWeight }

    private static let channelWeight = 8 << 10

    /// True if the feed has changed although its validators are those that were just answered by a 304.
    func contradicts(_ before: FetchState) -> Bool {
        guard feed != nil, before.notModifiedInARow > 0, let validators = before.validators,
            let digestBefore = before.contentDigest
        else { return false }
        return digest != digestBefore && validators.url == response.finalURL && validators.etag == response.headers.etag
            && validators.lastModified == response.headers.lastModified
    }

    /// The same answer for a fetch that came by other redirects, joining its way at `url`.
    func reached(at url: String, by redirects: [Redirect]) -> FeedAnswer {
        var copy = self
        copy.response.redirects = redirects + response.redirects.drop { $0.from != url }
        return copy
    }
}
