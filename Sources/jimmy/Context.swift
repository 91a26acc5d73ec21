import Domain
import Glibc
import Presentation

/// What a command gets: where to print, and how to reach the library.
struct Context: Sendable {
    let options: GlobalOptions
    let console: Console
    let composition: Composition
    let now: Timestamp

    init(_ options: GlobalOptions, pages: Bool) {
        now = .now
        self.options = options
        console = Console(
            display: Terminal.display(now: now),
            options: .init(
                json: options.json, quiet: options.quiet,
                progress: !options.quiet && !options.noProgress && !options.json && Terminal.canDraw(STDERR_FILENO),
                pages: pages && Terminal.canPage))
        composition = Composition(library: options.library)
    }
}

extension Timestamp {
    /// The one place that reads the clock for Domain.
    static var now: Timestamp { Timestamp(seconds: Int64(time(nil))) }
}
