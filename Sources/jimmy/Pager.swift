import Composition
import Domain
import Glibc
import Processes

/// Shows output that is longer than the screen.
struct Pager: Sendable {
    private let command: String

    /// The setting, otherwise `$PAGER`, otherwise less; nil if the user wants no pager.
    init?(_ settings: Settings) {
        command = settings.pager ?? Environment.pager
        if command.isEmpty || command == "cat" { return nil }
    }

    /// Returns false if the pager does not exist.
    func show(_ text: [UInt8]) async -> Bool {
        // Keep colours, leave the text on the screen, and end at once if it fits after all.
        var style = Environment.variable("LESS") == nil ? ["LESS": "FRX"] : [:]
        // The text is UTF-8, whatever the locale says.
        if Environment.variable("LESSCHARSET") == nil { style["LESSCHARSET"] = "utf-8" }
        // While the pager runs, Ctrl-C is for the pager.
        signal(SIGINT, SIG_IGN)
        // 127: the shell found no such program, so nothing was shown.
        return switch await Child.run(shell: command, input: text, variables: style) {
        case .ended(127), .notStarted: false
        case .ended: true
        }
    }
}
