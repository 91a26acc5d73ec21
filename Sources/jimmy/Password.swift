import Composition
import Glibc
import Presentation

/// Reads a password without exposing it in the process list or shell history.
enum Password {
    /// Asks for it on a terminal, without echo; otherwise reads the first line of standard input.
    ///
    /// - Throws: `FailureLine`.
    static func read(for user: String) throws -> String {
        let isAsking = isatty(STDIN_FILENO) == 1
        var usual = termios()
        let isHiding = isAsking && tcgetattr(STDIN_FILENO, &usual) == 0
        if isHiding {
            var silent = usual
            // Ctrl-C is read like any other key, so that the terminal is never left without echo.
            silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
            // This forgets what was typed before, so the question comes after it.
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        }
        if isAsking { _ = writeAll(Array("Password for \(user.oneLine): ".utf8), to: STDERR_FILENO) }
        let line = readLine()
        if isHiding { tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual) }
        if isAsking { Console.tell("") }
        guard line?.contains("\u{3}") != true else { throw CancellationError() }
        guard let line, !line.isEmpty else {
            throw FailureLine(
                "password", "none was given", status: .usage, advice: "type it when asked, or pass it on standard input")
        }
        return line
    }
}
