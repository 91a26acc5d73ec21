import ArgumentParser
import Domain
import Presentation

struct Edit: Action {
    static let configuration = CommandConfiguration(
        commandName: "edit", _superCommandName: "jimmy",
        abstract: "Changes what you decided about one podcast.",
        discussion: """
            What is set here wins over the settings of 'jimmy config' and over the options of 'jimmy refresh'; 'default' \
            takes it away again. 'jimmy show PODCAST' tells what is set. A new feed URL keeps the episodes and their history.

              jimmy edit "Night Radio" --title "Radio at night" --tag radio --tag night
              jimmy edit "Night Radio" --min-interval 6h --transcripts on
              jimmy edit 0a1b2c3d --user me@example.com < password.txt
              jimmy edit 0a1b2c3d --pause
            """)

    @Argument(help: Names.podcastHelp, completion: Completions.podcast)
    var podcast: String

    @Option(help: "Your own title for it; '' goes back to the feed's.")
    var title: String?

    @Option(name: .customLong("tag"), help: ArgumentHelp("Its tags from now on; may be given several times.", valueName: "tag"))
    var tags: [String] = []

    @Flag(help: "Take all tags away.")
    var noTags = false

    @Option(help: ArgumentHelp("Where the feed is from now on.", valueName: "url"))
    var feedURL: String?

    @Option(
        help: ArgumentHelp(
            "The user that its server wants; the password is asked for, or read from standard input. '' takes both away.",
            valueName: "name"))
    var user: String?

    @Option(help: "What jimmy calls itself to its server; '' goes back to its own name.")
    var userAgent: String?

    @Option(
        help: ArgumentHelp("Fetch its transcripts: on, off or default.", valueName: "when"),
        completion: .list(["on", "off", "default"]))
    var transcripts: OrDefault<OnOff>?

    @Option(help: ArgumentHelp("Leave it alone that long after each fetch: 15m to 7d, or default.", valueName: "span"))
    var minInterval: OrDefault<Interval>?

    @Option(
        help: ArgumentHelp(
            "Ask again after that long, unless its server wants a longer rest: 15m to 7d, or default.", valueName: "span"))
    var maxInterval: OrDefault<Interval>?

    @Option(help: ArgumentHelp("How long a fetch may take, or default.", valueName: "seconds"))
    var timeout: OrDefault<Seconds>?

    @Option(help: ArgumentHelp("Its largest feed, decoded: 64M, 1G, a number of bytes, or default.", valueName: "bytes"))
    var maxSize: OrDefault<ByteCount>?

    @Flag(help: "Fetch it no more, unless 'jimmy refresh' names it.")
    var pause = false

    @Flag(help: "Fetch it again.")
    var resume = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if pause, resume { throw ValidationError("Give --pause or --resume, not both") }
        if noTags, !tags.isEmpty { throw ValidationError("Give --tag or --no-tags, not both") }
        if let userAgent, !userAgent.isEmpty, HeaderText(argument: userAgent) == nil {
            throw ValidationError("The value '\(userAgent)' is invalid for '--user-agent <user-agent>'")
        }
    }

    private var changesSomething: Bool {
        let given: [Any?] = [
            title, tags.first, noTags ? true : nil, feedURL, user, userAgent, transcripts, minInterval, maxInterval, timeout,
            maxSize,
            pause || resume ? true : nil,
        ]
        return given.contains { $0 != nil }
    }

    func run(_ context: Context) async throws -> ExitStatus {
        // Not before: the parser tells of an unknown option only after everything else.
        guard changesSomething else {
            throw FailureLine(
                "edit", "nothing to change: give an option such as --title or --pause", status: .usage,
                advice: "see 'jimmy edit --help'")
        }
        let password = try user.flatMap { $0.isEmpty ? nil : $0 }.map {
            Credentials(user: $0, password: try Password.read(for: $0))
        }
        let library = try await context.composition.open(.write)
        let found = try await library.find.podcast(podcast)
        var changes = EditPodcast.Changes(apply(to: found.settings))
        changes.feedURL = feedURL
        if user != nil { changes.credentials = .some(password) }
        let edited = try await library.edit(found, changes, now: context.now)
        context.console.show(PodcastListView([edited]))
        return .done
    }

    private func apply(to settings: PodcastSettings) -> PodcastSettings {
        var settings = settings
        if let title { settings.title = title.isEmpty ? nil : title }
        if noTags || !tags.isEmpty { settings.tags = tags.filter { !$0.isEmpty } }
        if let userAgent { settings.userAgent = userAgent.isEmpty ? nil : userAgent }
        if let transcripts { settings.transcripts = transcripts.value?.isOn }
        if let minInterval { settings.shortestRest = minInterval.value?.seconds }
        if let maxInterval { settings.longestRest = maxInterval.value?.seconds }
        if let timeout { settings.timeout = timeout.value?.value }
        if let maxSize { settings.maxBodySize = maxSize.value?.value }
        if pause || resume { settings.isPaused = pause }
        return settings
    }
}
