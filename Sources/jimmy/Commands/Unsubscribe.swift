import ArgumentParser
import Composition
import Domain
import Presentation
import UseCases

struct Unsubscribe: Command {
    static let configuration = CommandConfiguration(
        commandName: "unsubscribe", _superCommandName: "jimmy",
        abstract: "Remove podcasts with their episodes and queue entries.",
        discussion: """
            Prints each feed URL, without user and password. In a pipe: id, title, number of episodes, date of the latest, \
            feed URL, separated by tabs.

              jimmy unsubscribe "Night Radio"
              jimmy unsubscribe --keep-episodes "Night Radio"
            """)

    @Argument(help: Names.podcastHelp, completion: Completions.podcast)
    var podcasts: [String]

    @Flag(help: "Keep the episodes readable in the library's folder.")
    var keepEpisodes = false

    @OptionGroup var options: GlobalOptions

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.write)
        let leaving = try await library.find.podcasts(podcasts)
        try await library.unsubscribe(leaving, keepingEpisodes: keepEpisodes, now: context.now)
        // Unfinished transcriptions; what cannot be removed now is removed by the next 'jimmy transcribe'.
        try? await library.findUntranscribed.sweep()
        context.console.show(UnsubscribeView(leaving))
        return .done
    }
}
