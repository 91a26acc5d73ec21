import ArgumentParser
import Domain
import Presentation

struct Discover: Action {
    static let configuration = CommandConfiguration(
        commandName: "discover", _superCommandName: "jimmy",
        abstract: "Searches podcast directories; each hit shows its feed URL, ready for 'subscribe'.",
        discussion: """
            Searches Apple's directory, and Podcast Index too if the settings podcast-index-key and podcast-index-secret \
            are set. In a pipe: feed URL, title, author, episodes, with tabs between them.

              jimmy discover night radio
              jimmy discover --country DE nachtradio
            """)

    @Argument(help: ArgumentHelp("Words of a title, an author, or a topic.", valueName: "term"))
    var terms: [String]

    @Option(help: ArgumentHelp("At most so many.", valueName: "n"))
    var limit = Positive(20)

    @Option(help: ArgumentHelp("The store of that country, such as DE; as set, else US.", valueName: "cc"))
    var country: Country?

    @Option(help: ArgumentHelp("Another endpoint that answers like Apple's search API.", valueName: "url"))
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
        context.console.note("No podcast found.")
        return .incomplete
    }
}
