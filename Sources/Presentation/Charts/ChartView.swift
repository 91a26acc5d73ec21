import Domain
public import Results

/// Charts of published episodes and of servers' responses.
///
/// In a pipe: `week`, Monday, episodes, minutes, minutes heard; `hour`, weekday (0 is Sunday), hour, episodes; `podcast`, id, title, episodes, minutes, minutes heard; `day`, date, fetches, failed,
/// milliseconds; `answers`, id, title, fetches, failed, milliseconds.
public struct ChartView: View {
    let activity: LibraryActivity

    public init(_ activity: LibraryActivity) { self.activity = activity }

    /// An SVG document for a browser.
    public var svg: String { FigureSVG(figures(columns: 130)).text }

    public func lines(for display: Display) -> [String] {
        guard display.isTerminal else { return records }
        return Array(figures(columns: display.width - 8).map { $0.lines(for: display) }.joined(separator: [""]))
    }

    /// Empty charts are omitted, except the first.
    private func figures(columns: Int) -> [Figure] {
        var figures = [Figure.weeks(activity.weeks, columns: columns)]
        let published = activity.shares.filter { $0.episodes > 0 }
        if activity.hours.contains(where: { $0 > 0 }) { figures.append(.hours(activity.hours)) }
        if !published.isEmpty { figures.append(.published(published)) }
        let heard = activity.shares.filter { $0.heard > 0 }
        if !heard.isEmpty { figures.append(.heard(heard.sorted { $0.heard > $1.heard })) }
        if activity.days.contains(where: { $0.fetches > 0 }) { figures.append(.days(activity.days)) }
        if !activity.answers.isEmpty { figures.append(.answers(activity.answers)) }
        return figures
    }

    private var records: [String] {
        func minutes(_ seconds: Double) -> String { String(Int((min(seconds, 1e12) / 60).rounded())) }
        func day(_ time: Timestamp) -> String { String(time.description.prefix(10)) }
        var rows = activity.weeks.map {
            ["week", day($0.start), String($0.episodes), minutes($0.seconds), minutes($0.heard)]
        }
        rows += hourRows.map { ["hour", String($0.weekday), String($0.hour), String($0.episodes)] }
        rows += activity.shares.map {
            [
                "podcast", $0.podcast.id.text, $0.podcast.displayTitle, String($0.episodes), minutes($0.seconds),
                minutes($0.heard),
            ]
        }
        rows += activity.days.map {
            ["day", day($0.start), String($0.fetches), String($0.failed), $0.milliseconds.map(String.init) ?? ""]
        }
        rows += activity.answers.map {
            [
                "answers", $0.podcast.id.text, $0.podcast.displayTitle, String($0.fetches), String($0.failed),
                $0.milliseconds.map(String.init) ?? "",
            ]
        }
        return rows.map { $0.map(\.oneLine).joined(separator: "\t") }
    }

    /// The hours of the week in which episodes came; weekdays from 0 (Sunday).
    private var hourRows: [HourFields] {
        activity.hours.indices.filter { activity.hours[$0] > 0 }.map {
            HourFields(weekday: ($0 / 24 + 1) % 7, hour: $0 % 24, episodes: activity.hours[$0])
        }
    }

    private struct HourFields: Fields {
        let weekday: Int
        let hour: Int
        let episodes: Int

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.integer("weekday", weekday)
            visitor.integer("hour", hour)
            visitor.integer("episodes", episodes)
        }
    }

    public func jsonLines(_ emit: (String) -> Void) { emit(jsonLine(Row(activity: activity, hours: hourRows))) }

    private struct Row: Fields {
        let activity: LibraryActivity
        let hours: [HourFields]

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.objects(
                "weeks",
                activity.weeks.map { Entry(start: $0.start, episodes: $0.episodes, seconds: $0.seconds, heard: $0.heard) })
            visitor.objects("hours", hours)
            visitor.objects(
                "podcasts",
                activity.shares.map { Entry(podcast: $0.podcast, episodes: $0.episodes, seconds: $0.seconds, heard: $0.heard) })
            visitor.objects(
                "days",
                activity.days.map {
                    Entry(start: $0.start, fetches: $0.fetches, failed: $0.failed, milliseconds: $0.milliseconds)
                })
            visitor.objects(
                "answers",
                activity.answers.map {
                    Entry(podcast: $0.podcast, fetches: $0.fetches, failed: $0.failed, milliseconds: $0.milliseconds)
                })
        }
    }

    /// A row of any of the four lists; fields of the others are absent.
    private struct Entry: Fields {
        var start: Timestamp?
        var podcast: Podcast?
        var episodes: Int?
        var seconds: Double?
        var heard: Double?
        var fetches: Int?
        var failed: Int?
        var milliseconds: Int?

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.time("start", start)
            visitor.text("id", podcast?.id.text)
            visitor.text("title", podcast?.displayTitle)
            visitor.integer("episodes", episodes)
            visitor.number("seconds", seconds)
            visitor.number("heard", heard)
            visitor.integer("fetches", fetches)
            visitor.integer("failed", failed)
            visitor.integer("milliseconds", milliseconds)
        }
    }
}
