public import Domain
import Scheduling

/// When the next episodes are expected, soonest first.
public struct UpcomingView: View {
    private let rows: [Row]
    private let now: Timestamp

    /// The message if no episode is expected.
    public static let nothing = "No episode is expected: too few are known, or the podcasts have been silent for long."

    /// - Parameter podcasts: those of which nothing is expected are left out.
    public init(_ podcasts: [Podcast], now: Timestamp) {
        self.now = now
        rows = podcasts.compactMap { podcast in
            ExpectedEpisode(of: podcast, now: now).map {
                Row(podcast: podcast, expected: $0, windows: podcast.usualWindows(now: now))
            }
        }.sorted { ($0.expected.at, $0.podcast.id) < ($1.expected.at, $1.podcast.id) }
    }

    public var isEmpty: Bool { rows.isEmpty }

    public var podcastIDs: [PodcastID] { rows.map(\.podcast.id) }

    public func lines(for display: Display) -> [String] {
        var table = Table([
            .init("EXPECTED"), .init("ID"), .init("TITLE", minimum: 16, isName: true), .init("USUALLY", minimum: 24),
        ])
        table.rows = rows.map { row in
            [
                .init(
                    row.expected.words(now: now), pipe: row.expected.at.description,
                    style: row.expected.isLate ? .attention : nil),
                .init(display.shown(row.podcast.id), style: .dim), .init(row.podcast.displayTitle, style: .bold),
                .init(row.windows.isEmpty ? "no fixed hour" : row.windows.map(\.words).joined(separator: "; "), style: .dim),
            ]
        }
        return table.lines(for: display)
    }

    public func jsonLines(_ emit: (String) -> Void) {
        for row in rows { emit(jsonLine(row)) }
    }

    private struct Row: Fields {
        let podcast: Podcast
        let expected: ExpectedEpisode
        let windows: [PublishingHabit.Window]

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("id", podcast.id.text)
            visitor.text("title", podcast.displayTitle)
            visitor.time("expectedAt", expected.at)
            visitor.flag("hasHour", expected.hasHour)
            visitor.flag("late", expected.isLate ? true : nil)
            visitor.time("nextDueAt", podcast.fetch.nextDueAt)
            visitor.objects("windows", windows.map(WindowFields.init))
        }
    }
}
