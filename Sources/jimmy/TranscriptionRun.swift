import Composition
import Domain
import Presentation
import Processes
import Results
import Synchronization
import UseCases

/// Transcribes episodes with a report, for `transcribe` and `refresh --transcribe`.
struct TranscriptionRun {
    let context: Context
    let library: OpenLibrary
    let recognizer: Recognizer
    let decoder: FFmpeg
    var options = TranscribeEpisodes.Options()
    /// True to print a line for each episode.
    var showsResults = true

    /// - Throws: `FailureLine` if the recogniser or ffmpeg is missing.
    init(_ context: Context, _ library: OpenLibrary) throws {
        guard let command = context.settings.transcriber else { throw TranscribeWording.failure(.notSet) }
        self.context = context
        self.library = library
        let priority = context.settings.transcriberNice.value
        recognizer = Recognizer(command, home: Environment.home, priority: priority)
        decoder = FFmpeg(priority: priority)
        options.recognizers = context.settings.transcribers.value
        options.pieceLength = context.settings.transcriberPiece.seconds
        options.refresh = context.settings.refreshOptions
        options.refresh.hasHook = context.settings.onNew != nil
        do {
            try recognizer.check()
            try decoder.check()
        } catch let failure as TranscriberFailure {
            throw TranscribeWording.failure(failure)
        }
    }

    /// Works on what is wanted without being named, unless another run does.
    ///
    /// - Returns: nil if there is nothing to do.
    func runInTurn(by fetcher: any FeedFetching, _ politeness: Politeness) async throws -> TranscriptionSummary? {
        let find = library.findUntranscribed
        guard let turn = try find.takeTurn() else { return nil }
        defer { withExtendedLifetime(turn) {} }
        let wanted = try await find(context.settings.transcribe)
        guard !wanted.isEmpty else { return nil }
        let summary = try await run(wanted, by: fetcher, politeness)
        if let failure = TranscribeWording.failure(summary) { context.console.report(failure) }
        return summary
    }

    func run(_ wanted: [EpisodeID], by fetcher: any FeedFetching, _ politeness: Politeness) async throws -> TranscriptionSummary {
        let console = context.console
        try await library.findUntranscribed.sweep()
        let line = TranscriptionLine(console)
        do {
            let summary = try await library.transcribe(by: fetcher, recognizer, decoder)(
                wanted, options, politeness, follow: line.follow
            ) { outcome in
                line.clear()
                guard showsResults else { return }
                console.show(TranscriptionView(outcome))
                console.flush()
            }
            line.clear()
            if let note = TranscribeWording.summary(summary) { console.note(note) }
            return summary
        } catch let failure as TranscriberFailure {
            line.clear()
            throw TranscribeWording.failure(failure)
        }
    }
}

/// The line at the bottom of the terminal that shows the progress.
private final class TranscriptionLine: Sendable {
    private let console: Console
    private let state = Mutex((drawnAt: ContinuousClock.now - .seconds(1), isDrawn: false))

    init(_ console: Console) { self.console = console }

    func follow(_ step: TranscriptionStep) {
        guard console.options.progress else { return }
        state.withLock { state in
            // More frequent updates would be invisible, and cost time.
            if case .fetching = step, state.isDrawn, state.drawnAt.duration(to: .now) < .milliseconds(100) { return }
            (state.drawnAt, state.isDrawn) = (.now, true)
            console.draw(TranscribeWording.progress(step, width: Terminal.width))
        }
    }

    func clear() {
        state.withLock { state in
            if state.isDrawn { console.draw("") }
            state.isDrawn = false
        }
    }
}
