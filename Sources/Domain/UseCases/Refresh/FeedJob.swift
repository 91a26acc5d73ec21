/// One URL to ask, and the podcasts that live there: mostly one.
struct FeedJob: Hosted {
    var podcasts: [Podcast]
    let hostKey: String
    let lane: WorkLane?
    let claimedAt = ContinuousClock.now

    init(_ podcast: Podcast, hostKey: String, lane: WorkLane? = nil) {
        podcasts = [podcast]
        (self.hostKey, self.lane) = (hostKey, lane)
    }

    /// The one that stands for all.
    var lead: Podcast { podcasts[0] }

    /// What all its podcasts have of the feed; nil if they differ, or have nothing.
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
