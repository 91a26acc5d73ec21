import ArgumentParser
import Composition
import Domain
import Presentation
import Results
import Searching
import UseCases

struct Episodes: Command {
    static let configuration = CommandConfiguration(
        commandName: "episodes", _superCommandName: "jimmy",
        abstract: "List episodes, newest first.",
        discussion: """
            Dates are YYYY-MM-DD (UTC), YYYY-MM-DDTHH:MM:SSZ, today, yesterday (your days), or a span back from now: 3d, 2w, 6m, 1y. \
            In a pipe: id, date, podcast, title, length, separated by tabs.

              jimmy episodes --new
              jimmy episodes "Night Radio" "Harbor Radio" --since 2w
            """)

    @Argument(help: Names.podcastHelp, completion: Completions.podcast)
    var podcasts: [String] = []

    @Option(help: ArgumentHelp("Only episodes published on this day or later.", valueName: "date"))
    var since: DateArgument?

    @Option(help: ArgumentHelp("Only episodes published on this day or earlier.", valueName: "date"))
    var until: DateArgument?

    @Flag(help: "Only new episodes: first seen by a refresh and not dealt with since; see 'jimmy help tags'.")
    var new = false

    @Option(parsing: .unconditional, help: ArgumentHelp("Only episodes that match; see 'jimmy help search'.", valueName: "query"))
    var query: String?

    @Option(help: DateOrder.help)
    var sort = DateOrder.date

    @Flag(help: "Include archived episodes.")
    var all = false

    @Option(help: ArgumentHelp("Show at most N. Default: 50 on a terminal, otherwise all.", valueName: "n"))
    var limit: Count?

    @OptionGroup var options: GlobalOptions

    var pages: Bool { true }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(query == nil ? .read : .search)
        var filter = ListEpisodes.Filter()
        for name in podcasts {
            filter.podcasts = (filter.podcasts ?? []).union([try await library.find.podcast(name, alsoUnsubscribed: true).id])
        }
        filter.since = since?.start(context.now)
        filter.until = until?.end(context.now)
        filter.onlyNew = new
        filter.includesArchived = all
        filter.oldestFirst = sort == .oldest
        let isInteractive = context.console.display.isTerminal && !context.options.json
        filter.limit = limit?.value ?? (isInteractive ? 50 : nil)
        let listing = try await listing(filter, library, context)
        try await context.console.show(
            EpisodeListView(listing.episodes, ofOnePodcast: filter.podcasts?.count == 1), library.shorten)
        if filter.limit == 0 {
            context.console.note(CutList.isEmpty)
        } else if listing.episodes.isEmpty {
            let isNew = try await library.podcasts.isEmpty()
            context.console.note(isNew ? PodcastListView.noSubscriptions : new ? "No new episodes." : "No episodes.")
        } else if let total = listing.total, let note = CutList.note(shown: listing.episodes.count, of: MatchCount(total)) {
            context.console.note(note)
        }
        return listing.status
    }

    private struct Listing {
        var episodes: [ListedEpisode]
        /// Number of matches without the limit; nil if it is not needed.
        var total: Int?
        var status = ExitStatus.done
    }

    private func listing(_ filter: ListEpisodes.Filter, _ library: OpenLibrary, _ context: Context) async throws -> Listing {
        guard let query else {
            var status = ExitStatus.done
            let episodes = try await library.listEpisodes(filter) { damaged in
                let failure = FailureLine(damaged.failure, doing: "episodes")
                context.console.report(failure)
                status = failure.status
            }
            let isCut = status == .done && episodes.count == filter.limit && filter.limit != 0 && !context.options.quiet
            return Listing(
                episodes: episodes, total: isCut ? try await library.listEpisodes.count(filter) : nil, status: status)
        }
        var request = SearchRequest(text: new ? "(\(query)) is:new" : query)
        request.since = filter.since
        request.until = filter.until
        request.includesArchived = filter.includesArchived
        request.limit = .max
        let progress = IndexingProgress(context.console)
        let (matches, searched) = try await library.search.matches(request, now: context.now, progress: progress.follow)
        progress.clear()
        var outcome = searched
        outcome.unknown.map(\.note).forEach(context.console.note)
        let ids = matches.filter { filter.podcasts?.contains($0.podcastID) ?? true }
        // The oldest ones may be anywhere, because episodes without a date come last in both directions.
        let newest = filter.oldestFirst ? ids : Array(ids.prefix(filter.limit ?? .max))
        let listed = try await library.listEpisodes.listed(newest) { damaged in
            if !outcome.unreadable.contains(where: { $0.id == damaged.id }) { outcome.unreadable.append(damaged) }
        }
        let failures = SearchView(outcome).failures
        failures.forEach(context.console.report)
        let ordered = try await library.order(listed, oldestFirst: filter.oldestFirst)
        return Listing(
            episodes: Array(ordered.prefix(filter.limit ?? .max)), total: ids.count, status: failures.first?.status ?? .done)
    }
}
