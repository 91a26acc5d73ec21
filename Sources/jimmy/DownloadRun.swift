import Composition
import Domain
import Presentation
import Processes
import Results
import Synchronization
import UseCases

/// Downloads episodes with a report, for `download` and `refresh --download`, and then deletes played files beyond the
/// limits of their podcasts.
struct DownloadRun {
    let context: Context
    let library: OpenLibrary
    var options: DownloadEpisodes.Options
    /// True to print a line for each file.
    var showsResults = true
    /// True to ask before a large download, or to refuse it where nobody can be asked.
    var confirmsLarge = false
    /// A shell command that gets the downloaded episodes; nil for none.
    var onDownload: String?
    /// nil if the run is not recorded.
    var journal: (any RunJournal)?

    /// - Throws: `FailureLine` if the setting for names is not valid.
    init(_ context: Context, _ library: OpenLibrary) throws {
        guard let name = MediaName(context.settings.name) else {
            throw FailureLine("name", "not a valid template: '\(context.settings.name)'", status: .usage)
        }
        self.context = context
        self.library = library
        onDownload = context.settings.onDownload
        options = DownloadEpisodes.Options(folder: context.composition.downloadsFolder, name: name)
    }

    func run(
        _ wanted: [ListedEpisode], by fetcher: any FeedFetching, _ politeness: Politeness
    ) async throws -> DownloadSummary {
        let console = context.console
        let progress = DownloadLine(console)
        var summary = DownloadSummary()
        if !wanted.isEmpty {
            let download = library.download(by: fetcher, tagging: await tagging(by: fetcher), journal: journal)
            let downloaded = Mutex<[(listed: ListedEpisode, path: String)]>([])
            if confirmsLarge { try confirm(try await download.extent(of: wanted, options)) }
            let refused = Mutex<[DownloadOutcome]>([])
            @Sendable func show(_ outcome: DownloadOutcome) {
                progress.ended(outcome.listed.episode.id)
                if case .downloaded(let file) = outcome.kind { downloaded.withLock { $0.append((outcome.listed, file.path)) } }
                guard showsResults else { return }
                progress.clear()
                console.show(DownloadView(outcome))
                console.flush()
            }
            // A replay could not repeat the second reading of a feed.
            let renews = journal == nil
            summary = try await download(wanted, options, politeness, follow: progress.follow) { outcome in
                if renews, outcome.isRefused { refused.withLock { $0.append(outcome) } } else { show(outcome) }
            }
            let held = refused.withLock { $0 }
            if !held.isEmpty {
                let renewal = try await renewed(held.map(\.listed), by: fetcher, politeness)
                let ids = Set(renewal.renewed.map(\.episode.id))
                for outcome in held where !ids.contains(outcome.listed.episode.id) {
                    show(renewal.unchanged.contains(outcome.listed.episode.id) ? outcome.withSameMediaURL : outcome)
                }
                var again = options
                again.isNamed = true
                let second = try await download(renewal.renewed, again, politeness, follow: progress.follow) { show($0) }
                summary.retried(second, unchanged: !renewal.unchanged.isEmpty)
            }
            progress.clear()
            if let note = DownloadWording.summary(summary) { console.note(note) }
            let files = downloaded.withLock { $0 }
            if let onDownload, !files.isEmpty {
                console.flush()
                let json = DownloadedEpisodesView.json(files)
                summary.hasHookFailed = await !Hooks.run(onDownload, json, console, name: "on-download")
            }
        }
        if let note = DownloadWording.beyondLimit(summary) { console.note(note) }
        let gone = try await library.downloadRetention(journal: journal).dropPlayed()
        if !gone.isEmpty { console.note(DownloadWording.dropped(gone)) }
        return summary
    }
}

extension DownloadRun {
    private func renewed(
        _ refused: [ListedEpisode], by fetcher: any FeedFetching, _ politeness: Politeness
    ) async throws -> RenewMediaURLs.Outcome {
        var refresh = context.settings.refreshOptions
        refresh.hasHook = context.settings.onNew != nil
        return try await library.renewMediaURLs(by: fetcher)(refused, refresh, politeness)
    }

    /// nil if files stay as servers sent them.
    private func tagging(by fetcher: any FeedFetching) async -> WriteMediaTags? {
        guard context.settings.tags == .on else { return nil }
        let console = context.console
        guard await Child.isInstalled(FFmpegTagWriter.program) else {
            console.report(DownloadWording.noTagWriter)
            return nil
        }
        return library.writeMediaTags(by: fetcher, FFmpegTagWriter()) { console.report(DownloadWording.untagged($0, $1)) }
    }

    /// - Throws: `FailureLine` if a large download is refused.
    private func confirm(_ extent: DownloadExtent) throws {
        guard extent.isLarge else { return }
        guard Choice.isPossible(context) else { throw DownloadWording.tooLarge(extent) }
        guard Choice.confirms(DownloadWording.question(extent)) else { throw Choice.nothingChosen("download") }
    }
}

/// The line at the bottom of the terminal that shows the progress of downloads.
private final class DownloadLine: Sendable {
    private let console: Console
    private let startedAt = ContinuousClock.now
    private let state = Mutex((progress: DownloadProgress(), drawnAt: -1.0, isDrawn: false))

    init(_ console: Console) { self.console = console }

    private var seconds: Double { (ContinuousClock.now - startedAt) / .seconds(1) }

    func follow(_ step: DownloadProgressStep) {
        guard console.options.progress else { return }
        let now = seconds
        state.withLock { state in
            state.progress.follow(step, at: now)
            if state.isDrawn, now - state.drawnAt < 0.1 { return }
            (state.drawnAt, state.isDrawn) = (now, true)
            console.draw(state.progress.line(width: Terminal.width, at: now))
        }
    }

    func ended(_ id: EpisodeID) { state.withLock { $0.progress.ended(id) } }

    func clear() {
        state.withLock { state in
            if state.isDrawn { console.draw("") }
            state.isDrawn = false
        }
    }
}
