public import Domain

/// Counts podcasts and determines their health, without opening an episode file.
public struct LoadStatus: Sendable {
    let podcasts: any PodcastRepository
    let work: any WorkSource
    let queue: any QueueRepository
    let reconcile: ReconcileIndex

    public init(
        podcasts: any PodcastRepository, work: any WorkSource, queue: any QueueRepository, reconcile: ReconcileIndex
    ) {
        self.podcasts = podcasts
        self.work = work
        self.queue = queue
        self.reconcile = reconcile
    }

    /// Counts, without a record for each podcast.
    public func callAsFunction(now: Timestamp) async throws -> LibraryStatus {
        LibraryStatus(
            overview: try await podcasts.overview(now: now), queued: try await queue.entries().count,
            lastRefresh: try await work.lastRefresh())
    }

    /// Also lists every podcast with its health, and asks the index.
    public func detailed(now: Timestamp) async throws -> LibraryStatus {
        var status = try await self(now: now)
        status.podcasts = try await FetchPodcasts(podcasts: podcasts)().map { ($0, Health(of: $0, now: now)) }
        status.backlog = status.podcasts.count {
            Schedule.verdict(for: $0.podcast, mode: .due, isNamed: false, pause: nil, now: now) == .fetch
        }
        status.activity = try await work.activity()
        status.outdatedInIndex = try? await reconcile.outdatedCount()
        return status
    }
}
