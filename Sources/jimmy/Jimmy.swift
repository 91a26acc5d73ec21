import ArgumentParser
import Composition
import Domain
import Presentation
import UseCases

/// The command line: `jimmy COMMAND`.
struct Jimmy: Command {
    private static let groups: [(name: String, commands: [any ParsableCommand.Type])] = [
        (
            "Everyday",
            [
                Subscribe.self, Refresh.self, Episodes.self, Search.self, Show.self, Similar.self, Suggest.self, Queue.self,
                Download.self, Downloads.self, Transcribe.self, Play.self, Next.self, History.self, MarkCommand.self, Marks.self,
                TagCommand.self, Seen.self, Undo.self,
                Redo.self, Serve.self,
            ]
        ),
        ("Short forms", [Star.self, Unstar.self, Played.self, Unplayed.self]),
        (
            "Subscriptions",
            [Podcasts.self, Unsubscribe.self, Edit.self, Discover.self, ImportCommand.self, OPMLCommand.self, Export.self]
        ),
        ("Troubleshooting", [Status.self, Chart.self, Explain.self, Verify.self, Parse.self, ReplayCommand.self]),
        ("Settings", [Config.self, LibraryCommand.self, CompletionScripts.self]),
    ]

    static var names: [String] { groups.flatMap { $0.commands.map { $0._commandName } } }

    /// The subcommands of the command with this name; nil if it has none.
    static func commands(of name: String) -> [String]? {
        let command = groups.lazy.flatMap(\.commands).first { $0._commandName == name }
        let commands = command?.configuration.subcommands.map { $0._commandName } ?? []
        return commands.isEmpty ? nil : commands
    }

    /// True if the command does nothing without one of its subcommands.
    static func isGroup(_ name: String) -> Bool {
        let command = groups.lazy.flatMap(\.commands).first { $0._commandName == name }
        return command.map { !$0.configuration.subcommands.isEmpty && $0.configuration.defaultSubcommand == nil } ?? false
    }

    static let configuration = CommandConfiguration(
        commandName: "jimmy",
        abstract: "Keep podcast subscriptions fresh and every episode findable.",
        discussion: """
            cron runs 'jimmy refresh'; people run 'jimmy subscribe' and 'jimmy search'. Without a command, jimmy shows what is \
            new and what needs attention.

              jimmy subscribe https://example.com/feed.xml
              jimmy refresh
              jimmy search "night radio"

            Help topics: \(HelpTopic.allCases.map { "'jimmy help \($0.rawValue)'" }.joined(separator: ", ")).
            """,
        version: Version.text,
        groupedSubcommands: groups.map { CommandGroup(name: $0.name, subcommands: $0.commands) })

    /// Parses the arguments with the named command alone. Building the tree of all commands takes longer than running
    /// many of them. nil if that fails; parsing with the tree then gives the error.
    static func parseAlone(_ arguments: [String]) -> (any Action)? {
        guard let index = GlobalOptions.indexOfCommand(in: arguments) else { return nil }
        var arguments = arguments
        let name = arguments.remove(at: index)
        if name == Search._commandName, let search = SearchRun(plain: arguments) { return search }
        let command = groups.lazy.flatMap(\.commands).first { $0._commandName == name }
        guard let command = command as? any Command.Type else { return nil }
        return parse(command, arguments)
    }

    /// nil for help and other requests that the parser answers itself: they are parsed to another type.
    private static func parse<Wanted: Command>(_ command: Wanted.Type, _ arguments: [String]) -> (any Action)? {
        try? command.parseAsRoot(arguments) as? Wanted
    }

    @OptionGroup var options: GlobalOptions

    /// Without a command, shows what is new and what needs attention.
    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.read)
        let load = LoadToday(library.repositories, status: library.loadStatus, episodes: library.listEpisodes)
        let today = try await load(limit: context.options.json ? nil : TodayView.maxShown, now: context.now)
        try await context.console.show(TodayView(today, now: context.now), library.shorten)
        return .done
    }
}
