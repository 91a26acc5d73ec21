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
    struct Copy: Command {
        static let configuration = CommandConfiguration(
            commandName: "copy",
            abstract: "Copy a library; the original stays as it is.",
            discussion: """
                FROM and TO are folders or postgresql:// addresses. Episodes, transcripts, queue, tags, settings, feed passwords and \
                validators are copied, so the next refresh fetches nothing again. A database also stores the files of the folder that \
                was copied into it: a copy back into a folder has identical files, except for what has changed since. 'jimmy undo' \
                cannot undo anything from before a copy into a database.

                TO must not exist, or must be empty. To continue an interrupted copy, run the same command again; until the copy is \
                finished, no other command opens it. Exits 65 if TO contains anything else.

                  jimmy library copy ~/.local/share/jimmy postgresql://me@db.example/…
                  jimmy library copy postgresql://me@db.example/… ~/podcasts-copy
                """)

        @Argument(help: ArgumentHelp("The library to copy.", valueName: "from"), completion: .directory)
        var source: String

        @Argument(help: ArgumentHelp("The new library.", valueName: "to"), completion: .directory)
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
