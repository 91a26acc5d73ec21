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
            why the last fetch failed.

              jimmy podcasts --failing
              jimmy podcasts --tag night
              jimmy podcasts --json | jq -r .feedURL
            """)

    @Flag(help: "Only podcasts whose last fetch failed, and why.")
    var failing = false

    @Option(help: ArgumentHelp("Only podcasts with this tag of yours.", valueName: "tag"))
    var tag: String?

    @OptionGroup var options: GlobalOptions

    var pages: Bool { true }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.openSubscriptions()
        let podcasts = try await library.fetch(failingOnly: failing, tag: tag)
        try await context.console.show(PodcastListView(podcasts, showingFailures: failing), library.shorten)
        if podcasts.isEmpty {
            context.console.note(PodcastListView.nothing(failing: failing, tag: tag))
        }
        return .done
    }
}
