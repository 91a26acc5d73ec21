public import ArgumentParser
import Composition
public import Domain
import Fetching
import Glibc
import Presentation
import Recording
import Results
import UseCases

extension RecordedBodies: ExpressibleByArgument {}

/// Options of `refresh` that record or repeat a run.
struct RecordingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Record the run: everything that servers sent, with users, passwords and tokens replaced.", valueName: "file"),
        completion: .file())
    var record: String?

    @Option(
        help: ArgumentHelp(
            "Bodies to record: none, feeds (also transcripts, chapters and older pages), or all (also error pages). Bodies of media files are never recorded. A replay needs feeds or all.",
            valueName: "which"))
    var recordBodies = RecordedBodies.feeds

    @Option(
        help: ArgumentHelp("Write a trace of the run for https://ui.perfetto.dev or chrome://tracing.", valueName: "file"),
        completion: .file())
    var trace: String?

    @Option(
        help: ArgumentHelp(
            "Repeat a recorded run without the network, on a copy of the library named by --library.", valueName: "file"),
        completion: .file())
    var replay: String?

    @Option(help: ArgumentHelp("With --replay: stop after this feed, an id or part of its URL.", valueName: "feed"))
    var until: String?

    @Option(help: ArgumentHelp("With --replay: repeat only this feed, an id or part of its URL.", valueName: "feed"))
    var only: String?

    var isUsed: Bool { record != nil || replay != nil || trace != nil }

    func validate() throws {
        if replay == nil, until != nil || only != nil { throw ValidationError("--until and --only go with --replay") }
        if until != nil, only != nil { throw ValidationError("--until and --only exclude each other") }
        if record != nil, replay != nil { throw ValidationError("--record and --replay exclude each other") }
        if trace != nil, replay != nil { throw ValidationError("--trace and --replay exclude each other") }
        if trace != nil, trace == record { throw ValidationError("--record and --trace need a file each") }
    }

    /// - Throws: `FailureLine`, `LibraryFailure`, `RecordingFailure`.
    func recorder(_ context: Context) throws -> Recorder? {
        guard let record else { return nil }
        let key = try context.composition.runKey()
        do {
            return try Recorder(to: record, through: CurlWire(), program: Version.text, key: key, bodies: recordBodies)
        } catch {
            throw FailureLine(error, doing: record)
        }
    }

    /// - Throws: `RecordingFailure`, `FailureLine`.
    func replay(_ context: Context) throws -> ReplayRun? {
        guard let path = replay else { return nil }
        guard case .option = context.settings.origin(of: .library) else {
            throw FailureLine(
                "refresh", "--replay changes the library", status: .usage,
                advice: "name a copy of the library as it was before the run with --library")
        }
        let recording = try FailureLine.naming(path) { try Recording(path) }
        var extent = Replay.Extent.whole
        if let name = until ?? only {
            guard let podcast = recording.podcast(name) else { throw RecordingFailure.noFeed(name) }
            extent = until != nil ? .until(podcast) : .only(podcast)
        }
        return ReplayRun(context: context, path: path, recording: recording, extent: extent)
    }
}

/// One replay with its report.
struct ReplayRun {
    let context: Context
    let path: String
    let recording: Recording
    let extent: Replay.Extent

    func run() async throws -> ExitStatus {
        let (console, composition) = (context.console, context.composition)
        let library = try await composition.open(.write)
        let key = try composition.runKey()
        if key.digest != recording.summary.run.library { console.note(RecordingWording.otherLibrary) }
        let replay = try FailureLine.naming(path) { try Replay(recording, extent, key: key, readHead: CurlFetcher.head) }
        let progress = Progress(console)
        let report: @Sendable (RefreshEvent) async -> Void = { event in
            if case .finished(let outcome) = event {
                let view = RefreshOutcomeView(outcome)
                if !view.lines(for: console.display).isEmpty { progress.clear() }
                console.show(view)
                console.flush()
            }
            progress.follow(event)
        }
        let summary = try await library.replay(by: composition.fetcher(through: replay.wire)).run(
            replay, concurrency: context.settings.refreshOptions.concurrency, report: report)
        if case .whole = extent, recording.summary.end != nil, summary.changesLibrary {
            try await library.undo.recordFinal(.refresh, now: recording.summary.run.start.startedAt)
        }
        progress.clear()
        let view = RefreshSummaryView(summary, isNamed: true)
        if console.options.json || console.display.isTerminal {
            console.show(view)
        } else {
            view.lines(for: console.display).forEach(console.note)
        }
        if case .whole = extent, recording.summary.end == nil { console.note(RecordingWording.cutOff) }
        if let damage = recording.summary.damage { throw FailureLine(damage, doing: path) }
        return .done
    }
}
