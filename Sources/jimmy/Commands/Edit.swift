import Addresses
import ArgumentParser
import Composition
import Domain
import Presentation
import Searching
import UseCases

struct Edit: Command {
    static let configuration = CommandConfiguration(
        commandName: "edit", _superCommandName: "jimmy",
        abstract: "Change your own settings of one podcast.",
        discussion: """
            Prints what changed. These settings take precedence over 'jimmy config' and over the options of 'jimmy refresh'. The value 'default' \
            removes a setting; 'jimmy show PODCAST' shows them. Changing the feed URL keeps the episodes and their history.

              jimmy edit "Night Radio" --title "Radio at night" --tag radio --tag night
              jimmy edit "Night Radio" --min-interval 6h --transcripts on
              jimmy edit "Night Radio" --download on --keep 5
              jimmy edit "Night Radio" --speed 1.4 --skip-intro 45s --skip-outro 30s
              jimmy edit "Night Radio" --only 'longer:20m -title:trailer'
              jimmy edit "Night Radio" --user me@example.com < password.txt
              jimmy edit "Night Radio" --pause
            """)

    @Argument(help: Names.podcastHelp, completion: Completions.podcast)
    var podcast: String

    @Option(help: "Use your own title; '' restores the feed's.")
    var title: String?

    @Option(name: .customLong("tag"), help: ArgumentHelp("Replace its tags; repeat for several.", valueName: "tag"))
    var tags: [String] = []

    @Flag(help: "Remove all tags.")
    var noTags = false

    @Option(help: ArgumentHelp("Fetch the feed from this URL from now on.", valueName: "url"))
    var feedURL: String?

    @Option(
        help: ArgumentHelp(
            "Sign in as this user; jimmy asks for the password or reads it from standard input. '' removes both.",
            valueName: "name"))
    var user: String?

    @Option(help: "Send this User-Agent; '' restores the default.")
    var userAgent: String?

    @Option(
        help: ArgumentHelp("Fetch transcripts: on, off or default.", valueName: "when"),
        completion: .list(["on", "off", "default"]))
    var transcripts: OrDefault<OnOff>?

    @Option(
        help: ArgumentHelp("Fetch chapters files: on, off or default.", valueName: "when"),
        completion: .list(["on", "off", "default"]))
    var chapters: OrDefault<OnOff>?

    @Option(
        help: ArgumentHelp(
            "Make transcripts of its episodes with 'jimmy transcribe': on, off or default.", valueName: "when"),
        completion: .list(["on", "off", "default"]))
    var transcribe: OrDefault<OnOff>?

    @Option(
        help: ArgumentHelp(
            "Download its new episodes with 'jimmy download' and 'jimmy refresh --download': on or off.", valueName: "when"),
        completion: .list(["on", "off"]))
    var download: OrDefault<OnOff>?

    @Option(
        help: ArgumentHelp(
            "Keep the newest N downloaded files; older ones are deleted once played, unless starred. 'default' keeps all.",
            valueName: "n"))
    var keep: OrDefault<Count>?

    @Option(help: ArgumentHelp("Play it at this speed, from 0.25 to 4, or default.", valueName: "factor"))
    var speed: OrDefault<Speed>?

    @Option(help: ArgumentHelp("Begin its episodes after this long: 45s, 1m30s, or default.", valueName: "span"))
    var skipIntro: OrDefault<PlaySpan>?

    @Option(help: ArgumentHelp("End its episodes so long before their end, or default.", valueName: "span"))
    var skipOutro: OrDefault<PlaySpan>?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Let only episodes that match become new, and be downloaded; '' lets all.", valueName: "query"))
    var only: String?

    @Option(help: ArgumentHelp("Wait at least this long after each fetch: 15m to 7d, or default.", valueName: "span"))
    var minInterval: OrDefault<Interval>?

    @Option(
        help: ArgumentHelp(
            "Wait at most this long, unless the server asks for a longer pause: 15m to 7d, or default.", valueName: "span"))
    var maxInterval: OrDefault<Interval>?

    @Option(help: ArgumentHelp("Give up a fetch after this many seconds, or default.", valueName: "seconds"))
    var timeout: OrDefault<Seconds>?

    @Option(
        help: ArgumentHelp(
            "Refuse feeds larger than this after decoding: 64M, 1G, a number of bytes, or default.", valueName: "bytes"))
    var maxSize: OrDefault<ByteCount>?

    @Flag(help: "Stop fetching it until you resume it.")
    var pause = false

    @Flag(help: "Fetch it again after a pause.")
    var resume = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if pause, resume { throw ValidationError("--pause and --resume exclude each other") }
        if noTags, !tags.isEmpty { throw ValidationError("--tag and --no-tags exclude each other") }
        if let userAgent, !userAgent.isEmpty, HeaderText(argument: userAgent) == nil {
            throw ValidationError("The value '\(userAgent)' is invalid for '--user-agent <user-agent>'")
        }
    }

    private var changesSomething: Bool {
        let values: [Any?] = [
            title, tags.first, noTags ? true : nil, feedURL, user, userAgent, transcripts, chapters, transcribe,
            download, keep, only, speed, skipIntro, skipOutro, minInterval, maxInterval, timeout,
            maxSize,
            pause || resume ? true : nil,
        ]
        return values.contains { $0 != nil }
    }

    func run(_ context: Context) async throws -> ExitStatus {
        // Checked here because validate() would hide the report of an unknown option.
        guard changesSomething else {
            throw FailureLine(
                "edit", "no change was given", status: .usage,
                advice: "add an option such as --title or --pause, or see 'jimmy edit --help'")
        }
        if let only {
            let meant = context.composition.expansion.expanded(only, now: context.now)
            if let refusal = FailureLine(refusing: SearchQuery(text: meant, now: context.now), for: "edit") { throw refusal }
        }
        let password = try user.flatMap { $0.isEmpty ? nil : $0 }.map {
            Credentials(user: $0, password: try Password.read(for: $0))
        }
        let library = try await context.composition.open(.write)
        let podcast = try await library.find.podcast(podcast)
        var settings = podcast.settings
        apply(to: &settings)
        if minInterval != nil || maxInterval != nil, let min = settings.minInterval, let max = settings.maxInterval, min > max {
            throw FailureLine(
                "edit", "--min-interval would be longer than --max-interval", status: .usage,
                advice: "give both, or set one of them to default")
        }
        var changes = EditPodcast.Changes(apply)
        changes.feedURL = feedURL
        if user != nil { changes.credentials = .some(password) }
        let edited = try await library.edit(podcast, changes, now: context.now)
        let view = EditView(before: podcast, after: edited)
        context.console.show(view)
        view.notes(for: context.console.display, json: context.options.json).forEach(context.console.note)
        return .done
    }

    @Sendable private func apply(to settings: inout PodcastSettings) {
        if let title { settings.title = title.isEmpty ? nil : title }
        if noTags || !tags.isEmpty { settings.tags = tags.filter { !$0.isEmpty } }
        if let userAgent { settings.userAgent = userAgent.isEmpty ? nil : userAgent }
        if let transcripts { settings.transcripts = transcripts.value?.isOn }
        if let chapters { settings.chapters = chapters.value?.isOn }
        if let transcribe { settings.transcribe = transcribe.value?.isOn }
        if let download { settings.download = download.value?.isOn == true ? true : nil }
        if let only { settings.only = only.isEmpty ? nil : only }
        if let keep { settings.keep = keep.value?.value }
        if let speed { settings.speed = speed.value?.factor }
        if let skipIntro { settings.skipIntro = skipIntro.value?.seconds }
        if let skipOutro { settings.skipOutro = skipOutro.value?.seconds }
        if let minInterval { settings.minInterval = minInterval.value?.seconds }
        if let maxInterval { settings.maxInterval = maxInterval.value?.seconds }
        if let timeout { settings.timeout = timeout.value?.value }
        if let maxSize { settings.maxBodySize = maxSize.value?.value }
        if pause || resume { settings.isPaused = pause }
    }
}
