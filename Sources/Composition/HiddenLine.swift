import FileSystem
import Glibc

/// Asks for a password: on a terminal without echo, otherwise in silence.
///
/// - Returns: the line that was typed, or the first line of standard input; nil at its end.
/// - Throws: `CancellationError` after Ctrl-C.
public func readHiddenLine(asking question: String) throws -> String? {
    guard isatty(STDIN_FILENO) == 1 else { return readLine() }
    let interrupt: UInt8 = 3
    var usual = termios()
    let isHiding = tcgetattr(STDIN_FILENO, &usual) == 0
    if isHiding {
        var silent = usual
        // Ctrl-C ends the line instead of the process, so that the terminal is never left without echo.
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
        withUnsafeMutableBytes(of: &silent.c_cc) { $0[Int(VEOL)] = interrupt }
        // This forgets what was typed before, so the question comes after it.
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    }
    _ = writeAll(Array(question.utf8), to: STDERR_FILENO)
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while line.last != UInt8(ascii: "\n"), line.last != interrupt {
        let count = read(STDIN_FILENO, &byte, 1)
        if count == 1 { line.append(byte) } else if count == 0 || errno != EINTR { break }
    }
    if isHiding { tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual) }
    _ = writeAll([UInt8(ascii: "\n")], to: STDERR_FILENO)
    if line.last == interrupt { throw CancellationError() }
    guard !line.isEmpty else { return nil }
    return String(decoding: line.last == UInt8(ascii: "\n") ? line.dropLast() : line[...], as: UTF8.self)
}
