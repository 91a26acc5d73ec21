import Domain

/// Wording for wrong usage.
extension FailureLine {
    /// A command that does not exist.
    ///
    /// - Parameters:
    ///   - group: the parent command; nil for jimmy itself.
    ///   - commands: the commands that exist there.
    public static func unknownCommand(_ name: String, of group: String? = nil, among commands: [String]) -> FailureLine {
        let usual = CommandGuesses.answers(name, in: group).map { "did you mean \(oneOf($0))?" }
        guard let group else {
            let advice = usual ?? didYouMean(name, among: commands) ?? "see 'jimmy --help'"
            return FailureLine("no such command", "'\(name)'", status: .usage, advice: advice)
        }
        let advice = usual ?? didYouMean(name, among: commands, prefix: group + " ") ?? "see 'jimmy \(group) --help'"
        return FailureLine(group, "no such command: '\(name)'", status: .usage, advice: advice)
    }

    /// A command that needs one of its subcommands.
    public static func missingCommand(of group: String, among commands: [String]) -> FailureLine {
        let names = commands.map { "'jimmy \(group) \($0)'" }.joined(separator: " or ")
        return FailureLine(group, "a command is missing: \(names)", status: .usage, advice: "see 'jimmy \(group) --help'")
    }

    /// A help page that does not exist.
    public static func unknownTopic(_ name: String, commands: [String]) -> FailureLine {
        let topics = HelpTopic.allCases.map(\.rawValue)
        let advice =
            didYouMean(name, among: commands + topics)
            ?? "topics are \(topics.joined(separator: ", ")); 'jimmy --help' lists the commands"
        return FailureLine("help", "no such command or topic: '\(name)'", status: .usage, advice: advice)
    }

    /// `did you mean 'search'?`; nil if nothing is similar.
    static func didYouMean(_ name: String, among candidates: [String], prefix: String = "") -> String? {
        func bare(_ text: String) -> String { String(text.drop { $0 == "-" }) }
        let names = Dictionary(candidates.map { (bare($0), $0) }, uniquingKeysWith: { first, _ in first })
        let meant = NearestName.suggestions(for: bare(name), among: names.keys.sorted()).compactMap { names[$0] }
        guard !meant.isEmpty, meant.count < 4 else { return nil }
        return "did you mean \(meant.map { "'\(prefix)\($0)'" }.joined(separator: " or "))?"
    }

    /// `'a', 'b' or 'c'`
    private static func oneOf(_ names: [String]) -> String {
        let quoted = names.map { "'\($0)'" }
        return quoted.count < 3
            ? quoted.joined(separator: " or ") : quoted.dropLast().joined(separator: ", ") + " or " + quoted[quoted.count - 1]
    }
}

/// The argument parser's message about wrong usage. Its first line has one of a few fixed forms.
public struct ParserMessage {
    private let text: String
    /// The command, such as `queue add`; empty for jimmy itself.
    private let command: String
    /// The options that the command has.
    private let options: [String]
    private let arguments: [String]

    /// - Parameter help: the command's, whose list of options has two spaces before each, and more before what explains it.
    public init(_ text: String, command: String, help: String, arguments: [String]) {
        self.text = text.split(separator: "\n").first.map(String.init) ?? "wrong usage"
        self.command = command
        options = help.split(separator: "\n").filter { $0.hasPrefix("  -") }.flatMap { line in
            line.dropFirst(2).split(separator: "  ")[0].split { ", /".contains($0) }.filter { $0.hasPrefix("--") }.map(
                String.init)
        }
        self.arguments = arguments
    }

    /// The first unexpected argument; nil if something else is wrong.
    public var unexpectedArgument: String? {
        text.hasPrefix("Unexpected argument '") || text.contains(" unexpected arguments: '") ? quoted : nil
    }

    public var failure: FailureLine {
        let (why, advice) = words
        let help = "see 'jimmy \(command.isEmpty ? "" : command + " ")--help'"
        return FailureLine(command.isEmpty ? "usage" : command, why, status: .usage, advice: advice ?? help)
    }

    private var words: (why: String, advice: String?) {
        if let unknown = text.hasPrefix("Unknown option '") ? quoted : unknownOption {
            let usual = Self.optionsElsewhere[unknown].flatMap { meant in
                options.contains(String(meant.prefix { $0 != " " })) ? "did you mean '\(meant)'?" : nil
            }
            return ("no such option: '\(unknown)'", usual ?? FailureLine.didYouMean(unknown, among: options))
        }
        if let unexpectedArgument { return ("unexpected argument: '\(unexpectedArgument)'", nil) }
        if text.hasPrefix("Missing value for '") || text.hasPrefix("Missing expected argument '") {
            // The parser takes a negative number for an option, not for a value.
            if let negative = arguments.first(where: { $0.hasPrefix("-") && Int($0) != nil }) {
                return (invalid(negative, for: quoted), nil)
            }
            guard text.hasPrefix("Missing value") else { return ("missing argument: \(quoted)", nil) }
            let form = ValueForm.words(for: quoted, of: command).map { ": \($0)" } ?? ""
            return ("\(name(of: quoted)) needs a value\(form)", nil)
        }
        if let split = text.firstRange(of: "' is invalid for '"), text.hasPrefix("The value '") {
            let value = text[..<split.lowerBound].dropFirst("The value '".count)
            let (target, remainder) = text[split.upperBound...].cut(at: "'")
            return (invalid(value, for: String(target), choices: choices(remainder)), nil)
        }
        if text.hasPrefix("The option '"), text.contains("' does not take any value") {
            return ("\(quoted) takes no value", nil)
        }
        return (text.prefix(1).lowercased() + (text.hasSuffix(".") ? text.dropLast() : text[...]).dropFirst(), nil)
    }

    /// An option that the command does not have. The parser takes its value for an argument, and may complain about that.
    private var unknownOption: String? {
        arguments.prefix { $0 != "--" }.lazy.filter { $0.hasPrefix("--") }.map { String($0.prefix { $0 != "=" }) }
            .first { !options.contains($0) }
    }

    /// What people type, and what they mean by it where the command has that option.
    private static let optionsElsewhere = [
        "--unpause": "--resume", "--no-pause": "--resume", "--continue": "--resume", "--name": "--title", "--password": "--user",
        "--all": "--query all",
    ]

    private func invalid(_ value: some StringProtocol, for target: String, choices: String? = nil) -> String {
        let form = (choices ?? ValueForm.words(for: target, of: command)).map { " (\($0))" } ?? ""
        return "'\(value)' is not a valid value for \(name(of: target))\(form)"
    }

    /// `--limit` for `--limit <n>`; the name of an argument is returned unchanged.
    private func name(of target: String) -> Substring { target.prefix { $0 != " " } }

    /// `rss, json or csv`, from `Please provide one of 'rss', 'json' or 'csv'.`
    private func choices(_ text: Substring) -> String? {
        guard let start = text.firstRange(of: "one of '") else { return nil }
        return text[start.upperBound...].filter { $0 != "'" && $0 != "." }.replacing(" and ", with: " or ")
    }

    /// The first quoted text in the message, which may itself contain quotes.
    private var quoted: String {
        let start = text.cut(at: "'").1
        let end = ["', '", "'. Did you mean", "' does not take any value", "' or: "].lazy.compactMap { start.firstRange(of: $0) }
            .first
        return String(start[..<(end?.lowerBound ?? start.lastIndex(of: "'") ?? start.endIndex)])
    }
}

extension StringProtocol {
    fileprivate func cut(at character: Character) -> (SubSequence, SubSequence) {
        guard let position = firstIndex(of: character) else { return (self[...], self[endIndex...]) }
        return (self[..<position], self[index(after: position)...])
    }
}

/// The forms of values, by the names of options, arguments and values; the first match applies.
private enum ValueForm {
    private static let forms: KeyValuePairs = [
        "discover --limit": "a whole number from 1 to 200",
        "--limit": "a whole number, 0 or more",
        "--max-total": "a number of bytes such as 500k, 64M or 1G",
        "--chapter": "a whole number, 1 or more",
        "--keep": "a whole number, or 'default'",
        "--concurrency": "a whole number from 1 to 512",
        "--per-host": "a whole number from 1 to 512",
        "--season": "a whole number, 0 or more",
        "--max-pages": "a whole number, 0 or more",
        "--speed": "a number from 0.25 to 4, or 'default'",
        "--at": "a time such as 12:34, 1:02:03 or 90s",
        "--skip-intro": "a span such as 45s or 1m30s, or 'default'",
        "--skip-outro": "a span such as 45s or 1m30s, or 'default'",
        "--listen": "HOST:PORT, [IPV6]:PORT or PORT",
        "--trusted-proxy": "an IP address",
        "--weeks": "a whole number from 1 to 520",
        "<duration>": "a span such as 45m, 2h or 1h30m",
        "<hh:mm>": "a time of day such as 07:00",
        "<date>": "a date such as 2024-03-01 or yesterday, or a span back from now: 3d, 2w, 6m, 1y",
        "<position>": "a whole number, 1 or more",
        "<number>": "a whole number, 1 or more",
        "<seconds>": "a number of seconds, more than 0 and at most 86400",
        "<bytes>": "a number of bytes such as 500k, 64M or 1G",
        "<cc>": "a country code such as DE",
        "<span>": "a span from 15m to 7d, such as 30m, 6h or 2d, or 'default'",
        "<when>": "on, off or default",
        "<url>": "an http or https URL",
    ]

    /// - Parameter target: such as `--limit <n>` or `<date>`.
    static func words(for target: String, of command: String) -> String? {
        forms.first { name, _ in
            name.hasPrefix("<")
                ? target.hasSuffix(name) : "\(command) \(target) ".contains(name.hasPrefix("-") ? " \(name) " : name)
        }?.value
    }
}
