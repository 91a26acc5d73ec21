import ArgumentParser
import Composition
import Domain
import Presentation
import UseCases

struct History: Command {
    static let configuration = CommandConfiguration(
        commandName: "history", _superCommandName: "jimmy",
        abstract: "List what you heard, latest first.",
        discussion: """
            What 'jimmy play', the page and podcast apps played. At double speed, an hour of listening is two hours of an episode. \
            In a pipe: episode id, when it began, podcast, title, how much was heard, separated by tabs.

              jimmy history
              jimmy history --since 1w "Night Radio"
            """)

    @Argument(help: Names.podcastHelp, completion: Completions.podcast)
    var podcasts: [String] = []

    @Option(help: ArgumentHelp("Only what was heard on this day or later.", valueName: "date"))
    var since: DateArgument?

    @OptionGroup var options: GlobalOptions

    var pages: Bool { true }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.read)
        let ids = podcasts.isEmpty ? nil : Set(try await library.find.podcasts(podcasts).map(\.id))
        let heard = try await library.history(since: since?.start(context.now), of: ids)
        try await context.console.show(HistoryView(heard), library.shorten)
        if heard.isEmpty { context.console.note(HistoryView.nothing) }
        return .done
    }
}
