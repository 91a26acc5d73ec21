import ArgumentParser
import Composition
import Domain
import Presentation
import UseCases

struct Podcasts: Command {
    static let configuration = CommandConfiguration(
        commandName: "podcasts", _superCommandName: "jimmy",
        abstract: "List subscriptions.",
        discussion: """
            In a pipe: id, title, number of episodes, date of the latest, feed URL, separated by tabs; with --failing also \
            why the last fetch failed. With --upcoming: when the next episode is expected, id, title, and at which days \
            and hours episodes usually come.

              jimmy podcasts --failing
              jimmy podcasts --tag night
              jimmy podcasts --upcoming
              jimmy podcasts --json | jq -r .feedURL
            """)

    @Flag(help: "Only podcasts whose last fetch failed, and why.")
    var failing = false

    @Flag(help: "When the next episodes are expected, soonest first.")
    var upcoming = false

    @Option(help: ArgumentHelp("Only podcasts with this tag of yours.", valueName: "tag"))
    var tag: String?

    @OptionGroup var options: GlobalOptions

    var pages: Bool { true }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.openSubscriptions()
        let podcasts = try await library.fetch(failingOnly: failing, tag: tag)
        if upcoming {
            let view = UpcomingView(podcasts, now: context.now)
            try await context.console.show(view, library.shorten)
            if view.isEmpty {
                let nothing = PodcastListView.nothing(failing: failing, tag: tag)
                context.console.note(podcasts.isEmpty ? nothing : UpcomingView.nothing)
            }
            return .done
        }
        try await context.console.show(PodcastListView(podcasts, showingFailures: failing), library.shorten)
        if podcasts.isEmpty {
            context.console.note(PodcastListView.nothing(failing: failing, tag: tag))
        }
        return .done
    }
}
