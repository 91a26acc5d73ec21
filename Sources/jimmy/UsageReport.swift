import ArgumentParser
import Composition
import Presentation
import Threads

/// Prints help to standard output, and a usage error as a line like any other error, with exit code 64.
enum UsageReport {
    static func print(_ error: any Error, for arguments: [String] = []) -> ExitStatus {
        let full = Jimmy.fullMessage(for: error)
        if Jimmy.exitCode(for: error) == .success {
            return write(CompletionScript.edited(HelpText.edited(full, width: Terminal.width)))
        }
        // The parser's message ends with the command that prints the help.
        let help = full.split(separator: "'").first { $0.hasPrefix("jimmy ") && $0.hasSuffix(" --help") } ?? "jimmy --help"
        let command = help.dropFirst("jimmy".count).dropLast("--help".count).split(separator: " ").map(String.init)
        let message = ParserMessage(
            Jimmy.message(for: error), command: command.joined(separator: " "), help: self.help(of: command), arguments: arguments
        )
        if let name = message.unexpectedArgument, command.isEmpty {
            return report(.unknownCommand(name, among: Jimmy.names))
        }
        return report(message.failure)
    }

    /// Reports a command that does not exist; nil if the arguments name one that does, or none.
    static func unknownCommand(in arguments: [String]) -> ExitStatus? {
        guard let name = arguments.first, !name.hasPrefix("-"), name != "help" else { return nil }
        guard Jimmy.names.contains(name) else { return report(.unknownCommand(name, among: Jimmy.names + ["help"])) }
        guard let commands = Jimmy.commands(of: name) else { return nil }
        if arguments.count > 1, !arguments[1].hasPrefix("-") {
            return commands.contains(arguments[1]) ? nil : report(.unknownCommand(arguments[1], of: name, among: commands))
        }
        let others = arguments.dropFirst()
        let isMissing = Jimmy.isGroup(name) && !others.contains { $0 == "--help" || $0 == "-h" || commands.contains($0) }
        return isMissing ? report(.missingCommand(of: name, among: commands)) : nil
    }

    static func unknownTopic(_ name: String) -> ExitStatus { report(.unknownTopic(name, commands: Jimmy.names)) }

    /// Runs one of the parser's own commands, such as `jimmy help refresh`, or a command that only groups others.
    static func run(_ command: any ParsableCommand) -> ExitStatus {
        var command = command
        do {
            try command.run()
            return .done
        } catch {
            return print(error)
        }
    }

    static func write(_ text: String) -> ExitStatus {
        let settings = (try? Settings(library: nil)) ?? Settings()
        let console = Console(
            display: Terminal.display(color: settings.color, now: .now),
            options: .init(pager: Terminal.canPage ? Pager(settings) : nil))
        console.print(text)
        let failure = BlockingThread.whileCallerWaits(onPool: false) { _ in await console.finish() }
        guard let number = failure else { return .done }
        console.report(.unprintable(errno: number))
        return .diskFailed
    }

    private static func report(_ failure: FailureLine) -> ExitStatus {
        failure.lines.forEach(Console.tell)
        return failure.status
    }

    private static func help(of command: [String]) -> String {
        do {
            var help = try Jimmy.parseAsRoot(command + ["--help"])
            try help.run()
            return ""
        } catch {
            return Jimmy.fullMessage(for: error)
        }
    }
}
