import Composition
import Glibc
import Processes

/// Shows output that is longer than the screen.
struct Pager: Sendable {
    private let command: String

    /// The setting, else `$PAGER`, else less; nil if the user wants none.
    init?(_ settings: Settings) {
        command = settings.pager ?? Environment.pager
        if command.isEmpty || command == "cat" { return nil }
    }

    /// Returns false if there is no such program.
    func show(_ text: [UInt8]) async -> Bool {
        // Keep colours, leave the text on the screen, and end at once if it fits after all.
        let style = Environment.variable("LESS") == nil ? ["LESS": "FRX"] : [:]
        // Ctrl-C is the pager's while it runs.
        signal(SIGINT, SIG_IGN)
        // 127: the shell found no such program, so nothing was shown.
        return switch await Child.run(shell: command, input: text, variables: style) {
        case .ended(127), .notStarted: false
        case .ended: true
        }
    }
}
