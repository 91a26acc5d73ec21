import ArgumentParser
import Composition
import Domain
import Presentation
import Recording
import UseCases

struct Refresh: Command {
    static let configuration = CommandConfiguration(
        commandName: "refresh", _superCommandName: "jimmy",
        abstract: "Fetch podcasts that are due, store what changed, and update the search index. Made for cron.",
        discussion: """
            Named podcasts are fetched whether they are due or not. Only --force with its name fetches a podcast that you paused, \
            that answered 410, or whose server asked for a pause with Retry-After. A pause that a server asks for instead of a \
            media file is for downloads alone.

            In a pipe: outcome, podcast id, title, episodes added, changed, withdrawn, and the error, separated by tabs; \
            podcasts without changes have no line. If ~/.config/jimmy/hooks/post-refresh is executable, it runs after each \
            refresh and gets the new episodes as JSON Lines. See also 'jimmy help cron'.

            --transcripts (or the setting 'transcripts = all', or 'jimmy edit PODCAST --transcripts on') also fetches the \
            transcripts that feeds offer, newest first: at most 500 in a run, and 200 from one host. Failed transcripts are \
            counted in the notes; they do not change the counts of feeds or the exit code. --chapters (or 'chapters = all') \
            does the same for chapters files.

              jimmy refresh
              jimmy refresh --all --strict
              jimmy refresh --force "Night Radio"
              jimmy refresh --transcripts
              jimmy refresh --download
              jimmy refresh --transcribe
              jimmy refresh --archive "Night Radio"
              jimmy refresh --on-new "jq -r .title|xargs -rd '\\n' -n1 notify-send -- New"

            --archive reads the older pages of feeds that are split into several (RFC 5005), oldest last, and continues where an \
            earlier run stopped. Their episodes do not become new, and remain when the first page no longer lists them.

            --keep-running continues until SIGTERM or an interrupt: it looks for due podcasts every 10 seconds (setting 'poll'), \
            and prints its summary at the end. Any number of such workers on any number of machines can share a library in a \
            database. See also the systemd unit jimmy-worker.service.

            --record writes everything that servers sent to a file, with users, passwords and tokens replaced; --replay repeats \
            the run on a copy of the library. See also 'jimmy help replay'.
            """)

    @Argument(help: Names.podcastHelp, completion: Completions.podcast)
    var podcasts: [String] = []

    @Flag(help: "Also fetch podcasts that are not due, unless Retry-After or a 410 forbids it.")
    var all = false

    @Flag(help: "Fetch everything in full, without validators; named podcasts also if they are paused, gone or asked to wait.")
    var force = false

    @Option(help: ArgumentHelp("Fetch at most N feeds at once, up to 512. Default: your setting, or 32.", valueName: "n"))
    var concurrency: Number<Simultaneous>?

    @Option(help: ArgumentHelp("Fetch at most N at once from one host, up to 512. Default: your setting, or 2.", valueName: "n"))
    var perHost: Number<Simultaneous>?

    @Option(help: ArgumentHelp("Give up a feed after this many seconds. Default: your setting, or 60.", valueName: "seconds"))
    var timeout: Seconds?

    @Option(
        help: ArgumentHelp(
            "Refuse feeds larger than this after decoding, such as 1G. Default: your setting, or 64M.", valueName: "bytes"))
    var maxSize: ByteCount?

    @Option(
        help: ArgumentHelp(
            "Run a shell command if there are new episodes; it gets them as JSON Lines on standard input. If it fails, the next refresh offers them again.",
            valueName: "command"))
    var onNew: String?

    @Flag(help: "Also fetch transcripts, except for podcasts whose own setting is off.")
    var transcripts = false

    @Flag(help: "Also fetch chapters files, except for podcasts whose own setting is off.")
    var chapters = false

    @Flag(help: "Then download the new episodes of podcasts with '--download on'; see 'jimmy download --help'.")
    var download = false

    @Flag(help: "Then make transcripts of episodes that have none; see 'jimmy transcribe --help'.")
    var transcribe = false

    @Flag(help: "Also read the older pages of the named podcasts, if their feeds have several pages.")
    var archive = false

    @Option(help: ArgumentHelp("With --archive: read at most N older pages of each podcast. Default: 200.", valueName: "n"))
    var maxPages: Count?

    @Flag(help: "Continue until SIGTERM: fetch podcasts when they become due.")
    var keepRunning = false

    @Flag(help: "Exit 1 if any feed failed.")
    var strict = false

    @OptionGroup var recording: RecordingOptions

    @OptionGroup var options: GlobalOptions

    var network: Bool { true }
    /// A replay does not wait for servers, so it can end at once.
    var endsInOrder: Bool { recording.replay == nil }
    var isService: Bool { keepRunning }

    func validate() throws {
        if keepRunning, all || force || archive || !podcasts.isEmpty || recording.isUsed {
            throw ValidationError(
                "--keep-running fetches what is due; leave out podcasts, --all, --force, --archive and recordings")
        }
        if archive, podcasts.isEmpty { throw ValidationError("--archive needs the podcasts whose older pages to read") }
        if maxPages != nil, !archive { throw ValidationError("--max-pages needs --archive") }
    }

    func run(_ context: Context) async throws -> ExitStatus {
        if let replay = try recording.replay(context) { return try await replay.run() }
        let library = try await context.composition.open(.write)
        var refresh = context.settings.refreshOptions
        if !podcasts.isEmpty {
            refresh.podcasts = Set(try await library.find.podcasts(podcasts).map(\.id))
        }
        // Named podcasts are fetched even if they are not due.
        refresh.mode = force ? .force : all || !podcasts.isEmpty ? .all : .due
        if let concurrency { refresh.concurrency = concurrency.value }
        refresh.concurrency = min(refresh.concurrency, Descriptors.roomForConnections)
        if let perHost { refresh.perHost = perHost.value }
        if let timeout { refresh.limits.timeout = timeout.value }
        if let maxSize { refresh.limits.maxBodySize = maxSize.value }
        if transcripts { refresh.transcripts = true }
        if chapters { refresh.chapters = true }
        // A named podcast that is skipped gets a note.
        refresh.reportsSkipped = (context.options.json || !podcasts.isEmpty) && !keepRunning
        let hooks = Hooks(command: onNew ?? context.settings.onNew)
        var run = RefreshRun(context: context, library: library, options: refresh, strict: strict, hooks: hooks)
        run.recorder = try recording.recorder(context)
        run.downloads = download
        if transcribe { run.transcriber = try TranscriptionRun(context, library) }
        if archive { run.archivePages = maxPages?.value ?? ArchiveRun.usualPages }
        run.trace = try recording.trace.map { try RunTrace($0) }
        return try await keepRunning ? Worker(run, poll: .seconds(context.settings.poll.value)).run() : run.run()
    }
}
