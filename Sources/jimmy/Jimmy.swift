import ArgumentParser
import Domain
import Presentation

/// The command line: `jimmy COMMAND`.
struct Jimmy: Action {
    private static let groups: [(name: String, commands: [any ParsableCommand.Type])] = [
        ("Every day", [Subscribe.self, Refresh.self, Episodes.self, Search.self, Show.self, Queue.self]),
        ("Subscriptions", [Podcasts.self, Unsubscribe.self, Edit.self, Discover.self, OPMLCommand.self, Export.self]),
        ("When something is odd", [Status.self, Chart.self, Explain.self, Verify.self, Parse.self]),
        ("Settings", [Config.self]),
    ]

    static var names: [String] { groups.flatMap { $0.commands.map { $0._commandName } } }

    /// Whether this is the name of a command that has commands of its own.
    static func isGroup(_ name: String) -> Bool {
        groups.contains { $0.commands.contains { $0._commandName == name && !$0.configuration.subcommands.isEmpty } }
    }

    static let configuration = CommandConfiguration(
        commandName: "jimmy",
        abstract: "Keeps podcast subscriptions fresh and every episode findable.",
        discussion: """
            cron runs 'jimmy refresh'; people run 'jimmy subscribe' and 'jimmy search'. 'jimmy' alone shows what is new.

              jimmy subscribe https://example.com/feed.xml
              jimmy refresh
              jimmy search "night radio"

            Help on more than one command: \(HelpTopic.allCases.map { "'jimmy help \($0.rawValue)'" }.joined(separator: ", ")).
            """,
        version: Version.text,
        groupedSubcommands: groups.map { CommandGroup(name: $0.name, subcommands: $0.commands) })

    /// The command that the first argument names, parsed without the whole tree of commands, which takes longer than all
    /// that many of them do. nil where that does not succeed: then the tree knows what to say.
    static func parseAlone(_ arguments: [String]) -> (any Action)? {
        guard let name = arguments.first else { return nil }
        let command = groups.lazy.flatMap(\.commands).first { $0._commandName == name }
        guard let command = command as? any Action.Type else { return nil }
        return parse(command, Array(arguments.dropFirst()))
    }

    /// Help and other requests that the parser answers itself are no value of the command's own type.
    private static func parse<Command: Action>(_ command: Command.Type, _ arguments: [String]) -> (any Action)? {
        try? command.parseAsRoot(arguments) as? Command
    }

    @OptionGroup var options: GlobalOptions

    /// Alone it shows what is worth knowing today.
    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.read)
        let today = try await FetchToday(status: library.fetchStatus, episodes: library.fetchEpisodes)(now: context.now)
        context.console.show(TodayView(today, now: context.now))
        return .done
    }
}

enum Version {
    static let text = "0.1.0"
}
