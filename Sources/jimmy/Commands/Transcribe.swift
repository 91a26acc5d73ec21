import ArgumentParser
import Composition
import Domain
import Presentation
import Results
import UseCases

struct Transcribe: Command {
    static let configuration = CommandConfiguration(
        commandName: "transcribe", _superCommandName: "jimmy",
        abstract: "Make transcripts with a speech recogniser of your choice, so that search finds what was said.",
        discussion: """
            Without arguments, it works on the queue, then on new episodes, the newest first, of podcasts that you turned on \
            with 'jimmy edit PODCAST --transcribe on'; the setting 'transcribe' names more. A transcript that the feed offers \
            wins: 'jimmy refresh --transcripts' fetches it, and replaces one that was made here.

            The setting 'transcriber' is the recogniser's command line. In it, {audio} stands for a WAV file, {language} for a \
            code such as en, and {output} for the path of the file to write, without .vtt, .srt or .json; standard output will \
            do, too. The audio is decoded by ffmpeg and cut into pieces of five minutes, which are recognised one at a time at \
            the lowest priority. Audio that is not downloaded is fetched and deleted afterwards. A run that is interrupted or \
            killed is continued by the next. Pieces on which the recogniser fails are tried again after a day, then ever later.

            In a pipe: outcome, id, segments or error, separated by tabs. Exits 1 if some episodes failed.

              jimmy config set transcriber 'whisper-cli -m ~/base.bin -f {audio} -ovtt'
              jimmy transcribe "Lighthouse keepers"
              jimmy transcribe --query 'after:2024'
              jimmy transcribe --until 07:00
            """)

    @Argument(help: Names.episodesHelp, completion: Completions.anything)
    var episodes: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Transcribe all matches of a query, newest first; see 'jimmy help search'.", valueName: "query"))
    var query: String?

    @Flag(help: "Transcribe the play queue.")
    var queue = false

    @Flag(help: Names.pickHelp)
    var pick = false

    @Option(name: .customLong("for"), help: ArgumentHelp("Stop after this long: 2h, 45m.", valueName: "duration"))
    var duration: PlaySpan?

    @Option(help: ArgumentHelp("Stop at this time of day.", valueName: "hh:mm"))
    var until: TimeOfDay?

    @Flag(help: "Replace transcripts that were made before.")
    var again = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if [!episodes.isEmpty, query != nil, queue].count(where: { $0 }) > 1 { throw EpisodeSelection.severalSources }
    }

    var network: Bool { true }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.write)
        var run = try TranscriptionRun(context, library)
        run.options.budget = TranscriptionBudget(
            seconds: duration.map { Int64($0.seconds) }, until: until?.minutes, now: context.now, zoneOffset: context.now.zone)
        run.options.isNamed = !episodes.isEmpty || pick
        run.options.isAgain = again
        let wanted = try await wanted(library, context)
        guard !wanted.isEmpty else {
            context.console.note(query == nil ? TranscribeWording.nothing : TagWording.nothingMatched)
            return query == nil ? .done : .incomplete
        }
        let summary = try await run.run(wanted, by: context.composition.fetcher(), context.composition.politeness())
        if let failure = summary.localFailure { throw failure }
        if let failure = TranscribeWording.failure(summary) { context.console.report(failure) }
        return summary.status
    }

    private func wanted(_ library: OpenLibrary, _ context: Context) async throws -> [EpisodeID] {
        if queue { return try await library.queue.list().map(\.episode.id) }
        guard !episodes.isEmpty || query != nil || pick else {
            return try await library.findUntranscribed(context.settings.transcribe)
        }
        var selection = EpisodeSelection(names: episodes, query: query, command: "transcribe")
        selection.podcastMeaning = .all
        selection.picks = pick
        return try await selection.subscribed(library, context).map(\.episode.id)
    }
}
