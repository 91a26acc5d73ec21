import Composition
import Presentation

/// Reads a password without exposing it in the process list or shell history.
enum Password {
    /// Asks for it on a terminal, without echo; otherwise reads the first line of standard input.
    ///
    /// - Throws: `FailureLine`, `CancellationError`.
    static func read(for user: String) throws -> String {
        guard let line = try readHiddenLine(asking: "Password for \(user.oneLine): "), !line.isEmpty else {
            throw FailureLine(
                "password", "none was given", status: .usage, advice: "type it when asked, or pass it on standard input")
        }
        return line
    }
}
