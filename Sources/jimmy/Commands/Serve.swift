import ArgumentParser
import Composition
import Glibc
import Presentation

/// `jimmy serve` becomes `jimmy-serve`, a program in the same folder, as git's commands do. What that program links
/// would slow down every other command.
struct Serve: Command {
    static let configuration = CommandConfiguration(
        commandName: "serve", _superCommandName: "jimmy",
        abstract: "Show the library in a browser, and serve it to podcast apps.",
        discussion: """
            Runs jimmy-serve, which has to be installed beside jimmy. 'jimmy serve --help' lists its options.

              jimmy serve
              jimmy serve --refresh
              jimmy serve --listen 127.0.0.1:9000
            """)

    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("Options of jimmy-serve.", valueName: "options"))
    var arguments: [String] = []

    var options: GlobalOptions { GlobalOptions() }

    func run(_ context: Context) throws -> ExitStatus { Self.become(arguments) }

    /// Returns only if the program cannot be started.
    static func become(_ arguments: [String]) -> ExitStatus {
        let path = OwnProgram.sibling("jimmy-serve")
        let words: [UnsafeMutablePointer<CChar>?] = (["jimmy serve"] + arguments).map { strdup($0) } + [nil]
        execv(path, words)
        let failure = FailureLine(
            "serve", errno == ENOENT ? "jimmy-serve is not installed beside jimmy" : systemWords(errno), status: .unavailable,
            advice: "install the package jimmy-serve, or build it with 'swift build --product jimmy-serve'")
        failure.lines.forEach(Console.tell)
        return failure.status
    }
}
