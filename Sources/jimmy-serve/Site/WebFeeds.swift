import Composition
import Domain
import Presentation
import Results
import UseCases

/// Fetches URLs that strangers choose or that are typed into a page: from the public internet, and from other hosts
/// only if a subscribed feed is there.
struct WebFeeds: Sendable {
    private let fetcher: any FeedFetching
    private let runs: PoliteRuns

    init(_ composition: Composition, podcasts: any PodcastRepository) {
        runs = PoliteRuns { composition.politeness() }
        fetcher = composition.guardedFetcher { host in
            var isSubscribed = false
            try? await podcasts.forEach { podcast in
                isSubscribed = podcast.hostKey == host
                return !isSubscribed
            }
            return isSubscribed
        }
    }

    /// Fetches a picture.
    func picture(at url: String, limits: FetchLimits) async -> Covers.Picture {
        var request = FetchRequest(url: url, limits: limits)
        request.accept = "image/webp,image/jpeg,image/png,image/*;q=0.8"
        var bytes: [UInt8] = []
        do {
            _ = try await fetcher.fetch(request, runs.current.visit()) { _, piece in bytes += piece }
        } catch {
            let failure = FetchFailure(error)
            let isAway = failure.isUnreachable && failure.detail != .localAddress
            return isAway || error is HostPaused ? .later : .none
        }
        return .bytes(bytes)
    }

    /// Sends a form. Returns true if the server accepted it.
    func send(_ form: String, to url: String) async -> Bool {
        var request = FetchRequest(url: url)
        (request.form, request.accept, request.limits.timeout) = (form, "*/*", 20)
        do {
            _ = try await fetcher.fetch(request, runs.current.visit()) { _, _ in }
            return true
        } catch let failure as FetchFailure {
            return failure.status.map { (200...299).contains($0) } ?? false
        } catch {
            return false
        }
    }

    /// Fetches what a person asks for now.
    func politely<Result>(_ body: (Politeness, any FeedFetching) async throws -> Result) async rethrows -> Result {
        try await runs.separately { try await body($0, fetcher) }
    }

    /// - Throws: `SubscribeFailure`, `LibraryFailure`.
    func preview(_ text: String, in library: OpenLibrary, limits: FetchLimits) async throws -> SubscribePreview {
        try await runs.separately { politeness in
            try await library.subscribe(by: fetcher).preview(text, politeness, limits: limits)
        }
    }

    /// - Throws: `LibraryFailure`.
    func subscribe(
        to text: String, in library: OpenLibrary, limits: FetchLimits, newOnSubscribe: Int
    ) async throws -> SubscribeOutcome {
        let outcomes = try await runs.separately { politeness in
            var outcomes: [SubscribeOutcome] = []
            try await library.subscribe(by: fetcher).run([text], politeness, limits: limits, newOnSubscribe: newOnSubscribe) {
                outcomes.append($0)
            }
            return outcomes
        }
        return outcomes.first ?? SubscribeOutcome(input: text, kind: .failed(.badURL))
    }
}

extension Site {
    func preview(_ text: String) async throws -> SubscribePreview {
        try await feeds.preview(text, in: writer, limits: composition.settings.fetchLimits)
    }

    func subscribe(to text: String) async throws -> SubscribeOutcome {
        let settings = composition.settings
        return try await feeds.subscribe(
            to: text, in: writer, limits: settings.fetchLimits, newOnSubscribe: settings.newOnSubscribe.value)
    }
}
