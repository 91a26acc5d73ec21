import Composition
import Domain
import Glibc
import Presentation
import Threads

/// What a command gets: where to print, and how to reach the library.
final class Context: Sendable {
    let options: GlobalOptions
    let settings: Settings
    let console: Console
    let composition: Composition
    let now: Timestamp

    /// - Parameter thread: where the library is read and written; nil for threads of its own.
    /// - Throws: `SettingsFailure`, `FailureLine`.
    init(_ options: GlobalOptions, pages: Bool, on thread: BlockingThread?) throws {
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
        // Bytes that are not UTF-8 were replaced when they became a String, so this would name another folder.
        if composition.path.unicodeScalars.contains("\u{FFFD}") { throw FailureLine.unreadablePath }
    }

    /// Opens the library for a command that may begin one, and says so if it does.
    func openOrCreate() async throws -> OpenLibrary {
        let isNew = composition.isMissing
        let library = try await composition.open(.create)
        if isNew { console.note(LibraryWording.created(at: composition.path)) }
        return library
    }
}
