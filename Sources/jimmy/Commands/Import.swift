import ArgumentParser
import Composition
import Domain
import Presentation
import Results
import UseCases

struct ImportCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "import", _superCommandName: "jimmy",
        abstract: "Move here from another podcast program.",
        discussion: """
            FILE is gPodder's database (~/gPodder/Database), AntennaPod's database export, newsboat's cache.db or urls, or the \
            OPML list of Pocket Casts and most others. Subscriptions are taken, and from a database also what is played, starred, queued and \
            begun. That waits for the first fetch of its podcast. The file stays as it is, 'jimmy undo' takes all of it back, and \
            existing subscriptions stay. In a pipe: added or known, podcast id, title, feed URL, separated by tabs. Exits 1 if \
            something could not be taken.

              jimmy import ~/gPodder/Database
              jimmy import subscriptions.opml
            """)

    @Argument(
        help: ArgumentHelp("The file; '-' reads a list from standard input.", valueName: "file"), completion: .file())
    var file: String

    @Flag(help: "Also fetch the added podcasts.")
    var refresh = false

    @OptionGroup var options: GlobalOptions

    var network: Bool { refresh }
    var subject: String { UserFile(file).name }

    func run(_ context: Context) async throws -> ExitStatus {
        let foreign = try Composition.foreignLibrary(in: UserFile(file))
        let library = try await context.openOrCreate()
        let imported = try await library.importLibrary(foreign, now: context.now)
        let view = ImportView(imported.verdicts, truncated: foreign.isTruncated ? subject : nil)
        try await context.console.show(view, library.shorten)
        let failures = view.failures + ImportWording.failures(foreign.omissions, in: subject)
        failures.forEach(context.console.report)
        context.console.note(view.summary)
        if let episodes = ImportWording.episodes(imported, isFetching: refresh) { context.console.note(episodes) }
        ImportWording.notes(foreign.omissions).forEach(context.console.note)
        var status = failures.count > view.failures.count && view.status == .done ? .incomplete : view.status
        if refresh, !view.added.isEmpty {
            let refreshed = try await RefreshRun(of: view.added, context, library).run()
            if refreshed != .done { status = refreshed }
        }
        return status
    }
}
