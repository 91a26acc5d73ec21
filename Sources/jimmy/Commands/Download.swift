import ArgumentParser
import Composition
import Domain
import Presentation
import Results
import UseCases

struct Download: Command {
    static let configuration = CommandConfiguration(
        commandName: "download", _superCommandName: "jimmy",
        abstract: "Download episodes, or the new ones of a podcast; without arguments, of podcasts with '--download on'.",
        discussion: """
            Without arguments, it downloads the new episodes of podcasts for which you turned downloads on with \
            'jimmy edit PODCAST --download on', as 'jimmy refresh --download' does. Files go to the folder in the setting \
            'downloads', under names made from the setting 'name'. An interrupted download continues where it stopped. Existing \
            files are not fetched again. At the end, played files beyond the newest N of 'jimmy edit PODCAST --keep N' are \
            deleted, unless they are starred or were changed. More than 50 files or 5 GB are downloaded only after a question, or \
            with --yes. If the folder had files and is empty, or is on another disk, nothing is downloaded: its disk is probably not \
            mounted. If a server refuses a file as it would an expired address, the feed is read again for a new one. With 'tags = on', ffmpeg writes title, podcast, date, cover and chapters into each file. In a pipe: outcome, id, bytes, path or error, separated by tabs. \
            Exits 1 if some files failed or were skipped, 69 if all failed, 74 if the disk is full.

              jimmy download
              jimmy download "Lighthouse keepers"
              jimmy download "Night Radio"
              jimmy download --query 'is:new shorter:1h' --max-total 2G
              jimmy download --queue
              jimmy download --on-download "jq -r .path | xargs -r -d '\\n' ls -l --"
            """)

    @Argument(help: Names.episodesHelp, completion: Completions.anything)
    var episodes: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Download all matches of a query instead, newest first; see 'jimmy help search'.", valueName: "query"))
    var query: String?

    @Option(help: DateOrder.help)
    var sort = DateOrder.date

    @Flag(help: "Download the play queue instead.")
    var queue = false

    @Flag(help: Names.pickHelp)
    var pick = false

    @Option(help: ArgumentHelp("Download at most N files.", valueName: "n"))
    var limit: Count?

    @Option(help: ArgumentHelp("Download at most this much: 500M, 2G or a number of bytes.", valueName: "size"))
    var maxTotal: ByteCount?

    @Option(help: ArgumentHelp("Download at most N files at once.", valueName: "n"))
    var concurrency = Number<Simultaneous>(4)

    @Option(help: ArgumentHelp("Download at most N files at once from one host. Default: your setting, or 2.", valueName: "n"))
    var perHost: Number<Simultaneous>?

    @Option(
        help: ArgumentHelp(
            "Run a shell command for the downloaded files; it gets their episodes as JSON Lines on standard input, each with 'path'. Default: your setting.",
            valueName: "command"))
    var onDownload: String?

    @Flag(help: "Download more than 50 files or 5 GB without asking.")
    var yes = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if [!episodes.isEmpty, query != nil, queue].count(where: { $0 }) > 1 { throw EpisodeSelection.severalSources }
    }

    var network: Bool { true }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.write)
        let wanted = try await wanted(library, context)
        var download = try DownloadRun(context, library)
        download.options.concurrency = concurrency.value
        download.options.limit = limit?.value
        download.options.maxTotal = maxTotal?.value
        download.options.isNamed = !episodes.isEmpty || pick
        download.confirmsLarge = !yes
        if let onDownload { download.onDownload = onDownload }
        let politeness = context.composition.politeness(slots: perHost?.value)
        let summary = try await download.run(wanted, by: context.composition.fetcher(), politeness)
        if limit?.value == 0 {
            context.console.note(DownloadWording.limitOfZero)
        } else if wanted.isEmpty {
            context.console.note(query == nil ? DownloadWording.nothing : TagWording.nothingMatched)
        }
        if wanted.isEmpty, query != nil { return .incomplete }
        if let failure = summary.localFailure { throw failure }
        if let failure = DownloadWording.failure(summary) { context.console.report(failure) }
        return summary.status ?? .done
    }

    private func wanted(_ library: OpenLibrary, _ context: Context) async throws -> [ListedEpisode] {
        if queue { return try await library.queue.list() }
        guard !episodes.isEmpty || query != nil || pick else {
            return try await library.order(try await library.downloadRetention().wanted(), oldestFirst: sort == .oldest)
        }
        var selection = EpisodeSelection(names: episodes, query: query, command: "download")
        selection.podcastMeaning = .new
        selection.oldestFirst = sort == .oldest
        selection.picks = pick
        return try await selection.subscribed(library, context)
    }
}
