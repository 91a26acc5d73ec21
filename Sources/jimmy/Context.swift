import Domain
import Glibc
import Presentation

/// What a command gets: where to print, and how to reach the library.
struct Context: Sendable {
    let options: GlobalOptions
    let settings: Settings
    let console: Console
    let composition: Composition
    let now: Timestamp

    /// - Throws: `SettingsFailure`, `FailureLine`.
    init(_ options: GlobalOptions, pages: Bool) throws {
        now = .now
        settings = try Settings(library: options.library, assignments: options.set)
        self.options = options
        console = Console(
            display: Terminal.display(color: settings.color, now: now),
            options: .init(
                json: options.json, quiet: options.quiet,
                progress: !options.quiet && !options.noProgress && !options.json && Terminal.canDraw(STDERR_FILENO),
                pager: pages && Terminal.canPage ? Pager(settings) : nil))
        composition = Composition(settings)
    }
}

extension Timestamp {
    /// The one place that reads the clock for Domain.
    static var now: Timestamp { Timestamp(seconds: Int64(time(nil))) }
}
