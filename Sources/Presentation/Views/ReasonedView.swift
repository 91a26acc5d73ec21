public import Domain
public import Results

/// Episodes with a reason: similar ones and suggestions.
public struct ReasonedView: View {
    private let rows: [Row]

    public init(_ episodes: [SimilarEpisode]) {
        rows = episodes.map {
            Row(listed: $0.listed, score: $0.score, reason: "Both have: " + $0.terms.joined(separator: ", "), terms: $0.terms)
        }
    }

    public init(_ episodes: [SuggestedEpisode]) {
        rows = episodes.map { Row(listed: $0.listed, score: $0.score, reason: $0.reason) }
    }

    private struct Row: Fields {
        let listed: ListedEpisode
        let score: Double
        let reason: String
        /// The words in common, for similar episodes.
        var terms: [String] = []

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            EpisodeRow(listed).visit(&visitor)
            visitor.number("score", score)
            visitor.text("reason", reason)
            visitor.texts("terms", terms)
        }
    }

    public var episodeIDs: [EpisodeID] { rows.map(\.listed.episode.id) }

    public func lines(for display: Display) -> [String] {
        rows.flatMap { display.isTerminal ? block($0, display) : [record($0)] }
    }

    private func record(_ row: Row) -> String {
        let (episode, podcast) = (row.listed.episode, row.listed.podcast)
        return [
            episode.id.text, episode.item.publishedAt?.description ?? "", podcast.displayTitle, episode.item.title ?? "",
            row.terms.isEmpty ? row.reason : row.terms.joined(separator: ", "),
        ].map(\.oneLine).joined(separator: "\t")
    }

    private func block(_ row: Row, _ display: Display) -> [String] {
        let (episode, podcast) = (row.listed.episode, row.listed.podcast)
        let title = (episode.item.title ?? "(no title)").oneLine.truncated(to: display.width)
        let item = episode.item
        let facts = [item.numbering, episode.orderedAt?.relative(to: display.now), item.duration.map(formattedDuration)]
        return [display.styled(title, .bold)]
            + FactsLine.lines(display.shown(episode.id), podcast.displayTitle, facts, display)
            + row.reason.oneLine.wrapped(to: max(display.width - 2, 20)).map { "  " + $0 }
    }

    public func jsonLines(_ emit: (String) -> Void) { for row in rows { emit(jsonLine(row)) } }

    /// The messages if there is nothing to show.
    public static let nothingSimilar = "No similar episodes."
    public static let nothingToSuggest = "Nothing to suggest: there are no unheard episodes."
}

extension SuggestedEpisode {
    /// The reasons as one sentence.
    public var reason: String {
        let text = reasons.map(\.words).joined(separator: "; ")
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}

extension SuggestedEpisode.Reason {
    fileprivate var words: String {
        switch self {
        case .starred: "you starred it"
        case .podcast(let starred, let played, let queued):
            "you "
                + [("starred", starred), ("played", played), ("queued", queued)].filter { $0.1 > 0 }
                .map { "\($0.0) \(grouped($0.1))" }.joined(separator: " and ") + " of its podcast's episodes"
        case .like(let title, let terms): "like “\(title)”: \(terms.joined(separator: ", "))"
        case .newest: "the newest of its podcast that you have not heard"
        case .unheard: "you have not heard it"
        case .fresh(0): "published today"
        case .fresh(1): "published yesterday"
        case .fresh(let days): "published \(days) days ago"
        case .rare(let days): "its podcast publishes about every \(days) days"
        }
    }
}
