import ArgumentParser
import Composition
import Domain
import Presentation
import Results
import UseCases

struct Undo: Command {
    static let configuration = CommandConfiguration(
        commandName: "undo", _superCommandName: "jimmy",
        abstract: "Take back the last command that changed something.",
        discussion: """
            Subscriptions, tags, positions, the queue and your own settings of a podcast come back as they were, one command at a time, up to \
            100 commands and 30 days back; no network is used. What was changed since stays. A refresh and a deleted file cannot be \
            taken back: if one was the last change, that is said, and nothing changes. 'jimmy undo 12' takes back number 12 of --list, and 'jimmy redo' does again what was undone last. Exits 1 if nothing was changed back.

              jimmy undo
              jimmy undo --list
            """)

    @Argument(help: ArgumentHelp("The number of a command in --list, instead of the last one.", valueName: "number"))
    var number: Number<Position>?

    @Flag(help: "List the commands that can be taken back, latest first.")
    var list = false

    @OptionGroup var options: GlobalOptions

    func run(_ context: Context) async throws -> ExitStatus {
        if list {
            let steps = try await context.composition.open(.read).undo.list(now: context.now)
            context.console.show(UndoListView(steps))
            if steps.isEmpty { context.console.note(UndoView.nothing) }
            return .done
        }
        let library = try await context.composition.open(.write)
        guard let reversal = try await library.undo(number?.value, now: context.now) else {
            context.console.note(UndoView.nothing)
            return .incomplete
        }
        guard !reversal.isEmpty else {
            context.console.note(UndoView.changedSince(reversal))
            return .incomplete
        }
        context.console.show(UndoView(reversal, verb: "Undone"))
        return .done
    }
}

struct Redo: Command {
    static let configuration = CommandConfiguration(
        commandName: "redo", _superCommandName: "jimmy",
        abstract: "Do again what 'jimmy undo' took back last.",
        discussion: """
            After another command that changes something, nothing can be done again. Exits 1 if there is nothing to redo.

              jimmy undo && jimmy redo
            """)

    @OptionGroup var options: GlobalOptions

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.write)
        guard let reversal = try await library.undo(redo: true, now: context.now) else {
            context.console.note(UndoView.nothingToRedo)
            return .incomplete
        }
        guard !reversal.isEmpty else {
            context.console.note(UndoView.changedSince(reversal))
            return .incomplete
        }
        context.console.show(UndoView(reversal, verb: "Done again"))
        return .done
    }
}
