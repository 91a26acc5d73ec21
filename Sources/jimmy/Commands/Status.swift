import ArgumentParser
import Composition
import Domain
import Presentation
import Results
import UseCases

struct Status: Command {
    static let configuration = CommandConfiguration(
        commandName: "status", _superCommandName: "jimmy",
        abstract: "Show the state of the library, and which podcasts need attention and what to do about them.",
        discussion: """
              jimmy status
              jimmy status --prometheus > jimmy.prom
              jimmy status --strict --quiet || echo "A podcast needs attention." | mail -s jimmy "$LOGNAME"
            """)

    @Flag(help: "Exit 1 if a podcast needs attention.")
    var strict = false

    @Flag(help: "Print metrics for Prometheus, such as for node_exporter's textfile collector.")
    var prometheus = false

    @OptionGroup var options: GlobalOptions

    var pages: Bool { true }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.read)
        var status = try await library.loadStatus.detailed(now: context.now)
        if !context.composition.isInDatabase { status.librarySize = DiskUsage.bytes(in: context.composition.path) }
        status.indexSize = DiskUsage.bytes(in: context.composition.indexFolder)
        if prometheus {
            context.console.show(PrometheusView(status, now: context.now))
        } else {
            try await context.console.show(StatusView(status, now: context.now), library.shorten)
        }
        return strict && status.overview.needingAttentionCount > 0 ? .incomplete : .done
    }
}
