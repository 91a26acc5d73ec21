import ArgumentParser
import Domain
import Presentation

/// The command line: `jimmy COMMAND`.
struct Jimmy: Action {
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
        groupedSubcommands: [
            CommandGroup(
                name: "Every day",
                subcommands: [Subscribe.self, Refresh.self, Episodes.self, Search.self, Show.self, Queue.self]),
            CommandGroup(
                name: "Subscriptions", subcommands: [Podcasts.self, Unsubscribe.self, Edit.self, Discover.self, OPMLCommand.self, Export.self]),
            CommandGroup(name: "Settings", subcommands: [Config.self]),
            CommandGroup(name: "When something is odd", subcommands: [Status.self, Chart.self, Explain.self, Verify.self, Parse.self]),
        ])

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
