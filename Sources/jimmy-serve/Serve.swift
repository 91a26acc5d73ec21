import ArgumentParser
import Composition
import Domain
import FileSystem
import Glibc
import Presentation

/// The process: arguments in, exit status out. `jimmy serve` becomes this program.
@main
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jimmy serve",
        abstract: "Show the library in a browser, and serve it to podcast apps.",
        discussion: """
            Serves only this machine until you choose another address, which requires a password. jimmy speaks plain HTTP: on a \
            network shared with others, put a proxy with TLS in front of it.

              jimmy serve
              jimmy serve --refresh
              jimmy serve --set-password
              jimmy serve --listen 0.0.0.0:8097
            """,
        version: Version.text)

    @Option(
        help: ArgumentHelp(
            "Serve this address of the machine: HOST:PORT, [IPV6]:PORT or PORT.",
            valueName: "address"))
    var listen = ListenAddress.usual

    @Flag(
        help:
            "Ask for a password and store its hash; from then on people and apps have to sign in. A change ends all sign-ins and withdraws all tokens."
    )
    var setPassword = false

    @Flag(help: "Remove the password and all sign-ins.")
    var removePassword = false

    @Flag(help: "Also fetch podcasts that are due, every quarter of an hour.")
    var refresh = false

    @Option(
        help: ArgumentHelp(
            "The URL under which others reach this server, if it is behind a proxy. Hubs (WebSub) are then asked to report changes of feeds.",
            valueName: "url"))
    var publicURL: PublicURL?

    @Option(
        help: ArgumentHelp(
            "Trust the X-Forwarded-For header of a proxy at this IP address; repeat for several.", valueName: "address"))
    var trustedProxy: [ProxyAddress] = []

    @Option(
        help: ArgumentHelp("Use the library in this folder, or in the database at this postgresql:// address.", valueName: "dir"),
        completion: .directory)
    var library: String?

    @Option(help: ArgumentHelp("Change a setting for this run; 'jimmy config' lists all settings.", valueName: "name=value"))
    var set: [String] = []

    @Flag(name: [.short, .long], help: "Print no notes; errors are still reported.")
    var quiet = false

    /// As `jimmy` does, reports wrong usage in one line.
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            var command = try parseAsRoot(arguments)
            // Anything else is the parser's own command that prints the help.
            guard let serve = command as? Serve else { return try command.run() }
            try await serve.run()
        } catch {
            guard !(error is ExitCode), exitCode(for: error) == .validationFailure else { exit(withError: error) }
            let message = ParserMessage(
                message(for: error), command: "serve", help: helpMessage(), arguments: arguments)
            message.failure.lines.forEach(tell)
            exit(withError: ExitCode(message.failure.status.rawValue))
        }
    }

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        do {
            try await start()
        } catch {
            let failure = FailureLine(error, doing: "serve")
            for line in failure.lines { tell(line) }
            throw ExitCode(failure.status.rawValue)
        }
    }

    private func start() async throws {
        let (passwords, isQuiet) = (PasswordFile(), quiet)
        if removePassword { return try passwords.remove() }
        if setPassword {
            let isChange = passwords.isSet
            try passwords.ask()
            let consequence = isChange ? " Every browser, app and address of feeds that was signed in has to sign in anew." : ""
            if !quiet { _ = writeAll(Array("The password is set.\(consequence)\n".utf8), to: STDOUT_FILENO) }
            return
        }
        guard listen.isLoopback || passwords.isSet else { throw FailureLine.noPassword(listen) }
        let composition = Composition(try Settings(library: library, assignments: set), tell: { tell($0) })
        let options = Site.Options(
            listen: listen, publicURL: publicURL?.url, trustedProxies: Set(trustedProxy.map(\.text)), refreshes: refresh)
        let site: Site
        do {
            site = try await Site(composition, passwords: passwords, options: options)
        } catch {
            throw composition.located(error)
        }
        try await Server(
            site,
            note: { line in
                guard !isQuiet else { return }
                _ = writeAll(Array(line.utf8) + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
            }
        ).run()
    }
}

/// Prints a line to standard error.
func tell(_ line: String) {
    let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
    _ = writeAll(bytes, to: STDERR_FILENO)
}

extension FailureLine {
    static func noPassword(_ address: ListenAddress) -> FailureLine {
        FailureLine(
            address.description, "anybody who can reach this address could use your library", status: .usage,
            advice: "set a password first: jimmy serve --set-password")
    }
}
