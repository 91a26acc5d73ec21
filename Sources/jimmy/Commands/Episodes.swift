import ArgumentParser
import Domain
import Presentation

struct Episodes: Action {
    static let configuration = CommandConfiguration(
        commandName: "episodes", _superCommandName: "jimmy",
        abstract: "List episodes, newest first.",
        discussion: """
            Dates are YYYY-MM-DD (UTC), YYYY-MM-DDTHH:MM:SSZ, today, yesterday, or a span back from now: 3d, 2w, 6m, 1y. \
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

    @Flag(help: "Only episodes first seen by the last refresh.")
    var new = false

    @Option(help: ArgumentHelp("Show at most N. Default: 50 on a terminal, otherwise all.", valueName: "n"))
    var limit: Count?

    @OptionGroup var options: GlobalOptions

    var pages: Bool { true }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.read)
        var filter = FetchEpisodes.Filter()
        for name in podcasts {
            filter.podcasts = (filter.podcasts ?? []).union([try await library.find.podcast(name, alsoUnsubscribed: true).id])
        }
        filter.since = since?.start(context.now)
        filter.until = until?.end(context.now)
        filter.onlyNew = new
        let isInteractive = context.console.display.isTerminal && !context.options.json
        filter.limit = limit?.value ?? (isInteractive ? 50 : nil)
        let episodes = try await library.fetchEpisodes(filter)
        context.console.show(EpisodeListView(episodes, ofOnePodcast: filter.podcasts?.count == 1))
        if filter.limit == 0 {
            context.console.note("A limit of 0 shows nothing.")
        } else if episodes.isEmpty {
            let isNew = try await library.podcasts.isEmpty()
            context.console.note(
                isNew ? PodcastListView.noSubscriptions : new ? "The last refresh found no new episodes." : "No episodes.")
        } else if episodes.count == filter.limit, !context.options.quiet {
            let total = MatchCount(try await library.fetchEpisodes.count(filter))
            if let note = CutList.note(shown: episodes.count, of: total) { context.console.note(note) }
        }
        return .done
    }
}
