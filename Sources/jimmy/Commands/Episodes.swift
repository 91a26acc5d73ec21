import ArgumentParser
import Domain
import Presentation

struct Episodes: Action {
    static let configuration = CommandConfiguration(
        commandName: "episodes", _superCommandName: "jimmy",
        abstract: "Lists episodes, newest first.",
        discussion: """
            In a pipe: id, date, podcast, title, length, with tabs between them. Dates are YYYY-MM-DD (UTC), \
            YYYY-MM-DDTHH:MM:SSZ, today, yesterday, or spans such as 3d, 2w, 6m, 1y ago.

              jimmy episodes --new
              jimmy episodes "Night Radio" --since 2w
            """)

    @Argument(help: Names.podcastHelp, completion: Completions.podcast)
    var podcast: String?

    @Option(help: ArgumentHelp("Published on that day or later.", valueName: "date"))
    var since: DateArgument?

    @Option(help: ArgumentHelp("Published on that day or earlier.", valueName: "date"))
    var until: DateArgument?

    @Flag(help: "Only what the last refresh saw first.")
    var new = false

    @Option(help: ArgumentHelp("At most so many. Default: 50 on a terminal, else all.", valueName: "n"))
    var limit: Count?

    @OptionGroup var options: GlobalOptions

    var pages: Bool { true }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.read)
        var filter = FetchEpisodes.Filter()
        if let podcast { filter.podcast = try await library.find.podcast(podcast, alsoKept: true).id }
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
            let isNew = try await library.fetchPodcasts().isEmpty
            context.console.note(
                isNew ? PodcastListView.noSubscriptions : new ? "The last refresh saw no new episodes." : "No episodes.")
        } else if limit == nil, episodes.count == filter.limit {
            context.console.note("The newest \(episodes.count); '--limit N' shows more.")
        }
        return .done
    }
}
