import Addresses
public import Domain
import Results
import Synchronization

/// Reads feeds again whose media URLs servers refuse: signed URLs expire, and the feed may have new ones.
public struct RenewMediaURLs: Sendable {
    private let refresh: RefreshEpisodes
    private let listing: ListEpisodes
    private let fetcher: any FeedFetching

    public init(refresh: RefreshEpisodes, listing: ListEpisodes, fetcher: any FeedFetching) {
        (self.refresh, self.listing, self.fetcher) = (refresh, listing, fetcher)
    }

    public struct Outcome: Sendable {
        /// Episodes whose feeds name another URL now.
        public var renewed: [ListedEpisode] = []
        /// Episodes whose feeds were read and name the same URL.
        public var unchanged: Set<EpisodeID> = []
    }

    /// For an episode that a player could not play: the episode with its feed's new URL if the server refuses the one that
    /// was played; nil otherwise.
    ///
    /// - Throws: `LibraryFailure`.
    public func afterPlaying(
        _ id: EpisodeID, _ options: RefreshOptions, _ politeness: Politeness
    ) async throws -> Episode? {
        guard let listed = try await listing.listed([id]).first, await isRefused(listed, politeness) else { return nil }
        return try await self([listed], options, politeness).renewed.first?.episode
    }

    private struct Reached: Error {}

    private func isRefused(_ listed: ListedEpisode, _ politeness: Politeness) async -> Bool {
        guard let url = listed.episode.item.chosenEnclosure?.url.flatMap(WebURL.init) else { return false }
        var request = FetchRequest(url: url.text)
        request.limits.timeout = 20
        request.userAgent = listed.podcast.settings.userAgent
        request.media = MediaRange()
        do {
            _ = try await fetcher.fetch(request, politeness.visit(for: listed.episode.id.text, ofMedia: true)) { _, _ in
                throw Reached()
            }
            return false
        } catch let failure as FetchFailure {
            return failure.isOfRefusedMedia
        } catch {
            return false
        }
    }

    /// Each feed is read once.
    ///
    /// - Throws: `LibraryFailure`.
    public func callAsFunction(
        _ refused: [ListedEpisode], _ options: RefreshOptions, _ politeness: Politeness
    ) async throws -> Outcome {
        var options = options
        (options.podcasts, options.mode) = (Set(refused.map(\.podcast.id)), .all)
        let read = Mutex<Set<PodcastID>>([])
        do {
            _ = try await refresh.run(options, politeness) { event in
                guard case .finished(let outcome) = event, outcome.kind != .failed, outcome.kind != .skipped else { return }
                _ = read.withLock { $0.insert(outcome.podcast.id) }
            }
        } catch LibraryFailure.locked {
            // Another refresh reads the feeds; the next download sees what it found.
            return Outcome()
        }
        let podcastsRead = read.withLock { $0 }
        var outcome = Outcome()
        let now = Dictionary(
            try await listing.listed(refused.map(\.episode.id)).map { ($0.episode.id, $0) },
            uniquingKeysWith: { first, _ in first })
        for episode in refused where podcastsRead.contains(episode.podcast.id) {
            let before = episode.episode.item.chosenEnclosure?.url
            if let current = now[episode.episode.id], let url = current.episode.item.chosenEnclosure?.url, url != before {
                outcome.renewed.append(current)
            } else {
                outcome.unchanged.insert(episode.episode.id)
            }
        }
        return outcome
    }
}
