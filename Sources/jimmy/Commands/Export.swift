import ArgumentParser
import Domain
import Presentation

struct Export: Action {
    static let configuration = CommandConfiguration(
        commandName: "export", _superCommandName: "jimmy",
        abstract: "Writes episodes as a podcast feed, JSON Lines, CSV or Markdown.",
        discussion: """
            With a query: what 'jimmy search' finds for it, newest first. With --queue: the play queue, in order. \
            Else the newest episodes of all podcasts. The feed can be put where any podcast app reads it.

              jimmy export rss --queue > ~/public_html/queue.xml
              jimmy export csv lighthouse
              jimmy export markdown 'is:new'
            """)

    @Argument(
        help: ArgumentHelp("rss, json, csv or markdown.", valueName: "format"),
        completion: .list(ExportDocument.Format.allCases.map(\.rawValue)))
    var format: ExportDocument.Format

    @Argument(help: ArgumentHelp("As for 'jimmy search'; see 'jimmy help search'.", valueName: "query"))
    var query: [String] = []

    @Flag(help: "The play queue.")
    var queue = false

    @Option(help: ArgumentHelp("At most so many.", valueName: "n"))
    var limit = Positive(100)

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if queue, !query.isEmpty { throw ValidationError("Give a query or --queue, not both") }
    }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.search)
        let text = query.joined(separator: " ")
        let episodes: [ListedEpisode]
        var status: ExitStatus?
        if queue {
            episodes = Array(try await library.queue.list().prefix(limit.value))
        } else if text.isEmpty {
            var filter = FetchEpisodes.Filter()
            filter.limit = limit.value
            episodes = try await library.fetchEpisodes(filter)
        } else {
            var request = SearchRequest(text: text)
            request.sort = .date
            request.limit = limit.value
            let outcome = try await library.search.run(request, now: context.now)
            let view = SearchView(outcome)
            view.failures.forEach(context.console.report)
            status = view.status
            episodes = outcome.episodes.map { ListedEpisode(podcast: $0.podcast, episode: $0.episode) }
        }
        let title = queue ? "Play queue" : text.isEmpty ? "Newest episodes" : text
        context.console.write(Array(ExportDocument(format, title: title, episodes).text.utf8))
        if episodes.isEmpty { context.console.note("No episode to export.") }
        return status ?? (episodes.isEmpty ? .incomplete : .done)
    }
}
