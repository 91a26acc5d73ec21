public import Domain
import JSON

/// The contents of a recording: facts about the run, then each fetch.
public struct RecordingView: View {
    let recording: RecordingSummary

    public init(_ recording: RecordingSummary) { self.recording = recording }

    public func lines(for display: Display) -> [String] {
        let rows = recording.fetches.map { Row(fetch: $0) }
        guard display.isTerminal else {
            return rows.map {
                [$0.fetch.subject, $0.outcome, String($0.bytes), String($0.milliseconds), $0.url].joined(separator: "\t")
            }
        }
        let run = recording.run
        var sheet = Sheet("Recording")
        sheet.add("recorded", display.date(run.start.startedAt))
        sheet.add("by", "jimmy \(run.program)")
        sheet.add("took", span(Int64(recording.duration / 1_000_000)))
        sheet.add("library", run.library)
        sheet.add("bodies", run.bodies.rawValue)
        sheet.add("fetches", grouped(rows.count))
        sheet.add("batches", grouped(recording.batches.count))
        if recording.end == nil { sheet.add("end", RecordingWording.cutOff, style: .attention) }
        var table = Table([.init("ID"), .init("OUTCOME"), .init("SIZE"), .init("MS"), .init("URL", minimum: 20, isName: true)])
        table.rows = rows.map { row in
            [
                .init(row.fetch.subject, style: .dim), .init(row.outcome, style: row.failure == nil ? nil : .failed),
                .init(formattedSize(row.bytes)), .init(String(row.milliseconds)), .init(row.url),
            ]
        }
        return sheet.lines(for: display) + [""] + table.lines(for: display)
    }

    public func jsonLines(_ emit: (String) -> Void) {
        emit(jsonLine(Head(recording: recording)))
        for fetch in recording.fetches { emit(jsonLine(Row(fetch: fetch))) }
    }

    private struct Head: Fields {
        let recording: RecordingSummary

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("type", "recording")
            visitor.integer("version", recording.run.version)
            visitor.text("program", recording.run.program)
            visitor.text("library", recording.run.library)
            visitor.text("bodies", recording.run.bodies.rawValue)
            visitor.time("startedAt", recording.run.start.startedAt)
            visitor.time("endedAt", recording.end?.times?.endedAt)
            visitor.integer("milliseconds", recording.duration / 1_000)
            visitor.integer("fetches", recording.fetches.count)
            visitor.integer("batches", recording.batches.count)
            visitor.flag("cutOff", recording.end == nil ? true : nil)
        }
    }

    private struct Row: Fields {
        let fetch: RecordedFetch

        var url: String { fetch.hops.first?.url ?? "" }
        var bytes: Int { fetch.hops.reduce(0) { $0 + $1.bytes } }
        var milliseconds: Int { fetch.hops.reduce(0) { $0 + $1.nanoseconds } / 1_000_000 }
        var failure: FetchFailure? { fetch.hops.last?.failure.map { FetchFailure($0) } }

        var outcome: String {
            guard let last = fetch.hops.last else { return "" }
            if last.isShared { return "shared" }
            if let failure { return failure.code.rawValue }
            return last.status.map(String.init) ?? "file"
        }

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("type", "fetch")
            visitor.integer("fetch", Int(fetch.number))
            visitor.text(EpisodeID(text: fetch.subject) == nil ? "podcast" : "episode", fetch.subject)
            visitor.text("outcome", outcome)
            visitor.integer("bytes", bytes)
            visitor.integer("milliseconds", milliseconds)
            visitor.objects("hops", fetch.hops.map { Hop(hop: $0) })
        }
    }

    private struct Hop: Fields {
        let hop: RecordedHop

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("url", hop.url)
            visitor.integer("status", hop.status)
            visitor.integer("bytes", hop.bytes)
            visitor.integer("milliseconds", hop.nanoseconds / 1_000_000)
            visitor.flag("shared", hop.isShared ? true : nil)
            visitor.text("error", hop.failure.map { FetchFailure($0).code.rawValue })
        }
    }
}

public enum RecordingWording {
    public static let otherLibrary =
        "The library is not in the state that it had before the recorded run; results will differ."
    public static let cutOff = "The recording was cut off: the run was killed, or the disk was full."
}
