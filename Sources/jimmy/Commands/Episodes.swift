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
              jimmy episodes "Night Radio" --since 2w
            """)

    @Argument(help: Names.podcastHelp, completion: Completions.podcast)
    var podcast: String?

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
        if let podcast { filter.podcast = try await library.find.podcast(podcast, alsoUnsubscribed: true).id }
        filter.since = since?.start(context.now)
        filter.until = until?.end(context.now)
        filter.onlyNew = new
        let isInteractive = context.console.display.isTerminal && !context.options.json
        filter.limit = limit?.value ?? (isInteractive ? 50 : nil)
        let episodes = try await library.fetchEpisodes(filter)
        context.console.show(EpisodeListView(episodes, ofOnePodcast: podcast != nil))
        if filter.limit == 0 {
            context.console.note("A limit of 0 shows nothing.")
        } else if episodes.isEmpty {
            let isNew = try await library.podcasts.isEmpty()
            context.console.note(
                isNew ? PodcastListView.noSubscriptions : new ? "The last refresh found no new episodes." : "No episodes.")
        } else if limit == nil, episodes.count == filter.limit {
            context.console.note("The newest \(episodes.count); '--limit N' shows more.")
        }
        return .done
    }
}
