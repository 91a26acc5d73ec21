import Domain
import Results

/// One chart, to be drawn on a terminal or as SVG.
package struct Figure {
    package enum Form {
        /// Vertical bars along a time axis.
        case columns([Double], labels: [(column: Int, text: String)])
        /// Horizontal bars, one per row.
        case bars([Bar])
        /// Cells that are darker the larger their value is; each row has as many columns.
        case heat([HeatRow])
    }

    package struct HeatRow {
        var label: String
        var values: [Int]

        package init(label: String, values: [Int]) { (self.label, self.values) = (label, values) }
    }

    package struct Bar {
        var label: String
        var value: Double
        /// The share of the value that failed, drawn in its own colour.
        var failed = 0.0
        /// The text after the bar.
        var text: String
        /// True if the text reports failures.
        var isFailing = false

        package init(label: String, value: Double, failed: Double = 0, text: String, isFailing: Bool = false) {
            (self.label, self.value, self.failed) = (label, value, failed)
            (self.text, self.isFailing) = (text, isFailing)
        }
    }

    var title: String
    /// Printed beside the title.
    var note: String
    var form: Form

    package init(title: String, note: String, form: Form) {
        (self.title, self.note, self.form) = (title, note, form)
    }
}

extension Figure {
    /// Episodes by week, with several weeks per column if there are more weeks than `columns`.
    static func weeks(_ weeks: [LibraryActivity.Week], columns: Int) -> Figure {
        let group = max(1, (weeks.count + columns - 1) / max(columns, 1))
        // Columns are filled from the end, so the first may cover fewer weeks.
        let first = weeks.count % group
        let starts = (first > 0 ? [0] : []) + Array(stride(from: first, to: weeks.count, by: group))
        let groups = starts.indices.map { weeks[starts[$0]..<($0 + 1 < starts.count ? starts[$0 + 1] : weeks.count)] }
        let byYear = weeks.count > 110
        var labels: [(Int, String)] = []
        var before: Int?
        for (column, weeks) in groups.enumerated() {
            guard let last = weeks.last?.start.parts else { continue }
            let period = byYear ? last.year : last.month
            if let before, before != period {
                labels.append((column, byYear ? String(last.year) : Timestamp.monthName(last.month)))
            }
            before = period
        }
        if labels.isEmpty, let start = weeks.first?.start { labels = [(0, start.shortDate)] }
        let total = weeks.reduce(0) { $0 + $1.episodes }
        return Figure(
            title: group == 1 ? "Episodes per week" : "Episodes per \(group) weeks",
            note:
                "\(counted(total, "episode")) of \(listening(weeks.reduce(0) { $0 + $1.seconds })) published, \(listening(weeks.reduce(0) { $0 + $1.heard })) heard in \(counted(weeks.count, "week"))",
            form: .columns(groups.map { Double($0.reduce(0) { $0 + $1.episodes }) }, labels: labels))
    }

    /// Episodes by weekday and hour of publication.
    static func hours(_ hours: [Int]) -> Figure {
        let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        let rows = days.enumerated().map { day, label in HeatRow(label: label, values: Array(hours[day * 24..<day * 24 + 24])) }
        let busiest = hours.indices.max { hours[$0] < hours[$1] } ?? 0
        let time = "\(days[busiest / 24]) \(busiest % 24 < 10 ? "0" : "")\(busiest % 24):00"
        return Figure(
            title: "When episodes come", note: "by hour of the week, UTC; most at \(time): \(grouped(hours[busiest]))",
            form: .heat(rows))
    }

    /// Published time by podcast, longest first.
    static func published(_ shares: [LibraryActivity.Share]) -> Figure {
        var bars = shares.prefix(Self.shown).map {
            Bar(label: $0.podcast.displayTitle.oneLine, value: $0.seconds, text: words($0.episodes, $0.seconds))
        }
        let others = shares.dropFirst(Self.shown)
        if !others.isEmpty {
            let (episodes, seconds) = others.reduce((0, 0.0)) { ($0.0 + $1.episodes, $0.1 + $1.seconds) }
            bars.append(Bar(label: "\(grouped(others.count)) more", value: 0, text: words(episodes, seconds)))
        }
        return Figure(title: "Hours published per podcast", note: counted(shares.count, "podcast"), form: .bars(bars))
    }

    /// Heard time by podcast, longest first.
    static func heard(_ shares: [LibraryActivity.Share]) -> Figure {
        let bars = shares.prefix(Self.shown).map {
            Bar(label: $0.podcast.displayTitle.oneLine, value: $0.heard, text: listening($0.heard))
        }
        return Figure(title: "Hours heard per podcast", note: counted(shares.count, "podcast"), form: .bars(bars))
    }

    /// Begins with the first day that has data.
    static func days(_ days: [LibraryActivity.Day]) -> Figure {
        let days = days.drop { $0.fetches == 0 }
        let fetches = days.reduce(0) { $0 + $1.fetches }
        let failed = days.reduce(0) { $0 + $1.failed }
        return Figure(
            title: "Fetches per day", note: "\(counted(fetches, "fetch", "fetches")), \(grouped(failed)) failed",
            form: .bars(
                days.map {
                    let time = $0.milliseconds.map { ", \(duration($0))" } ?? ""
                    return Bar(
                        label: "\($0.start.weekdayName) \($0.start.shortDate)", value: Double($0.fetches),
                        failed: Double($0.failed),
                        text: $0.fetches == 0 ? "" : grouped($0.fetches) + failures($0.failed) + time, isFailing: $0.failed > 0)
                }))
    }

    static func answers(_ answers: [LibraryActivity.Answers]) -> Figure {
        let bars = answers.prefix(Self.shown).map {
            Bar(
                label: $0.podcast.displayTitle.oneLine, value: Double($0.milliseconds ?? 0),
                text: ($0.milliseconds.map(duration) ?? "no answer") + failures($0.failed, of: $0.fetches),
                isFailing: $0.failed > 0)
        }
        return Figure(title: "Slowest podcasts", note: "the median time of their last responses", form: .bars(bars))
    }

    /// Most rows shown.
    private static let shown = 15

    private static func words(_ episodes: Int, _ seconds: Double) -> String {
        "\(listening(seconds)), \(counted(episodes, "episode"))"
    }

    private static func failures(_ count: Int, of total: Int? = nil) -> String {
        count == 0 ? "" : ", \(grouped(count))\(total.map { " of \(grouped($0))" } ?? "") failed"
    }

    private static func listening(_ seconds: Double) -> String {
        let minutes = Int((min(seconds, 1e12) / 60).rounded())
        return minutes < 60 ? "\(minutes) min" : "\(grouped(minutes / 60)) h \(minutes % 60) min"
    }

    private static func duration(_ milliseconds: Int) -> String {
        milliseconds < 1_000 ? "\(milliseconds) ms" : "\(milliseconds / 1_000).\(milliseconds / 100 % 10) s"
    }

    /// The smallest round number that is at least the largest value.
    static func ceiling(_ values: [Double]) -> Double {
        let largest = values.max() ?? 0
        var step = 1.0
        while true {
            for factor in [10.0, 12, 16, 20, 24, 30, 40, 50, 60, 80] where step * factor / 10 >= largest {
                let top = step * factor / 10
                if top == top.rounded() { return top }
            }
            step *= 10
        }
    }
}
