public import Domain

/// Episodes like one, each with the words that both have.
public struct SimilarView: View {
    let episodes: [SimilarEpisode]

    public init(_ episodes: [SimilarEpisode]) { self.episodes = episodes }

    public func lines(for display: Display) -> [String] {
        episodes.flatMap { display.isTerminal ? block($0, display) : [record($0)] }
    }

    private func record(_ similar: SimilarEpisode) -> String {
        let (episode, podcast) = (similar.listed.episode, similar.listed.podcast)
        return [
            episode.id.text, episode.item.publishedAt?.description ?? "", podcast.displayTitle, episode.item.title ?? "",
            similar.terms.joined(separator: ", "),
        ].map(\.oneLine).joined(separator: "\t")
    }

    private func block(_ similar: SimilarEpisode, _ display: Display) -> [String] {
        let (episode, podcast) = (similar.listed.episode, similar.listed.podcast)
        let title = (episode.item.title ?? "(no title)").oneLine.truncated(to: display.width)
        let facts = [podcast.displayTitle, episode.item.publishedAt?.relative(to: display.now), episode.item.duration.map(clock)]
            .compactMap { $0?.oneLine }.joined(separator: ", ")
        let room = max(display.width - episode.id.text.count - 4, 0)
        return [
            display.styled(title, .bold),
            "  \(display.styled(episode.id.text, .dim))  \(facts.truncated(to: room))",
        ] + similar.reason.oneLine.wrapped(to: max(display.width - 2, 20)).map { "  " + $0 }
    }

    public func jsonLines(_ emit: (String) -> Void) {
        for similar in episodes { emit(jsonLine(Row(similar: similar))) }
    }

    private struct Row: Fields {
        let similar: SimilarEpisode

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            EpisodeRow(similar.listed).visit(&visitor)
            visitor.number("score", similar.score)
            visitor.text("reason", similar.reason)
            visitor.texts("terms", similar.terms)
        }
    }

    /// What to say if there is nothing to show.
    public static let nothing = "No episode is like it."
}

extension SimilarEpisode {
    fileprivate var reason: String { "Both have: " + terms.joined(separator: ", ") }
}
