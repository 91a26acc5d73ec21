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
        try await context.console.show(ExplainView(podcast, host: host, now: context.now), library.shorten)
        return .done
    }
}
