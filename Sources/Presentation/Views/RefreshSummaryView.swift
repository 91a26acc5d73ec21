public import Domain
import JSON
public import Results

/// The counts of a whole refresh, as one sentence or one object.
public struct RefreshSummaryView: View {
    let summary: RefreshSummary
    /// True if the user named the podcasts.
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

    /// A note on podcasts left to other refreshes.
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
        let first = summary.fromFirstFetches
        if first > 0 { parts.append("\(grouped(first)) by first fetches") }
        // A podcast's `--only` leaves them out, or they came back after damage.
        let others = summary.added - summary.new - first
        if others > 0 { parts.append("\(grouped(others)) added but not new") }
        if summary.changed > 0 { parts.append("\(grouped(summary.changed)) changed") }
        if summary.withdrawn > 0 { parts.append("\(grouped(summary.withdrawn)) withdrawn") }
        if summary.count(of: .moved) > 0 { parts.append("\(summary.count(of: .moved)) moved") }
        if summary.count(of: .gone) > 0 { parts.append("\(summary.count(of: .gone)) gone") }
        if summary.count(of: .skipped) > 0 {
            parts.append(
                "\(grouped(summary.count(of: .skipped))) \(mode == .due && !isNamed ? "not due" : "skipped (paused or gone)")")
        }
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

    /// How a long run spent its time, for people.
    private func times(_ display: Display) -> [String] {
        guard display.isTerminal, summary.milliseconds >= 5_000 else { return [] }
        let groups: [(String, [RunStage])] = [
            ("servers", [.lookUp, .connect, .tls, .firstByte, .body]), ("waiting for hosts", [.wait]), ("parsing", [.parse]),
            ("comparing", [.compare]), ("disk", [.commit]), ("index", [.index]),
        ]
        let parts = groups.map { name, stages in
            "\(name) \(Self.seconds(stages.reduce(0) { $0 + summary.time[$1] } / 1_000_000))"
        }
        let work = [
            ("parsing and comparing", summary.processor.parsing), ("index", summary.processor.indexing),
            ("disk", summary.processor.storing), ("fetching", summary.processor.fetching),
        ].map { "\($0) \(Self.seconds($1 / 1_000_000))" }
        let slowest = summary.slowest.map { "\($0.podcast.displayTitle.oneLine) \(Self.seconds($0.milliseconds))" }
        return [
            "Time by stage, concurrent: " + parts.joined(separator: ", ") + ".",
            "Processor: " + work.joined(separator: ", ") + ".", "Slowest: " + slowest.joined(separator: ", ") + ".",
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
        guard summary.exitStatus(strict: false, isRoutine: mode == .due && !isNamed) == .unavailable else { return nil }
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
            visitor.object("processor", ProcessorFields(times: summary.processor))
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
    /// 69 if every fetch failed; 74 or 77 if the disk did.
    ///
    /// - Parameter isRoutine: true if nobody named the podcasts. One feed that alone is due and fails then says nothing
    ///   about the network.
    public func exitStatus(strict: Bool, isRoutine: Bool) -> ExitStatus {
        if let localFailure { return FailureLine(localFailure, doing: "refresh").status }
        let failed = count(of: .failed) - interrupted
        if failed > 0 && failed == fetched, wasOffline || !isRoutine || failed > 1 { return .unavailable }
        return strict && failed > 0 ? .incomplete : .done
    }
}

/// Milliseconds.
private struct ProcessorFields: Fields {
    let times: ProcessorTimes

    func visit<V: FieldVisitor>(_ visitor: inout V) {
        visitor.number("fetching", inMilliseconds(times.fetching))
        visitor.number("parsing", inMilliseconds(times.parsing))
        visitor.number("storing", inMilliseconds(times.storing))
        visitor.number("indexing", inMilliseconds(times.indexing))
    }
}
