import ArgumentParser
import Composition
import Domain
import Presentation
import UseCases

struct Undo: Command {
    static let configuration = CommandConfiguration(
        commandName: "undo", _superCommandName: "jimmy",
        abstract: "Undo the last unsubscribe, tag, seen, edit or queue clear.",
        discussion: """
            Undoes one command at a time, up to 100 commands and 30 days back. Episodes, tags, places in the queue, your own \
            settings, user and password come back as they were; no network is used. Exits 1 if there is nothing to undo.

              jimmy undo
            """)

    @OptionGroup var options: GlobalOptions

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.write)
        guard let step = try await library.undo(now: context.now) else {
            context.console.note(UndoView.nothing)
            return .incomplete
        }
        context.console.show(UndoView(step, edited: try await library.podcasts.podcasts(step.edited.map(\.id))))
        return .done
    }
}
