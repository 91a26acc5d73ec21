import Composition
import Domain
import Presentation
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
    /// nil if the run is not recorded.
    var journal: (any RunJournal)?

    /// - Throws: `FailureLine` if the setting for names is not valid.
    init(_ context: Context, _ library: OpenLibrary) throws {
        guard let name = MediaName(context.settings.name) else {
            throw FailureLine("name", "not a valid template: '\(context.settings.name)'", status: .usage)
        }
        self.context = context
        self.library = library
        options = DownloadEpisodes.Options(folder: context.composition.downloadsFolder, name: name)
    }

    func run(
        _ wanted: [ListedEpisode], by fetcher: any FeedFetching, _ politeness: Politeness
    ) async throws -> DownloadSummary {
        let console = context.console
        let progress = DownloadLine(console)
        var summary = DownloadSummary()
        if !wanted.isEmpty {
            let download = library.download(by: fetcher, journal: journal)
            if confirmsLarge { try confirm(try await download.extent(of: wanted, options)) }
            summary = try await download(wanted, options, politeness, follow: progress.follow) { outcome in
                progress.ended(outcome.listed.episode.id)
                guard showsResults else { return }
                progress.clear()
                console.show(DownloadView(outcome))
                console.flush()
            }
            progress.clear()
            if let note = DownloadWording.summary(summary) { console.note(note) }
        }
        if let note = DownloadWording.beyondLimit(summary) { console.note(note) }
        let gone = try await library.downloadRetention(journal: journal).dropPlayed()
        if !gone.isEmpty { console.note(DownloadWording.dropped(gone)) }
        return summary
    }
}

extension DownloadRun {
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
