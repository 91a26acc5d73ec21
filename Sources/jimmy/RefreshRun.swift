import Composition
import Domain
import Presentation
import Recording
import Results
import UseCases

/// One refresh with its report, for `refresh` and imports.
struct RefreshRun {
    let context: Context
    let library: OpenLibrary
    var options: RefreshOptions
    var strict = false
    var hooks = Hooks()
    /// True to download the new episodes of podcasts set to download.
    var downloads = false
    /// Makes transcripts; nil for none.
    var transcriber: TranscriptionRun?
    /// Number of older pages to read of each named podcast; nil for none.
    var archivePages: Int?
    /// nil if the run is not recorded.
    var recorder: Recorder?
    /// nil if no trace is written.
    var trace: RunTrace?
    /// True if the run belongs to a command that can be undone.
    var isPartOfCommand = false

    /// In a pipe, --quiet does not suppress the results.
    private var showsResults: Bool {
        let console = context.console
        return !(console.options.quiet && console.display.isTerminal && !console.options.json)
    }

    func run() async throws -> ExitStatus {
        let politeness = library.composition.politeness(slots: options.perHost)
        let (summary, isComplete) = try await fetch(politeness)
        let hookStatus = try await end(summary)
        return close(summary, hookStatus, isComplete: isComplete)
    }

    /// Fetches the feeds that are due, and then transcripts, chapters, older pages and downloads.
    ///
    /// - Parameter transcribes: true to make transcripts at the end, if they are wanted.
    func fetch(_ politeness: Politeness, transcribes: Bool = true) async throws -> (RefreshSummary, isComplete: Bool) {
        let console = context.console
        let progress = Progress(console)
        let before = ProcessorTimes.now
        var options = options
        options.reportsStarts = console.options.progress
        options.hasHook = hooks.waitsForNew
        let report = report(with: progress)
        // A host's limits hold for its feeds and its transcripts together.
        let meter = RunMeter(trace: trace?.add)
        let fetcher = library.composition.fetcher(through: recorder, meter: meter)
        let watching = trace?.watch(meter)
        defer { watching?.cancel() }
        var summary = try await library.refresh(by: fetcher, journal: recorder, meter: meter).run(
            options, politeness, report: report)
        var mayContinue: Bool { !summary.wasOffline && !Task.isCancelled && !politeness.isEnding && summary.localFailure == nil }
        if mayContinue {
            // An idle worker asks a database only for what may be there.
            let mayWant = options.claimsUntil == nil || summary.wantsTexts
            let texts = library.fetchTranscripts(by: fetcher, journal: recorder)
            if mayWant || options.transcripts {
                summary.transcripts = try await texts.run(.transcript, options, politeness, report: report)
            }
            if mayWant || options.chapters {
                summary.chapters = try await texts.run(.chapters, options, politeness, report: report)
            }
            summary.localFailure =
                summary.localFailure ?? summary.transcripts?.localFailure ?? summary.chapters?.localFailure
        }
        var isComplete = true
        if mayContinue {
            progress.clear()
            let pages = try await readArchives(by: fetcher, politeness)
            let downloaded = try await download(by: fetcher, politeness)
            summary.localFailure = downloaded.localFailure
            isComplete = pages && downloaded.failed == 0 && !downloaded.hasHookFailed
            if transcribes, mayContinue {
                let transcribed = try await transcriber?.runInTurn(by: fetcher, politeness)
                summary.localFailure = transcribed?.localFailure
            }
        }
        library.composition.sweepCache(now: context.now)
        progress.clear()
        summary.processor = .now - before
        return (summary, isComplete)
    }

    /// Prints events as they happen.
    private func report(with progress: Progress) -> @Sendable (RefreshEvent) async -> Void {
        let (console, library, hooks, showsResults) = (context.console, library, hooks, showsResults)
        let isNamed = options.podcasts != nil
        return { event in
            switch event {
            case .finished(let outcome):
                hooks.add(outcome)
                let view = RefreshOutcomeView(outcome)
                let display = await console.displayIfReadable(for: view, library.shorten)
                if let note = view.note(isNamed: isNamed, for: display) { console.note(note) }
                if console.options.quiet, !isNamed, let alert = view.alert { console.report(alert) }
                guard showsResults else { break }
                if !view.lines(for: display).isEmpty { progress.clear() }
                console.show(view, for: display)
                // Programs read the JSON Lines as they arrive.
                console.flush()
            case .indexFailed(let error):
                progress.clear()
                console.report(FailureLine(error, doing: "search index"))
            case .planned, .started, .skipped, .leased, .transcripts: break
            }
            progress.follow(event)
        }
    }

    /// - Returns: false if a page failed.
    private func readArchives(by fetcher: any FeedFetching, _ politeness: Politeness) async throws -> Bool {
        guard let pages = archivePages else { return true }
        let archive = ArchiveRun(context: context, library: library, limits: options.limits, maxPages: pages, journal: recorder)
        return try await archive.run(
            Array(options.podcasts ?? []), by: fetcher, politeness, isForced: options.mode == .force, shows: showsResults)
    }

    private func download(by fetcher: any FeedFetching, _ politeness: Politeness) async throws -> DownloadSummary {
        guard downloads, !Task.isCancelled else { return DownloadSummary() }
        var run = try DownloadRun(context, library)
        run.showsResults = showsResults
        run.journal = recorder
        return try await run.run(try await library.downloadRetention().wanted(), by: fetcher, politeness)
    }

    /// Shows the summary and runs the hooks.
    private func end(_ summary: RefreshSummary) async throws -> ExitStatus {
        show(summary)
        try await note(summary)
        return try await hooks.run(library, context.console) { recorder?.hooked() }
    }

    /// Notes that the run cannot be taken back, if it changed something.
    func note(_ summary: RefreshSummary) async throws {
        guard summary.changesLibrary, !isPartOfCommand else { return }
        // A replay notes the same time.
        try await library.undo.recordFinal(.refresh, now: summary.startedAt ?? context.now)
    }

    func show(_ summary: RefreshSummary, hasKeptRunning: Bool = false) {
        let console = context.console
        let view = RefreshSummaryView(
            summary, isNamed: options.podcasts != nil, mode: options.mode, hasKeptRunning: hasKeptRunning)
        if console.options.json || console.display.isTerminal {
            if showsResults { console.show(view) }
        } else {
            view.lines(for: console.display).forEach(console.note)
        }
        if let note = view.note { console.note(note) }
        console.flush()
    }

    /// Reports failures, and closes the recording and the trace.
    private func close(_ summary: RefreshSummary, _ hookStatus: ExitStatus, isComplete: Bool) -> ExitStatus {
        let console = context.console
        let isRoutine = options.mode == .due && options.podcasts == nil
        var status = summary.exitStatus(strict: strict, isRoutine: isRoutine)
        if let failure = RefreshSummaryView(summary, isNamed: options.podcasts != nil, mode: options.mode).failure,
            // Feeds that fail now and then are no news for cron to mail.
            summary.localFailure != nil || !isRoutine || !console.options.quiet
        {
            console.report(failure)
        }
        if status == .done { status = hookStatus }
        if status == .done, !isComplete { status = .incomplete }
        let failures = [("recording", recorder?.finish()), ("trace", trace?.finish())]
        for case (let subject, let failure?) in failures {
            let line = FailureLine(failure, doing: subject)
            console.report(line)
            if status == .done || status == .incomplete { status = line.status }
        }
        return status
    }
}

extension RefreshRun {
    /// Fetches what a command has added, as a part of it.
    init(of added: some Sequence<PodcastID>, _ context: Context, _ library: OpenLibrary) {
        var options = context.settings.refreshOptions
        options.podcasts = Set(added)
        self.init(context: context, library: library, options: options, hooks: Hooks(command: context.settings.onNew))
        isPartOfCommand = true
    }
}
