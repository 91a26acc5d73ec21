import Composition
import Domain
import Glibc
import Presentation
import Threads

/// The environment of a command: settings, output, and access to the library.
final class Context: Sendable {
    let options: GlobalOptions.Values
    let settings: Settings
    let console: Console
    let composition: Composition
    let now: Timestamp

    /// - Parameter thread: the thread on which the library is read and written; nil for new ones.
    /// - Throws: `SettingsFailure`, `FailureLine`.
    init(_ options: GlobalOptions.Values, pages: Bool, on thread: BlockingThread?) throws {
        now = .now
        settings = try Settings(library: options.library, assignments: options.set)
        self.options = options
        console = Console(
            display: Terminal.display(color: settings.color, now: now),
            options: .init(
                json: options.json, quiet: options.quiet,
                progress: !options.quiet && !options.noProgress && !options.json && Terminal.canDraw(STDERR_FILENO),
                pager: pages && Terminal.canPage ? Pager(settings) : nil))
        composition = Composition(settings, on: thread, tell: Console.tell)
        // Bytes that are not UTF-8 were replaced when the path became a String, so it would name another folder.
        if composition.path.unicodeScalars.contains("\u{FFFD}") { throw FailureLine.unreadablePath }
    }

    /// Opens the library, creating it if it does not exist, and prints a note if it did.
    func openOrCreate() async throws -> OpenLibrary {
        let isNew = composition.isMissing
        let library = try await composition.open(.create)
        if isNew { console.note(LibraryWording.created(at: composition.path)) }
        return library
    }
}
