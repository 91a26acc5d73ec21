import Composition
import Domain
import Glibc
import Presentation

/// What the environment says about the terminal. Sources: no-color.org, bixense.com/clicolors.
enum Terminal {
    static func display(color: ColorChoice, now: Timestamp) -> Display {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let hasColor = color == .auto ? hasColor(isTerminal) : color == .always
        return Display(isTerminal: isTerminal, hasColor: hasColor, width: width, now: now)
    }

    /// True if the locale uses UTF-8, according to the first variable that is set (POSIX, 8.2).
    static let isUTF8: Bool = {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(Environment.variable).first { !$0.isEmpty } ?? "C"
        return locale.lowercased().split { $0 == "." || $0 == "@" }.contains { $0 == "utf-8" || $0 == "utf8" }
    }()

    /// True if a line can be overwritten.
    static func canDraw(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1 && Environment.variable("TERM") != "dumb"
    }

    /// True if standard input and output are a terminal that can run a pager.
    static var canPage: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && Environment.variable("TERM") != "dumb" }

    private static func hasColor(_ isTerminal: Bool) -> Bool {
        if Environment.variable("NO_COLOR") != nil { return false }
        if let forced = Environment.variable("CLICOLOR_FORCE"), forced != "0" { return true }
        return isTerminal && Environment.variable("CLICOLOR") != "0" && Environment.variable("TERM") != "dumb"
    }

    static var width: Int {
        // No screen is wider, and a typo should not fill the memory with blanks.
        if let columns = Environment.variable("COLUMNS").flatMap({ Int($0) }), columns > 0 { return min(columns, 1_000) }
        return size.map { Int($0.ws_col) } ?? 80
    }

    static var height: Int { size.map { Int($0.ws_row) } ?? 24 }

    private static var size: winsize? {
        var size = winsize()
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] where ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        {
            return size
        }
        return nil
    }
}
