import Composition
import Domain
import Presentation
import UseCases

/// Reads the older pages of podcasts, with its report, for `subscribe --archive` and `refresh --archive`.
struct ArchiveRun {
    let context: Context
    let library: OpenLibrary
    let limits: FetchLimits
    let maxPages: Int
    /// nil if the run is not recorded.
    var journal: (any RunJournal)?

    static let usualPages = 200

    /// - Parameter shows: true to print a line for each podcast.
    func run(
        _ podcasts: [PodcastID], by fetcher: any FeedFetching, _ politeness: Politeness, isForced: Bool = false, shows: Bool
    ) async throws -> Bool {
        let console = context.console
        let archive = library.fetchArchive(by: fetcher, journal: journal)
        var options = FetchArchive.Options()
        (options.maxPages, options.limits, options.isForced) = (maxPages, limits, isForced)
        var isWhole = true
        for id in podcasts.sorted() where !Task.isCancelled {
            let outcome = try await archive(id, options, politeness) { title, pages, added in
                guard console.options.progress else { return }
                console.draw(ArchiveView.progress(title, pages: pages, added: added, width: Terminal.width))
            }
            if console.options.progress { console.draw("") }
            guard let outcome else {
                if let podcast = try await library.podcasts.podcast(id) { console.note(ArchiveView.nothing(podcast)) }
                continue
            }
            let view = ArchiveView(outcome)
            if shows { console.show(view) }
            console.flush()
            view.notes.forEach(console.note)
            if let failure = view.failure {
                isWhole = false
                console.report(failure)
            }
        }
        return isWhole
    }
}
