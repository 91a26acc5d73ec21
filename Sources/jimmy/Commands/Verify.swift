import ArgumentParser
import Composition
import Presentation

struct Verify: Command {
    static let configuration = CommandConfiguration(
        commandName: "verify", _superCommandName: "jimmy",
        abstract: "Check the whole library; exits 65 if anything is damaged.",
        discussion: """
            --repair restores what it can from intact data and backups, sets damaged files aside without deleting them, merges \
            the copies that Syncthing, Dropbox and others make of files that two machines changed (subscriptions, tags, \
            positions, queue), and rebuilds the search index. It exits 0 if everything was restored, 1 if something is missing until the next fetch, and \
            65 if something could not be restored.

              jimmy verify
              jimmy verify --repair && jimmy refresh --force
            """)

    @Flag(help: "Restore what can be restored.")
    var repair = false

    @OptionGroup var options: GlobalOptions

    func run(_ context: Context) async throws -> ExitStatus {
        repair ? try await runRepair(context) : try await runCheck(context)
    }

    private func runCheck(_ context: Context) async throws -> ExitStatus {
        let view = VerifyView(try await context.composition.verify())
        context.console.show(view)
        if try await !context.composition.isIndexWhole() { context.console.note(VerifyView.damagedIndex) }
        guard let failure = view.failure else {
            context.console.note("The library is undamaged.")
            return .done
        }
        context.console.report(failure)
        return failure.status
    }

    private func runRepair(_ context: Context) async throws -> ExitStatus {
        let view = RepairView(try await context.composition.repair())
        context.console.show(view)
        let progress = IndexingProgress(context.console)
        try await context.composition.rebuildIndex(progress: progress.follow)
        progress.clear()
        context.console.note(view.advice ?? "The library is undamaged, and the search index is rebuilt.")
        return view.status
    }
}
