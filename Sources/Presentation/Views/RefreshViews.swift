public import Domain
import JSON

/// The result for one podcast; podcasts without changes have no line.
///
/// In a pipe: outcome, id, title, added, changed, withdrawn, and the error.
public struct RefreshOutcomeView: View {
    let outcome: RefreshOutcome

    public init(_ outcome: RefreshOutcome) { self.outcome = outcome }

    /// Only the note on a podcast that was skipped names it by its id.
    public var podcastIDs: [PodcastID] { outcome.kind == .skipped ? [outcome.podcast.id] : [] }
    public var episodeIDs: [EpisodeID] { outcome.added.prefix(Self.shownEpisodes).map(\.id) }

    private static let shownEpisodes = 3

    public func lines(for display: Display) -> [String] {
        guard display.isTerminal else { return plainLines }
        return terminalLines(display).flatMap(display.fitted)
    }

    private func terminalLines(_ display: Display) -> [String] {
        let title = outcome.podcast.displayTitle.oneLine
        switch outcome.kind {
        case .updated, .moved:
            var lines = outcome.kind == .moved ? ["\(display.styled(title, .bold)) moved to \(outcome.podcast.feedURL)"] : []
            if outcome.added.isEmpty {
                let parts = [(outcome.changed, "changed"), (outcome.withdrawn, "withdrawn")].filter { $0.0 > 0 }
                let what = parts.isEmpty ? "updated" : parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
                if outcome.kind == .updated { lines.append("\(display.styled(title, .bold))  \(what)") }
            } else {
                // The first fetch brings a whole catalogue, of which little or nothing is new.
                let new = display.styled("\(grouped(outcome.new.count)) new", .new)
                let count = outcome.new.isEmpty ? counted(outcome.added.count, "episode") : new
                lines.append("\(display.styled(title, .bold))  \(count)")
                let shown = outcome.added.prefix(Self.shownEpisodes)
                for episode in shown {
                    lines.append(
                        "  \(display.styled(display.shown(episode.id), .dim))  \((episode.item.title ?? "(no title)").oneLine)")
                }
                let remaining = outcome.added.count - shown.count
                if remaining > 0 { lines.append("  and \(remaining) more") }
            }
            return lines
        case .gone:
            return ["\(display.styled(title, .failed))  gone for good (HTTP 410)"]
        case .failed:
            return ["\(display.styled(title, .failed))  \(outcome.failure?.words ?? "failed")"]
        case .unchanged, .notModified, .skipped:
            return []
        }
    }

    /// Why a podcast that the user named was not fetched.
    public func note(isNamed: Bool, for display: Display) -> String? {
        guard isNamed, outcome.kind == .skipped else { return nil }
        let (podcast, title) = (outcome.podcast, outcome.podcast.displayTitle.oneLine)
        let id = display.shown(podcast.id)
        let force = "'jimmy refresh --force \(id)' fetches it anyway."
        switch outcome.skipReason {
        case .paused: return "\(title): skipped; you paused it. 'jimmy edit \(id) --resume' ends the pause, \(force)"
        case .gone: return "\(title): skipped; its server answered 410, gone. \(force)"
        case .notYet:
            let until = outcome.until.map { " until \(display.date($0))" } ?? ""
            return "\(title): skipped; its server asked for a pause\(until). \(force)"
        }
    }

    private var plainLines: [String] {
        switch outcome.kind {
        case .unchanged, .notModified, .skipped: []
        case .updated, .moved, .gone, .failed:
            [
                [
                    outcome.kind.rawValue, outcome.podcast.id.text, outcome.podcast.displayTitle.oneLine,
                    String(outcome.added.count), String(outcome.changed), String(outcome.withdrawn),
                    outcome.failure?.words ?? "",
                ].joined(separator: "\t")
            ]
        }
    }

    public func jsonLines(_ emit: (String) -> Void) { emit(jsonLine(Row(outcome: outcome))) }

    private struct Row: Fields {
        let outcome: RefreshOutcome

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("type", "podcast")
            visitor.text("id", outcome.podcast.id.text)
            visitor.text("feedURL", outcome.podcast.feedURL)
            visitor.text("title", outcome.podcast.displayTitle)
            visitor.text("outcome", outcome.kind.rawValue)
            visitor.integer("status", outcome.status)
            switch outcome.kind {
            case .skipped:
                visitor.time("until", outcome.until)
            case .failed, .gone:
                visitor.object("error", outcome.failure.map(ErrorFields.init))
                visitor.integer("milliseconds", outcome.milliseconds)
            default:
                visitor.text("movedFrom", outcome.movedFrom)
                visitor.integer("added", outcome.added.count)
                visitor.integer("changed", outcome.changed)
                visitor.integer("withdrawn", outcome.withdrawn)
                visitor.integer("bytes", outcome.bytes)
                visitor.integer("milliseconds", outcome.milliseconds)
            }
            if outcome.kind != .skipped { visitor.object("timings", outcome.timings.map { TimingFields(timings: $0) }) }
        }
    }
}

/// Milliseconds of each step that took any time.
private struct TimingFields: Fields {
    let timings: RunTimings

    func visit<V: FieldVisitor>(_ visitor: inout V) {
        func milliseconds(_ stage: RunStage) -> Double? {
            timings[stage] > 0 ? Double(timings[stage] / 10_000) / 100 : nil
        }
        visitor.number("wait", milliseconds(.wait))
        visitor.number("lookUp", milliseconds(.lookUp))
        visitor.number("connect", milliseconds(.connect))
        visitor.number("tls", milliseconds(.tls))
        visitor.number("firstByte", milliseconds(.firstByte))
        visitor.number("body", milliseconds(.body))
        visitor.number("parse", milliseconds(.parse))
        visitor.number("compare", milliseconds(.compare))
        visitor.number("commit", milliseconds(.commit))
        visitor.number("index", milliseconds(.index))
    }
}

/// The counts of a whole refresh, as one sentence or one object.
public struct RefreshSummaryView: View {
    let summary: RefreshSummary
    /// The user named the podcasts.
    let isNamed: Bool
    let mode: RefreshOptions.Mode
    let hasKeptRunning: Bool

    public init(
        _ summary: RefreshSummary, isNamed: Bool = false, mode: RefreshOptions.Mode = .due, hasKeptRunning: Bool = false
    ) {
        self.summary = summary
        self.isNamed = isNamed
        self.mode = mode
        self.hasKeptRunning = hasKeptRunning
    }

    /// What other refreshes have to do.
    public var note: String? {
        guard let leased = summary.leased, leased > 0 else { return nil }
        return "\(counted(leased, "podcast")) left to other refreshes, which are fetching \(leased == 1 ? "it" : "them")."
    }

    public func lines(for display: Display) -> [String] {
        guard summary.podcasts > 0 else {
            return hasKeptRunning || summary.leased ?? 0 > 0 ? ["Nothing was due."] : [PodcastListView.noSubscriptions]
        }
        let transcripts =
            (summary.transcripts.map { Self.texts($0, "transcript") } ?? [])
            + (summary.chapters.map { Self.texts($0, "file of chapters", "files of chapters") } ?? [])
        guard summary.fetched > 0 || summary.interrupted > 0 else {
            return ([nothingFetched] + transcripts).flatMap(display.fitted)
        }
        var parts = [
            "\(counted(summary.fetched, "podcast")) fetched in \(Self.seconds(summary.milliseconds))",
            display.styled(counted(summary.new, "new episode"), summary.new > 0 ? .new : nil),
        ]
        let first = summary.added - summary.new
        if first > 0 { parts.append("\(grouped(first)) by first fetches") }
        if summary.changed > 0 { parts.append("\(grouped(summary.changed)) changed") }
        if summary.withdrawn > 0 { parts.append("\(grouped(summary.withdrawn)) withdrawn") }
        if summary.count(of: .moved) > 0 { parts.append("\(summary.count(of: .moved)) moved") }
        if summary.count(of: .gone) > 0 { parts.append("\(summary.count(of: .gone)) gone") }
        if summary.count(of: .skipped) > 0 { parts.append("\(grouped(summary.count(of: .skipped))) not due") }
        let failed = summary.count(of: .failed) - summary.interrupted
        if failed > 0 { parts.append(display.styled("\(grouped(failed)) failed", .failed)) }
        if summary.interrupted > 0 { parts.append("\(grouped(summary.interrupted)) interrupted") }
        let sentence = parts.joined(separator: ", ") + "."
        return ([sentence] + transcripts + times(display)).flatMap(display.fitted)
    }

    private var nothingFetched: String {
        let count = counted(summary.podcasts, "podcast")
        if isNamed { return "\(count) skipped." }
        return mode == .due
            ? "\(count), none due; 'jimmy refresh --all' fetches \(summary.podcasts == 1 ? "it" : "them") anyway."
            : "\(count) skipped: paused by you or at the request of their servers, or gone; "
                + "'jimmy explain PODCAST' says which."
    }

    /// Where the time of a run went that took long, for people.
    private func times(_ display: Display) -> [String] {
        guard display.isTerminal, summary.milliseconds >= 5_000 else { return [] }
        let groups: [(String, [RunStage])] = [
            ("servers", [.lookUp, .connect, .tls, .firstByte, .body]), ("hosts' turns", [.wait]), ("parsing", [.parse]),
            ("comparing", [.compare]), ("disk", [.commit]), ("index", [.index]),
        ]
        let parts = groups.map { name, stages in
            "\(name) \(Self.seconds(stages.reduce(0) { $0 + summary.time[$1] } / 1_000_000))"
        }
        let slowest = summary.slowest.map { "\($0.podcast.displayTitle.oneLine) \(Self.seconds($0.milliseconds))" }
        return [
            "Time, side by side: " + parts.joined(separator: ", ") + ".", "Slowest: " + slowest.joined(separator: ", ") + ".",
        ].map { display.styled($0, .dim) }
    }

    private static func texts(_ summary: TranscriptSummary, _ noun: String, _ plural: String? = nil) -> [String] {
        if summary == TranscriptSummary() { return [] }
        var parts = ["\(counted(summary.added, noun, plural)) fetched"]
        if summary.replaced > 0 { parts.append("\(grouped(summary.replaced)) replaced") }
        if summary.unchanged > 0 { parts.append("\(grouped(summary.unchanged)) unchanged") }
        if summary.failed > 0 { parts.append("\(grouped(summary.failed)) failed") }
        if summary.waiting > 0 { parts.append("\(grouped(summary.waiting)) left for later runs") }
        return [parts.joined(separator: ", ") + "."]
    }

    /// The error of the whole run; failures of single feeds are reported with their outcomes.
    public var failure: FailureLine? {
        if let failure = summary.localFailure { return FailureLine(failure, doing: "refresh") }
        guard summary.exitStatus(strict: false) == .unavailable else { return nil }
        // Failures while the computer is offline are not recorded, so no podcast is listed as failing.
        return summary.wasOffline
            ? FailureLine(
                "refresh", "no server could be reached", status: .unavailable, advice: "check that this computer is online")
            : FailureLine(
                "refresh", "every feed failed", status: .unavailable,
                advice: "'jimmy podcasts --failing' shows why")
    }

    private static func seconds(_ milliseconds: Int) -> String {
        if milliseconds >= 120_000 { return span(Int64(milliseconds / 1_000)) }
        return "\(milliseconds / 1_000).\(milliseconds / 100 % 10) s"
    }

    public func jsonLines(_ emit: (String) -> Void) { emit(jsonLine(Row(summary: summary))) }

    private struct Row: Fields {
        let summary: RefreshSummary

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("type", "summary")
            visitor.integer("podcasts", summary.podcasts)
            visitor.integer("updated", summary.count(of: .updated))
            visitor.integer("unchanged", summary.count(of: .unchanged))
            visitor.integer("notModified", summary.count(of: .notModified))
            visitor.integer("moved", summary.count(of: .moved))
            visitor.integer("gone", summary.count(of: .gone))
            visitor.integer("skipped", summary.count(of: .skipped))
            visitor.integer("leased", summary.leased)
            visitor.integer("failed", summary.count(of: .failed))
            visitor.integer("added", summary.added)
            visitor.integer("changed", summary.changed)
            visitor.integer("withdrawn", summary.withdrawn)
            visitor.integer("bytes", summary.bytes)
            visitor.integer("milliseconds", summary.milliseconds)
            visitor.flag("offline", summary.wasOffline ? true : nil)
            visitor.object("time", TimingFields(timings: summary.time))
            visitor.objects("slowest", summary.slowest.map { Slow(podcast: $0.podcast, milliseconds: $0.milliseconds) })
            visitor.object("transcripts", summary.transcripts.map(Transcripts.init))
            visitor.object("chapters", summary.chapters.map(Transcripts.init))
        }
    }

    private struct Slow: Fields {
        let podcast: Podcast
        let milliseconds: Int

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("id", podcast.id.text)
            visitor.text("title", podcast.displayTitle)
            visitor.integer("milliseconds", milliseconds)
        }
    }

    private struct Transcripts: Fields {
        let summary: TranscriptSummary

        init(_ summary: TranscriptSummary) { self.summary = summary }

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.integer("added", summary.added)
            visitor.integer("replaced", summary.replaced)
            visitor.integer("unchanged", summary.unchanged)
            visitor.integer("failed", summary.failed)
            visitor.integer("waiting", summary.waiting)
        }
    }
}

extension RefreshSummary {
    /// 69 if everything that was fetched failed, 74 or 77 if the disk did.
    public func exitStatus(strict: Bool) -> ExitStatus {
        if let localFailure { return FailureLine(localFailure, doing: "refresh").status }
        let failed = count(of: .failed) - interrupted
        if failed > 0 && failed == fetched { return .unavailable }
        return strict && failed > 0 ? .incomplete : .done
    }
}
