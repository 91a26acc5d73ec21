import ArgumentParser
import Composition
import Domain
import Presentation
import UseCases

struct Similar: Command {
    static let configuration = CommandConfiguration(
        commandName: "similar", _superCommandName: "jimmy",
        abstract: "List episodes similar to one, those of other podcasts first.",
        discussion: """
            Compares the less common words of titles and descriptions, and shows those that both episodes have. In a pipe: id, \
            date, podcast, title, shared words, separated by tabs. Exits 1 if no episode is similar.

              jimmy similar "Lighthouse keepers"
              jimmy similar "harbor radio/keepers" --limit 3
            """)

    @Argument(
        help: ArgumentHelp("An id or its beginning, words of a title, or PODCAST/WORDS.", valueName: "episode"),
        completion: Completions.anything)
    var episode: String

    @Option(help: ArgumentHelp("Show at most N. Default: 10.", valueName: "n"))
    var limit: Count?

    @OptionGroup var options: GlobalOptions

    var pages: Bool { true }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.search)
        let (podcast, episode) = try await library.find.episode(episode)
        let similar = try await library.findSimilar(episode, of: podcast, limit: limit?.value ?? 10)
        try await context.console.show(ReasonedView(similar), library.shorten)
        guard similar.isEmpty else { return .done }
        context.console.note(limit?.value == 0 ? CutList.isEmpty : ReasonedView.nothingSimilar)
        return .incomplete
    }
}
