public import Domain
public import Results

/// The result for one URL: a line for the podcast, and notes.
public struct SubscribeView: View {
    let outcome: SubscribeOutcome
    let user: String?

    /// - Parameter user: the user who signs in; nil for none.
    public init(_ outcome: SubscribeOutcome, user: String? = nil) {
        self.outcome = outcome
        self.user = user
    }

    public var podcastIDs: [PodcastID] { [outcome.podcast?.id].compactMap(\.self) }

    public func lines(for display: Display) -> [String] {
        guard let podcast = outcome.podcast else { return [] }
        guard display.isTerminal else {
            return ["\(podcast.id)\t\(podcast.displayTitle.oneLine)\t\(podcast.episodeCount)"]
        }
        let id = display.styled(display.shown(podcast.id), .dim)
        let title = display.styled(podcast.displayTitle.oneLine, .bold)
        let note: String =
            switch outcome.kind {
            case .existing: "; already subscribed"
            default: ""
            }
        let count = podcast.episodesRevision == 0 ? "not fetched yet" : counted(podcast.episodeCount, "episode")
        return display.fitted("\(id)  \(title)  \(count)\(note)")
    }

    public func jsonLines(_ emit: (String) -> Void) {
        if let podcast = outcome.podcast { emit(jsonLine(PodcastFields(podcast))) }
    }

    public var failure: FailureLine? {
        guard case .failed(let failure) = outcome.kind else { return nil }
        guard case .fetch(let refusal) = failure, let advice = refusal.loginAdvice(at: outcome.input) else {
            return FailureLine(failure, doing: outcome.input)
        }
        return FailureLine(refusal, doing: outcome.input, advice: advice)
    }

    /// Other feeds that the page names, ready to copy; and that an existing podcast did not get another user.
    public var notes: [String] {
        if case .existing = outcome.kind, let user, let podcast = outcome.podcast {
            return ["Its sign-in stays as it was; 'jimmy edit \(podcast.id) --user \(user.oneLine)' changes it."]
        }
        guard !outcome.alternatives.isEmpty else { return [] }
        return ["The page links to other feeds too:"]
            + outcome.alternatives.map { "  \($0.url.oneLine)" + ($0.title.map { "  \($0.oneLine)" } ?? "") }
    }
}
