public import Domain
public import Results

/// Times of listening: episode, when it began, podcast, title, and how much was heard.
public struct HistoryView: View {
    let heard: [HeardEpisode]

    public init(_ heard: [HeardEpisode]) { self.heard = heard }

    public static let nothing = "Nothing was heard."

    public var episodeIDs: [EpisodeID] { heard.map(\.listed.episode.id) }

    public func lines(for display: Display) -> [String] {
        var table = Table([
            .init("ID"), .init("HEARD"), .init("PODCAST", minimum: 10), .init("TITLE", minimum: 16, isName: true),
            .init("TIME", rightAligned: true),
        ])
        table.rows = heard.map { heard in
            let title = heard.listed.episode.item.title
            return [
                .init(display.shown(heard.listed.episode.id), style: .dim),
                .init(heard.span.at.relative(to: display.now), pipe: heard.span.at.description),
                .init(heard.listed.podcast.displayTitle), .init(title ?? "(no title)", pipe: title ?? "", style: .bold),
                .init(formattedDuration(heard.span.seconds)),
            ]
        }
        return table.lines(for: display)
    }

    public func jsonLines(_ emit: (String) -> Void) { for heard in heard { emit(jsonLine(Row(heard: heard))) } }

    private struct Row: Fields {
        let heard: HeardEpisode

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            EpisodeRow(heard.listed).visit(&visitor)
            visitor.time("heardAt", heard.span.at)
            visitor.number("seconds", heard.span.seconds)
        }
    }
}
