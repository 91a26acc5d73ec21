import ArgumentParser
import Domain
import Presentation

struct Edit: Action {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Changes what you decided about one podcast.",
        discussion: """
            A new feed URL keeps the episodes and their history; it is also how a password is set or taken away.

              jimmy edit "Night Radio" --title "Radio at night" --tag radio --tag night
              jimmy edit 0a1b2c3d --feed-url https://USER:PASSWORD@example.com/feed.xml
            """)

    @Argument(help: Names.podcastHelp, completion: Completions.podcast)
    var podcast: String

    @Option(help: "Your own title for it; '' goes back to the feed's.")
    var title: String?

    @Option(help: ArgumentHelp("Where the feed is from now on.", valueName: "url"))
    var feedURL: String?

    @Option(name: .customLong("tag"), help: ArgumentHelp("Its tags from now on; may be given several times.", valueName: "tag"))
    var tags: [String] = []

    @Flag(help: "Takes all tags away.")
    var noTags = false

    @Option(help: "What jimmy calls itself to its server; '' goes back to its own name.")
    var userAgent: String?

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if title == nil, feedURL == nil, tags.isEmpty, !noTags, userAgent == nil {
            throw ValidationError("Nothing to change: give --title, --feed-url, --tag, --no-tags or --user-agent")
        }
    }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.write)
        var changes = EditPodcast.Changes()
        changes.title = title
        changes.feedURL = feedURL
        changes.tags = noTags ? [] : tags.isEmpty ? nil : tags
        changes.userAgent = userAgent
        let edited = try await library.edit(try await library.find.podcast(podcast), changes, now: context.now)
        context.console.show(PodcastListView([edited]))
        return .done
    }
}
