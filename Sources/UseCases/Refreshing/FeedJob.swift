import Domain
import Scheduling

/// One URL to fetch, and the podcasts at it, usually one.
struct FeedJob: Hosted {
    var podcasts: [Podcast]
    let hostKey: String
    let lane: WorkLane?
    let claimedAt = ContinuousClock.now

    init(_ podcast: Podcast, hostKey: String, lane: WorkLane? = nil) {
        podcasts = [podcast]
        (self.hostKey, self.lane) = (hostKey, lane)
    }

    /// The podcast that represents all.
    var lead: Podcast { podcasts[0] }

    /// The digest of the stored feed; nil if the podcasts differ or have none.
    var digest: ContentDigest? {
        podcasts.allSatisfy { $0.fetch.contentDigest == lead.fetch.contentDigest } ? lead.fetch.contentDigest : nil
    }

    func request(_ options: RefreshOptions, now: Timestamp) -> FetchRequest {
        var request = FetchRequest(url: lead.feedURL, credentials: lead.credentials, limits: lead.settings.limits(options.limits))
        request.userAgent = lead.settings.userAgent
        // Podcasts at one URL may have stored different answers; then only a full answer serves all.
        let states = podcasts.map(\.fetch)
        if options.mode != .force, let first = states.first {
            let isTrusted = !Schedule.doubtsNotModified(first, now: now)
            if isTrusted, states.allSatisfy({ $0.validators == first.validators }) { request.validators = first.validators }
            if states.allSatisfy({ $0.bodyHash == first.bodyHash }) { request.lastBodyHash = first.bodyHash }
        }
        return request
    }
}
