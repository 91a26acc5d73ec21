import Addresses
import ArgumentParser
import Composition
import Domain
import Parsing
import Presentation
import UseCases

struct OPMLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "opml",
        abstract: "Import and export subscription lists.",
        discussion: """
              jimmy opml import subscriptions.opml
              jimmy opml export subscriptions.opml
            """,
        subcommands: [Import.self, Export.self])

    struct Import: Command {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Add the subscriptions of an OPML list to yours.",
            discussion: """
                Existing subscriptions stay as they are. Folders become tags. Nothing is fetched without --refresh. In a \
                pipe: added or known, podcast id, title, feed URL, separated by tabs.

                  jimmy opml import --refresh subscriptions.opml
                """)

        @Argument(help: ArgumentHelp("The list; '-' means standard input.", valueName: "file"), completion: .file())
        var file: String

        @Flag(help: "Also fetch the added podcasts.")
        var refresh = false

        @OptionGroup var options: GlobalOptions

        var network: Bool { refresh }
        var subject: String { UserFile(file).name }

        func run(_ context: Context) async throws -> ExitStatus {
            let list = try OPML.read(try UserFile(file).read())
            let library = try await context.openOrCreate()
            let verdicts = try await ImportSubscriptions(library.repositories)(list.outlines, now: context.now)
            try await library.undo.recordAdded(verdicts, now: context.now)
            let view = ImportView(verdicts, truncated: list.isTruncated ? subject : nil)
            try await context.console.show(view, library.shorten)
            view.failures.forEach(context.console.report)
            context.console.note(view.summary)
            var status = view.status
            if refresh, !view.added.isEmpty {
                let refreshed = try await RefreshRun(of: view.added, context, library).run()
                if refreshed != .done { status = refreshed }
            }
            return status
        }
    }

    struct Export: Command {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Write your subscriptions as an OPML list.",
            discussion: """
                An existing file is replaced atomically; only you can read the new one. Users and passwords of feed URLs \
                are left out.

                  jimmy opml export > subscriptions.opml
                """)

        @Argument(help: ArgumentHelp("The file to write. Default: standard output.", valueName: "file"), completion: .file())
        var file: String?

        @Flag(help: "Include users and passwords in the feed URLs.")
        var withSecrets = false

        @OptionGroup var options: GlobalOptions

        var subject: String { file ?? "opml" }

        func run(_ context: Context) async throws -> ExitStatus {
            let podcasts = try await context.composition.openSubscriptions().fetch()
            let secret = podcasts.filter { PrivateURL.isLikely($0.feedURL) }
            let document = OPMLDocument(podcasts, withSecrets: withSecrets)
            if let file, file != "-" {
                try UserFile(file).replace(with: Array(document.text.utf8))
                context.console.note(
                    "Wrote \(podcasts.count == 1 ? "1 subscription" : "\(podcasts.count) subscriptions") to \(file.oneLine).")
            } else {
                context.console.write(Array(document.text.utf8))
            }
            if !secret.isEmpty { context.console.note(OPMLDocument.secretURLs(secret)) }
            return .done
        }
    }
}
