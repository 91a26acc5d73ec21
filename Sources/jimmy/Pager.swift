import Glibc

/// Shows what is longer than the screen, as `$JIMMY_PAGER`, `$PAGER` or less do. An empty `$JIMMY_PAGER` means none.
enum Pager {
    /// False where there is no pager to be had.
    static func show(_ text: [UInt8]) -> Bool {
        let command = getenv("JIMMY_PAGER").map { String(cString: $0) } ?? Terminal.variable("PAGER") ?? "less"
        guard !command.isEmpty, command != "cat" else { return false }
        // Keep colours, leave the text on the screen, end at once where it fits after all.
        let style = Terminal.variable("LESS") == nil ? ["LESS": "FRX"] : [:]
        // Ctrl-C is the pager's while it runs.
        signal(SIGINT, SIG_IGN)
        // 127: the shell found no such program, and nothing was shown.
        let status = Child.run(command, input: text, environment: style)
        return status != nil && status != 127
    }
}
