import ArgumentParser
import Composition
import Domain
import Presentation
import UseCases

struct Chart: Command {
    static let configuration = CommandConfiguration(
        commandName: "chart", _superCommandName: "jimmy",
        abstract: "Chart when episodes come, hours published and heard per podcast, and the responses of servers.",
        discussion: """
            In a pipe, the first field is the kind of line: week, hour, podcast, day or answers. Weeks begin on Monday and \
            days at midnight, in UTC. The last 20 fetches of each podcast are counted.

              jimmy chart
              jimmy chart "Night Radio" --weeks 104
              jimmy chart --svg chart.svg
            """)

    @Argument(help: Names.podcastHelp, completion: Completions.podcast)
    var podcast: String?

    @Option(help: ArgumentHelp("Number of weeks, including this one.", valueName: "n"))
    var weeks = Number<Weeks>(26)

    @Option(
        help: ArgumentHelp("Write the chart to this file as SVG; '-' means standard output.", valueName: "file"),
        completion: .file())
    var svg: String?

    @OptionGroup var options: GlobalOptions

    var pages: Bool { true }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.read)
        let id: PodcastID? = if let podcast { try await library.find.podcast(podcast).id } else { nil }
        let view = ChartView(try await library.measureActivity(of: id, weeks: weeks.value, now: context.now))
        switch svg {
        case nil: context.console.show(view)
        case "-": context.console.write(Array(view.svg.utf8))
        case let file?:
            try UserFile(file).replace(with: Array(view.svg.utf8))
            context.console.note("Wrote \(file.oneLine).")
        }
        return .done
    }
}
