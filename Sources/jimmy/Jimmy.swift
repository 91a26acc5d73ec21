import ArgumentParser
import Presentation

/// The command line: `jimmy COMMAND`.
struct Jimmy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jimmy",
        abstract: "Keeps podcast subscriptions fresh and every episode findable.",
        discussion: """
            cron runs 'jimmy refresh'; people run 'jimmy subscribe' and 'jimmy search'.

              jimmy subscribe https://example.com/feed.xml
              jimmy refresh
              jimmy search "night radio"

            Help on more than one command: \(HelpTopic.allCases.map { "'jimmy help \($0.rawValue)'" }.joined(separator: ", ")).
            """,
        version: Version.text,
        groupedSubcommands: [
            CommandGroup(
                name: "Every day:",
                subcommands: [Subscribe.self, Refresh.self, Episodes.self, Search.self, Show.self, Queue.self]),
            CommandGroup(
                name: "Subscriptions:", subcommands: [Podcasts.self, Unsubscribe.self, Discover.self, OPMLCommand.self]),
            CommandGroup(name: "When something is odd:", subcommands: [Status.self, Explain.self, Verify.self, Parse.self]),
        ])

    @OptionGroup var options: GlobalOptions
}

enum Version {
    static let text = "0.1.0"
}
