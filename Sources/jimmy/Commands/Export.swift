import ArgumentParser
import Composition
import Domain
import Presentation
import Results
import Searching
import UseCases

struct Export: Command {
    static let configuration = CommandConfiguration(
        commandName: "export", _superCommandName: "jimmy",
        abstract: "Write episodes as a podcast feed, JSON Lines, CSV or Markdown.",
        discussion: """
            With a query: the episodes that match it, newest first. With --queue: the play queue, in order. Otherwise all \
            episodes, newest first. Any podcast app can read the exported feed. Markdown has your bookmarks, with links that play from there.

              jimmy export rss --queue > queue.xml
              jimmy export csv lighthouse
              jimmy export markdown 'is:new'
            """)

    @Argument(
        help: ArgumentHelp("The format: rss, json, csv or markdown.", valueName: "format"),
        completion: .list(ExportDocument.Format.allCases.map(\.rawValue)))
    var format: ExportDocument.Format

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("A query, as for 'jimmy search'; see 'jimmy help search'.", valueName: "query"))
    var query: [String] = []

    @Flag(help: "Export the play queue.")
    var queue = false

    @Option(help: DateOrder.help)
    var sort = DateOrder.date

    @Option(help: ArgumentHelp("Export at most N. Default: all.", valueName: "n"))
    var limit: Count?

    @OptionGroup var options: GlobalOptions

    mutating func validate() throws {
        query = try QueryWords.words(query)
        if queue, !query.isEmpty { throw ValidationError("a query and --queue exclude each other") }
    }

    func run(_ context: Context) async throws -> ExitStatus {
        let query = query.joined(separator: " ")
        let meant = context.composition.expansion.expanded(query, now: context.now)
        if let refusal = FailureLine(refusing: SearchQuery(text: meant, now: context.now), for: "export") { throw refusal }
        let library = try await context.composition.open(.search)
        let episodes: [ListedEpisode]
        var status: ExitStatus?
        if queue {
            episodes = Array(try await library.queue.list().prefix(limit?.value ?? .max))
        } else if query.isEmpty {
            var filter = ListEpisodes.Filter()
            filter.limit = limit?.value
            filter.oldestFirst = sort == .oldest
            episodes = try await library.listEpisodes(filter)
        } else {
            var request = SearchRequest(text: query)
            request.sort = sort == .oldest ? .oldest : .date
            request.limit = limit?.value ?? SearchRequest.maxResults
            let progress = IndexingProgress(context.console)
            let outcome = try await library.search.run(
                request, now: context.now, isComplete: true, progress: progress.follow)
            progress.clear()
            let view = SearchView(outcome)
            view.failures.forEach(context.console.report)
            status = view.status
            episodes = outcome.episodes.map { ListedEpisode(podcast: $0.podcast, episode: $0.episode, tags: $0.tags) }
        }
        let title = queue ? "Play queue" : query.isEmpty ? "Newest episodes" : query
        let bookmarks = format == .markdown ? try await library.bookmarks.byEpisode() : [:]
        context.console.write(Array(ExportDocument(format, title: title, episodes, bookmarks: bookmarks).text.utf8))
        if episodes.isEmpty { context.console.note(limit?.value == 0 ? CutList.isEmpty : "No episodes to export.") }
        return status ?? (episodes.isEmpty ? .incomplete : .done)
    }
}
