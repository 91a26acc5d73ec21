public import Domain

/// The subscriptions, one per line.
public struct PodcastListView: View {
    let podcasts: [Podcast]
    /// Whether to show why the last fetch failed.
    let showsFailures: Bool

    /// The message if there are no subscriptions.
    public static let noSubscriptions =
        "No subscriptions yet. 'jimmy subscribe URL' adds one, 'jimmy discover WORDS' finds podcasts."

    /// The message if the list is empty.
    public static func nothing(failing: Bool, tag: String?) -> String {
        switch (failing, tag) {
        case (false, nil): noSubscriptions
        case (true, nil): "No podcast is failing."
        case (false, let tag?): "No podcast has the tag ‘\(tag.oneLine)’; 'jimmy edit PODCAST --tag TAG' adds one."
        case (true, let tag?): "No podcast with the tag ‘\(tag.oneLine)’ is failing."
        }
    }

    public init(_ podcasts: [Podcast], showingFailures: Bool = false) {
        self.podcasts = podcasts
        showsFailures = showingFailures
    }

    public var podcastIDs: [PodcastID] { podcasts.map(\.id) }

    public func lines(for display: Display) -> [String] {
        var table = Table([
            .init("ID"), .init("TITLE", minimum: 16, isName: true), .init("EPISODES", rightAligned: true), .init("LATEST"),
            .init("FEED", minimum: 12, onlyInPipe: true),
        ])
        if showsFailures { table.columns.append(.init("FAILING", minimum: 48)) }
        for podcast in podcasts {
            let state = podcast.fetch
            let isFailing = state.failure != nil || state.isGone
            var row: [Table.Cell] = [
                .init(display.shown(podcast.id), style: .dim),
                .init(podcast.displayTitle, style: isFailing ? .failed : .bold),
                .init(grouped(podcast.episodeCount), pipe: String(podcast.episodeCount)),
                .init(
                    podcast.latestEpisodeAt?.relative(to: display.now)
                        ?? (podcast.episodesRevision == 0 ? "not fetched yet" : ""),
                    pipe: podcast.latestEpisodeAt?.description ?? ""),
                .init(podcast.feedURL),
            ]
            if showsFailures {
                row.append(.init(podcast.fetch.failureWords(now: display.now), pipe: podcast.fetch.failureWords(now: nil)))
            }
            table.rows.append(row)
        }
        return table.lines(for: display)
    }

    public func jsonLines(_ emit: (String) -> Void) {
        for podcast in podcasts { emit(jsonLine(PodcastFields(podcast))) }
    }
}

/// A row of `podcasts --json`.
struct PodcastFields: Fields {
    let podcast: Podcast

    init(_ podcast: Podcast) { self.podcast = podcast }

    func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("id", podcast.id.text)
        visitor.text("title", podcast.displayTitle)
        visitor.text("feedURL", podcast.feedURL)
        visitor.text("author", podcast.author)
        visitor.integer("episodes", podcast.episodeCount)
        visitor.time("latestEpisodeAt", podcast.latestEpisodeAt)
        visitor.time("subscribedAt", podcast.subscribedAt)
        visitor.texts("tags", podcast.settings.tags)
        visitor.time("lastAttemptAt", podcast.fetch.lastAttemptAt)
        visitor.time("lastSuccessAt", podcast.fetch.lastSuccessAt)
        visitor.time("nextDueAt", podcast.fetch.isGone || podcast.settings.isPaused ? nil : podcast.fetch.nextDueAt)
        visitor.flag("paused", podcast.settings.isPaused ? true : nil)
        visitor.flag("gone", podcast.fetch.isGone ? true : nil)
        visitor.time("failingSince", podcast.fetch.failure?.since)
        visitor.object("error", podcast.fetch.failure.map(ErrorFields.init))
    }
}

/// `error` of the command's JSON.
struct ErrorFields: Fields {
    let failure: FetchFailure

    init(_ failure: FetchFailure) { self.failure = failure }
    init(_ state: FetchFailureState) { failure = state.failure }

    func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.text("code", failure.code.rawValue)
        visitor.integer("status", failure.status)
        visitor.text("message", failure.words)
    }
}

extension FetchFailureState {
    var failure: FetchFailure { FetchFailure(code, status: status, detail: detail) }
}

extension FetchState {
    /// `HTTP 404, not found; failing for 3 days`; nil if the last fetch succeeded.
    ///
    /// - Parameter now: nil for programs, which get the time when the failure began.
    func failureWords(now: Timestamp?) -> String? {
        if isGone { return "HTTP 410, gone for good" }
        guard let failure else { return nil }
        let lasting = now.map { failure.since.lasting(until: $0) } ?? "since \(failure.since)"
        return "\(failure.failure.words); \(lasting.map { "failing \($0)" } ?? "failed just now")"
    }
}
