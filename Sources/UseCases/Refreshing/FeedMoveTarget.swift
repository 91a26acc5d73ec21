import Addresses
import Domain
import Scheduling

/// The new URL of a feed, and the answer there.
struct FeedMoveTarget: Sendable {
    var url: String
    var reason: FeedMove.Reason
    var answer: FeedAnswer
}

extension AskFeed {
    /// The feed's new URL: the one that itunes:new-feed-url names, or the end of its permanent redirects.
    func newHome(of job: FeedJob, _ answer: FeedAnswer, _ options: RefreshOptions) async -> FeedMoveTarget? {
        if let named = await namedHome(of: job, answer, options) { return named }
        guard let home = RedirectRule.movedURL(after: answer.response.redirects) else { return nil }
        return FeedMoveTarget(url: home, reason: .permanentRedirect, answer: answer)
    }

    /// The target of itunes:new-feed-url; nil if it does not work, or if the feed there names the old URL.
    private func namedHome(of job: FeedJob, _ answer: FeedAnswer, _ options: RefreshOptions) async -> FeedMoveTarget? {
        guard let current = WebURL(answer.response.finalURL), let named = answer.feed?.channel.newFeedURL,
            let next = try? RedirectRule.target(
                of: 301, from: current, location: named, followed: answer.response.redirects,
                limit: options.limits.maxRedirects), next.text != job.lead.feedURL
        else { return nil }
        var request = FetchRequest(url: next.text, limits: job.lead.settings.limits(options.limits))
        request.userAgent = job.lead.settings.userAgent
        if WebURL(job.lead.feedURL)?.sharesCredentials(with: next) == true { request.credentials = job.lead.credentials }
        guard let target = try? await self(request, knowing: nil, for: job.lead.id.text), let feed = target.feed else {
            return nil
        }
        let back = feed.channel.newFeedURL.flatMap { WebURL(target.response.finalURL)?.resolving($0)?.text }
        if let back, back == current.text || back == job.lead.feedURL { return nil }
        let home = RedirectRule.movedURL(after: target.response.redirects) ?? next.text
        return FeedMoveTarget(url: home, reason: .newFeedURL, answer: target)
    }
}

extension Podcast {
    /// True if the user moved the feed away from this URL; then no server moves it back.
    func wasTakenAway(from url: String) -> Bool {
        fetch.moves.first { $0.reason == .edited }?.from == url
    }

    mutating func move(to url: String, reason: FeedMove.Reason, at now: Timestamp) {
        fetch.record(FeedMove(at: now, from: feedURL, reason: reason))
        // Credentials belong to the server that asked for them.
        let isSameServer = WebURL(url).flatMap { WebURL(feedURL)?.sharesCredentials(with: $0) } ?? false
        if !isSameServer { credentials = nil }
        fetch.liesAboutNotModified = false
        feedURL = url
    }
}
