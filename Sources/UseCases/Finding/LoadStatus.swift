public import Domain
public import Results
import Scheduling
public import Searching

/// Counts podcasts and determines their health, without opening an episode file.
public struct LoadStatus: Sendable {
    let library: Repositories
    let reconcile: ReconcileIndex
    let index: any SearchIndex

    public init(_ library: Repositories, reconcile: ReconcileIndex, index: any SearchIndex) {
        self.library = library
        self.index = index
        self.reconcile = reconcile
    }

    /// Counts, without a record for each podcast.
    public func callAsFunction(now: Timestamp) async throws -> LibraryStatus {
        // Together they take one round trip to a server.
        async let queue = library.queue.entries()
        async let lastRefresh = library.work.lastRefresh()
        return LibraryStatus(
            overview: try await library.podcasts.overview(now: now), queued: try await queue.count,
            lastRefresh: try await lastRefresh)
    }

    /// Also lists every podcast with its health, and asks the index.
    public func detailed(now: Timestamp) async throws -> LibraryStatus {
        var status = try await self(now: now)
        status.podcasts = try await FetchPodcasts(library)().map { ($0, Health(of: $0, now: now)) }
        status.backlog = status.podcasts.count {
            Schedule.verdict(for: $0.podcast, mode: .due, isNamed: false, pause: nil, now: now) == .fetch
        }
        status.activity = try await library.work.activity()
        if let published = try? await index.count(matching: SearchRequest(text: "source:published")),
            let home = try? await index.count(matching: SearchRequest(text: "source:home"))
        {
            status.transcribed = (published, home)
        }
        status.outdatedInIndex = try? await reconcile.outdatedCount()
        return status
    }
}
