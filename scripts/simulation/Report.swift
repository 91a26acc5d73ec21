import Presentation

/// The outcomes as Markdown tables and as charts.
struct Report {
    let outcomes: [Outcome]

    private static let shown: [(name: String, rhythm: Rhythm)] = [
        ("daily", .daily), ("weekly", .weekly), ("dormant", .dormant),
    ]

    var tables: String {
        let load = outcomes.map { outcome in
            let largest = outcome.largest[0]
            return [
                outcome.plan.name, "\(count(outcome.requests)), \(count(outcome.peak))", "\(count(outcome.bytes / 1e6))",
                "\(rate(largest.requests)), \(rate(outcome.largest[9].requests))", "\(Int((largest.use * 100).rounded())) %",
                "\(count(outcome.rows)), \(count(outcome.roundTrips))", "\(outcome.workers)",
            ]
        }
        let delays = outcomes.map { outcome in
            [outcome.plan.name]
                + Self.shown.map { shown in
                    guard let delay = outcome.delays[shown.rhythm], delay.count > 0 else { return "–" }
                    return [delay.median, delay.p95, delay.p99].map(time).joined(separator: ", ")
                }
        }
        return table(
            [
                "feeds are asked", "requests/s, peak", "MB/s", "the largest host, the tenth (requests/s)", "its slots in use",
                "rows written/s, round trips/s at most", "workers",
            ], load) + "\n"
            + table(["from publication to discovery: median, 95 %, 99 %"] + Self.shown.map { "\($0.name) feeds" }, delays)
    }

    var charts: String {
        var figures = [
            bars("Requests a second", "") { ($0.requests, count($0.requests)) },
            bars("Requests a second to the largest host", "its slots in use") {
                ($0.largest[0].requests, "\(rate($0.largest[0].requests)), \(Int(($0.largest[0].use * 100).rounded())) %")
            },
        ]
        if let learned = outcomes.first(where: { $0.plan.interval == nil && $0.plan.knowsHours }) {
            let hosts = learned.largest.enumerated().map { place, host in
                Figure.Bar(label: "host \(place + 1)", value: host.requests, text: rate(host.requests))
            }
            figures.append(Figure(title: "The ten largest hosts", note: "requests a second, as learned", form: .bars(hosts)))
        }
        for (name, rhythm) in Self.shown {
            figures.append(
                bars("From publication to discovery: \(name) feeds", "bar: 95 %; median, 95 %, 99 %") {
                    guard let delay = $0.delays[rhythm], delay.count > 0 else { return (0, "–") }
                    return (delay.p95, [delay.median, delay.p95, delay.p99].map(time).joined(separator: ", "))
                })
        }
        figures.append(
            bars("Database: rows written a second", "round trips at most") {
                ($0.rows, "\(count($0.rows)), \(count($0.roundTrips))")
            })
        figures.append(bars("Workers", "of one core") { (Double($0.workers), "\($0.workers)") })
        return FigureSVG(figures).text
    }

    private func bars(_ title: String, _ note: String, _ value: (Outcome) -> (Double, String)) -> Figure {
        let bars = outcomes.map { outcome in
            let (value, text) = value(outcome)
            return Figure.Bar(label: outcome.plan.name, value: value, text: text)
        }
        return Figure(title: title, note: note, form: .bars(bars))
    }

    private func table(_ head: [String], _ rows: [[String]]) -> String {
        ([head, head.map { _ in "---" }] + rows).map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }

    private func count(_ value: Double) -> String { value < 10 ? rate(value) : grouped(Int(value.rounded())) }

    private func rate(_ value: Double) -> String {
        guard value < 100 else { return grouped(Int(value.rounded())) }
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    private func time(_ seconds: Double) -> String {
        switch seconds {
        case ..<100: "\(Int(seconds.rounded())) s"
        case ..<6_000: "\(Int((seconds / 60).rounded())) min"
        case ..<172_800: "\(rate(seconds / 3_600)) h"
        default: "\(rate(seconds / 86_400)) d"
        }
    }
}
