/// Asks for one feed, and parses the body as it arrives. In one run each URL is asked once.
struct AskFeed: Sendable {
    let fetcher: any FeedFetching
    let makeParser: MakeFeedParser
    /// Hosts that are not asked, not even where a redirect leads there.
    var pauses: HostPauses?
    /// Reads which feeds a web page names, where pages are of interest.
    var findFeedLinks: FindFeedLinks?
    let shared = SharedAnswers()

    /// - Parameter digest: what those who ask hold of the feed: a 304 that another fetch got is theirs only if it held the same.
    func callAsFunction(_ request: FetchRequest, knowing digest: ContentDigest?) async throws -> FeedAnswer {
        let ticket = await shared.ticket()
        var answer: FeedAnswer
        do {
            if let pause = pauses?.pause(at: request.url) { throw pause }
            if await shared.claim(request.url, for: ticket) {
                var sharing = request
                sharing.mayFollow = { url in
                    if pauses?.pause(at: url) != nil { return false }
                    return await shared.claim(url, for: ticket)
                }
                answer = try await ask(sharing)
            } else {
                answer = FeedAnswer(response: FetchResponse(body: .elsewhere, finalURL: request.url))
            }
            if case .elsewhere = answer.response.body {
                if let pause = pauses?.pause(at: answer.response.finalURL) { throw pause }
                let known = try await others(answer.response, for: ticket, knowing: digest)
                if let known { answer = known } else { answer = try await ask(request) }
            }
        } catch {
            await shared.publish(.init(result: .failure(error), before: digest), for: ticket)
            throw error
        }
        await shared.publish(.init(result: .success(answer), before: digest), for: ticket)
        return answer
    }

    /// What another fetch was told where this one stopped; nil where that is no answer for this one.
    private func others(
        _ response: FetchResponse, for ticket: SharedAnswers.Ticket, knowing digest: ContentDigest?
    ) async throws -> FeedAnswer? {
        guard let published = await shared.answer(at: response.finalURL, for: ticket) else { return nil }
        switch published.result {
        case .success(let answer):
            guard answer.feed != nil || (digest != nil && digest == published.before) else { return nil }
            return answer.reached(at: response.finalURL, by: response.redirects)
        case .failure(var failure as FetchFailure):
            failure.redirects = response.redirects + failure.redirects.drop { $0.from != response.finalURL }
            throw failure
        case .failure(let error):
            throw error
        }
    }

    private func ask(_ request: FetchRequest) async throws -> FeedAnswer {
        var parser: (any FeedParsing)?
        var hints = ParseHints()
        var size = 0
        var page: [UInt8] = []
        let response = try await fetcher.fetch(request) { head, bytes in
            size += bytes.count
            if parser == nil { hints = ParseHints(baseURL: head.url, contentType: head.headers.contentType) }
            let current = parser ?? makeParser(hints)
            parser = current
            current.push(bytes)
            if findFeedLinks != nil, page.count < Self.pageLimit { page += bytes.prefix(Self.pageLimit - page.count) }
        }
        guard case .received = response.body else { return FeedAnswer(response: response) }
        do {
            return FeedAnswer(response: response, feed: try (parser ?? makeParser(hints)).finish(), size: size)
        } catch NotAFeed.html where findFeedLinks != nil {
            throw WebPage(links: findFeedLinks?(page, hints) ?? [])
        }
    }

    /// Bytes of a web page that are searched for links to feeds, which stand in its head.
    private static let pageLimit = 2 << 20
}

/// Thrown for a web page in place of a feed, where pages are of interest.
struct WebPage: Error {
    /// The feeds that it names, in document order.
    let links: [FeedLink]
}

/// A server's answer, parsed and digested once for all podcasts that live there.
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

    /// Bytes that it keeps in memory, about: even a small feed has a channel with all its fields.
    var weight: Int { feed == nil ? 0 : size + (8 << 10) }

    /// Whether it brings something new under validators that answered 304 just before.
    func contradicts(_ before: FetchState) -> Bool {
        guard feed != nil, before.notModifiedInARow > 0, let validators = before.validators,
            let known = before.contentDigest
        else { return false }
        return digest != known && validators.url == response.finalURL && validators.etag == response.headers.etag
            && validators.lastModified == response.headers.lastModified
    }

    /// The same answer for one who came to it by other redirects, at one of the URLs on its way.
    func reached(at url: String, by redirects: [Redirect]) -> FeedAnswer {
        var copy = self
        copy.response.redirects = redirects + response.redirects.drop { $0.from != url }
        return copy
    }
}
