import Addresses
public import Domain

/// Keeps subscriptions and podcast apps in step: changes on either side are passed to the other.
public struct SyncAppSubscriptions: Sendable {
    private let podcasts: any PodcastRepository
    private let list: FetchPodcasts
    private let subscribe: ImportSubscriptions
    private let unsubscribe: UnsubscribeFromPodcast

    public init(_ library: Repositories, unsubscribe: UnsubscribeFromPodcast) {
        podcasts = library.podcasts
        list = FetchPodcasts(library)
        subscribe = ImportSubscriptions(library)
        self.unsubscribe = unsubscribe
    }

    /// Notes subscriptions that were changed without an app.
    public func note(in state: inout AppState, now: Timestamp) async throws {
        state.note(subscriptions: Set(try await list().map(\.feedURL)), now: now)
    }

    /// Applies what an app has added and removed. Podcasts are added without a fetch.
    ///
    /// - Returns: the addresses that were rewritten, with the new ones; an empty one stands for an invalid address.
    public func change(
        add: [String], remove: [String], in state: inout AppState, now: Timestamp
    ) async throws -> [(from: String, to: String)] {
        try await note(in: &state, now: now)
        var rewritten: [(from: String, to: String)] = []
        func address(_ text: String) -> String? {
            let url = FeedURL.parse(text).flatMap { WebURL($0.url)?.text }
            if url != text { rewritten.append((text, url ?? "")) }
            return url
        }
        // The text as sent may have a user and a password, which the address lacks.
        let outlines = add.filter { address($0) != nil }.map { OPMLOutline(feedURL: $0) }
        if !outlines.isEmpty { _ = try await subscribe(outlines, now: now) }
        let leaving = try await podcasts.podcasts(at: remove.compactMap(address))
        if !leaving.isEmpty { try await unsubscribe(leaving, keepingEpisodes: false, now: now) }
        try await note(in: &state, now: now)
        return rewritten
    }
}
