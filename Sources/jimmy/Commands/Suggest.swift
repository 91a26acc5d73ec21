import ArgumentParser
import Composition
import Domain
import Presentation
import Results
import UseCases

struct Suggest: Command {
    static let configuration = CommandConfiguration(
        commandName: "suggest", _superCommandName: "jimmy",
        abstract: "List episodes that you may want to hear next, and why.",
        discussion: """
            Ranks episodes that you have not heard by what you starred, played and queued, by how new they are, and by how rarely \
            their podcast publishes. Played, archived, withdrawn and queued episodes are left out. Without any history, it lists the \
            newest episode of each podcast. Nothing leaves this machine. In a pipe: id, date, podcast, title, reason, separated \
            by tabs. Exits 1 if there is nothing to suggest.

              jimmy suggest
              jimmy suggest --limit 3 --json
            """)

    @Option(help: ArgumentHelp("Show at most N. Default: 10.", valueName: "n"))
    var limit: Count?

    @OptionGroup var options: GlobalOptions

    var pages: Bool { true }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.search)
        var status = ExitStatus.done
        let suggested = try await library.suggest(limit: limit?.value ?? 10, now: context.now) { damaged in
            let failure = FailureLine(damaged.failure, doing: "suggest")
            context.console.report(failure)
            status = failure.status
        }
        try await context.console.show(ReasonedView(suggested), library.shorten)
        guard suggested.isEmpty, status == .done else { return status }
        context.console.note(limit?.value == 0 ? CutList.isEmpty : ReasonedView.nothingToSuggest)
        return .incomplete
    }
}
