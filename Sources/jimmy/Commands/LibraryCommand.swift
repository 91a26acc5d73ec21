import ArgumentParser
import Composition
import Domain
import Presentation

struct LibraryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library",
        abstract: "Copy a whole library: a folder into a database, and back.",
        discussion: """
              jimmy library copy ~/.local/share/jimmy postgresql://me@db.example/…
            """,
        subcommands: [Copy.self])
}

extension LibraryCommand {
    struct Copy: Action {
        static let configuration = CommandConfiguration(
            commandName: "copy",
            abstract: "Copy a library to another place; the first stays as it is.",
            discussion: """
                Both places are folders or postgresql:// addresses. Episodes, transcripts, queue, tags, settings, passwords of \\
                feeds and validators travel, so the next refresh fetches nothing again. A database also keeps the files of the \\
                folder that was copied into it: a copy back into a folder has the same bytes again, as far as nothing changed \\
                meanwhile. 'jimmy undo' does not reach back behind a copy into a database.

                TO must not exist, or must be empty. A copy that was cut short goes on when the same command is run again; \\
                until it is finished, no other command opens it. Exits 65 if TO holds anything else.

                  jimmy library copy ~/.local/share/jimmy postgresql://me@db.example/…
                  jimmy library copy postgresql://me@db.example/… ~/podcasts-copy
                """)

        @Argument(help: ArgumentHelp("The library that is copied.", valueName: "from"), completion: .directory)
        var source: String

        @Argument(help: ArgumentHelp("The place of the copy.", valueName: "to"), completion: .directory)
        var target: String

        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if source.isEmpty || target.isEmpty { throw ValidationError("a library needs a folder or an address") }
        }

        func run(_ context: Context) async throws -> ExitStatus {
            let copied = try await context.composition.copyLibrary(from: source, to: target, now: context.now)
            context.console.note(LibraryWording.copied(copied))
            return .done
        }
    }
}
