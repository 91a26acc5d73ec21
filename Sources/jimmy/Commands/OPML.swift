import ArgumentParser
import Domain
import Parsing
import Presentation

struct OPMLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "opml",
        abstract: "Imports and exports subscription lists.",
        discussion: """
              jimmy opml import subscriptions.opml
              jimmy opml export subscriptions.opml
            """,
        subcommands: [Import.self, Export.self])

    struct Import: Action {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Adds the subscriptions of a list; keeps what is there.",
            discussion: """
                Folders become tags. Nothing is fetched unless --refresh is given. In a pipe: added or known, podcast \
                id, title, feed URL, with tabs between them.

                  jimmy opml import --refresh subscriptions.opml
                """)

        @Argument(help: ArgumentHelp("The list; '-' is standard input.", valueName: "file"), completion: .file())
        var file: String

        @Flag(help: "Fetch the new podcasts at once.")
        var refresh = false

        @OptionGroup var options: GlobalOptions

        var network: Bool { refresh }
        var subject: String { UserFile(file).name }

        func run(_ context: Context) async throws -> ExitStatus {
            let list = try OPML.read(try UserFile(file).read())
            let library = try await context.composition.open(.write)
            let verdicts = try await ImportSubscriptions(podcasts: library.podcasts)(list.outlines, now: context.now)
            let view = ImportView(verdicts, truncated: list.isTruncated ? subject : nil)
            context.console.show(view)
            view.failures.forEach(context.console.report)
            context.console.note(view.summary)
            var status = view.status
            if refresh, !view.added.isEmpty {
                var options = context.settings.refreshOptions
                options.podcasts = Set(view.added)
                let refreshed = try await RefreshRun(
                    context: context, library: library, options: options, hooks: Hooks(command: context.settings.onNew)
                ).run()
                if refreshed != .done { status = refreshed }
            }
            return status
        }
    }

    struct Export: Action {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Writes the subscriptions as an OPML list.",
            discussion: """
                A file is replaced at once, and only you can read it. Users and passwords of feed URLs are left out.

                  jimmy opml export > subscriptions.opml
                """)

        @Argument(help: ArgumentHelp("Default: standard output.", valueName: "file"), completion: .file())
        var file: String?

        @Flag(help: "Write users and passwords into the feed URLs.")
        var withSecrets = false

        @OptionGroup var options: GlobalOptions

        var subject: String { file ?? "opml" }

        func run(_ context: Context) async throws -> ExitStatus {
            let podcasts = try await context.composition.openSubscriptions()()
            let document = OPMLDocument(podcasts, withSecrets: withSecrets)
            if let file, file != "-" {
                try UserFile(file).replace(with: Array(document.text.utf8))
                context.console.note("\(podcasts.count) written to \(file).")
            } else {
                context.console.write(Array(document.text.utf8))
            }
            return .done
        }
    }
}
