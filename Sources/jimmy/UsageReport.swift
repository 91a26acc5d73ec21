import ArgumentParser
import Presentation

/// Help goes to standard output; a usage error is one line like any other error, with exit code 64.
enum UsageReport {
    static func print(_ error: any Error, for arguments: [String] = []) -> ExitStatus {
        if Jimmy.exitCode(for: error) == .success {
            // The place of the cursor, which fish tells only while somebody types; nothing here depends on it.
            return write(Jimmy.fullMessage(for: error).replacing("(__jimmy_tokens -tC)", with: "0"))
        }
        let full = Jimmy.fullMessage(for: error)
        let help = full.split(separator: "'").first { $0.hasPrefix("jimmy ") && $0.hasSuffix(" --help") }.map(String.init)
        var command = help?.dropFirst("jimmy ".count).dropLast("--help".count).trimmed ?? ""
        let told = Jimmy.message(for: error).split(separator: "\n")
        var message = told.first.map(String.init) ?? "wrong usage"
        if message.hasSuffix("one of the following:") {
            // A longer list of what would do, an item a line.
            let words = told.dropFirst().map { $0.drop { " -".contains($0) } }.prefix { !$0.contains(" ") }
            message = message.replacing("the following:", with: words.joined(separator: ", "))
        }
        message = message.replacing(". Please provide", with: "; give").replacing(". Did you mean", with: "; did you mean")
            .replacing("' and '", with: "' or '")
        if let negative = arguments.first(where: { $0.hasPrefix("-") && Int($0) != nil }) {
            // To the parser it is no value, but an option.
            message = message.replacing("Missing value for", with: "The value '\(negative)' is invalid for")
                .replacing("Missing expected argument", with: "The value '\(negative)' is invalid for")
        }
        if message.hasPrefix("Unexpected argument ") {
            if let group = arguments.first, Jimmy.isGroup(group), message.hasPrefix("Unexpected argument '\(arguments[1])'") {
                command = group
                message = "no such command " + message.dropFirst("Unexpected argument ".count)
            } else if command.isEmpty {
                message = "no such command " + message.dropFirst("Unexpected argument ".count)
            }
        }
        if let form = ValueForm.words(in: message) { message += "; it takes \(form)" }
        let why = message.prefix(1).lowercased() + message.dropFirst().trimmedFullStop
        let line = FailureLine(
            command.isEmpty ? "usage" : command, why, status: .usage,
            advice: "see 'jimmy \(command.isEmpty ? "" : command + " ")--help'")
        line.lines.forEach(Console.tell)
        return .usage
    }

    static func unknownTopic(_ name: String) -> ExitStatus {
        let topics = HelpTopic.allCases.map(\.rawValue).joined(separator: ", ")
        FailureLine(
            "help", "no such command or topic '\(name)'", status: .usage,
            advice: "topics are \(topics); 'jimmy --help' lists the commands"
        ).lines
            .forEach(Console.tell)
        return .usage
    }

    /// The parser's own commands, such as `jimmy help refresh`, and those that only group others.
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
        guard let number = console.finish() else { return .done }
        console.report(.unprintable(errno: number))
        return .diskFailed
    }
}

extension StringProtocol {
    fileprivate var trimmed: String { split(separator: " ").joined(separator: " ") }
    fileprivate var trimmedFullStop: String { hasSuffix(".") ? String(dropLast()) : String(self) }
}

/// What options take, by the name that help gives their values; the first that fits.
private enum ValueForm {
    private static let forms: KeyValuePairs = [
        "'--limit <n>": "a whole number such as 20", "<n>": "a whole number from 1 to 10000",
        "<date>": "a date such as 2024-03-01 or yesterday, or a span such as 3d, 2w, 6m, 1y ago",
        "<position>": "a whole number, 1 or more", "<seconds>": "seconds, more than 0, at most 86400",
        "<bytes>": "a number of bytes such as 500k, 64M or 1G", "<cc>": "a country code such as DE",
        "<span>": "a span such as 30m, 6h or 2d, from 15m to 7d, or 'default'", "<when>": "on, off or default",
        "<url>": "an http or https address",
    ]

    /// nil where the message tells of no value that is wrong.
    static func words(in message: String) -> String? {
        guard message.hasPrefix("The value '") || message.hasPrefix("Missing value"), !message.contains("; give") else {
            return nil
        }
        return forms.first { message.hasSuffix($0.key + "'") || message.hasSuffix($0.key + "'.") }?.value
    }
}
