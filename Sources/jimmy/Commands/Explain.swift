import ArgumentParser
import Composition
import Domain
import Presentation
import UseCases

struct Explain: Command {
    static let configuration = CommandConfiguration(
        commandName: "explain", _superCommandName: "jimmy",
        abstract: "Explain why a podcast was, or was not, fetched and updated.",
        discussion: """
            Shows its schedule and the rule behind it, validators, last responses, redirects and errors.

              jimmy explain "Night Radio"
            """)

    @Argument(help: Names.podcastHelp, completion: Completions.podcast)
    var podcast: String

    @OptionGroup var options: GlobalOptions

    var pages: Bool { true }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.read)
        let podcast = try await library.find.podcast(podcast)
        let host = try await library.work.hosts([podcast.hostKey])[podcast.hostKey]
        // A damaged file of episodes is not what was asked about.
        let episodes = (try? await library.episodes.episodes(of: podcast.id)) ?? []
        let view = ExplainView(podcast, episodes: episodes, host: host, now: context.now)
        try await context.console.show(view, library.shorten)
        return .done
    }
}
