import ArgumentParser
import Composition
import Domain
import Presentation
import UseCases

struct Discover: Command {
    static let configuration = CommandConfiguration(
        commandName: "discover", _superCommandName: "jimmy",
        abstract: "Search podcast directories; each result shows its feed URL, ready for 'subscribe'.",
        discussion: """
            Searches Apple's directory, and Podcast Index too if the settings podcast-index-key and podcast-index-secret \
            are set. In a pipe: feed URL, title, author, number of episodes, separated by tabs.

              jimmy discover night radio
              jimmy discover --country DE nachtradio
            """)

    @Argument(help: ArgumentHelp("Words from a title, an author's name, or a topic.", valueName: "term"))
    var terms: [String]

    @Option(help: ArgumentHelp("Show at most N, up to 200.", valueName: "n"))
    var limit = Number<DirectoryLimit>(20)

    @Option(help: ArgumentHelp("Search the store of this country, such as DE. Default: your setting, or US.", valueName: "cc"))
    var country: Country?

    @Option(help: ArgumentHelp("Query this server instead, which must offer Apple's search API.", valueName: "url"))
    var directory: Endpoint?

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard terms.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else {
            throw ValidationError("Missing expected argument '<term> ...'")
        }
    }

    var network: Bool { true }

    func run(_ context: Context) async throws -> ExitStatus {
        let discover = context.composition.discover(at: directory?.url)
        let country = country ?? context.settings.country
        let report = try await discover(terms.joined(separator: " "), country: country?.code, limit: limit.value)
        context.console.show(DiscoverView(report.entries))
        for (directory, error) in report.failures {
            context.console.report(FailureLine(error, doing: directory.title))
        }
        guard report.entries.isEmpty else { return .done }
        context.console.note("No podcasts found; try fewer or other words.")
        return .incomplete
    }
}
