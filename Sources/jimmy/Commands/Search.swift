import ArgumentParser
import Domain
import Presentation

struct Search: Action {
    static let configuration = CommandConfiguration(
        commandName: "search", _superCommandName: "jimmy",
        abstract: "Searches episodes and podcasts of the library, best first.",
        discussion: """
            Words are joined by AND; "phrases", OR, -word, prefix*, fields and filters are explained by \
            'jimmy help search'. In a pipe: id, date, podcast, title, snippet, with tabs between them; a snippet of what is said \
            begins with its time, 00:12:34.

              jimmy search night radio
              jimmy search 'title:"deep sea" after:2024-01-01'
              jimmy search transcript:reactor
            """)

    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("What to look for.", valueName: "query"))
    var query: [String] = []

    @Option(help: ArgumentHelp("Only episodes of this podcast.", valueName: "podcast"), completion: Completions.podcast)
    var podcast: String?

    @Option(help: ArgumentHelp("Published on that day or later.", valueName: "date"))
    var since: DateArgument?

    @Option(help: ArgumentHelp("Published on that day or earlier.", valueName: "date"))
    var until: DateArgument?

    @Option(help: "Best first or newest first.")
    var sort = SearchRequest.Sort.relevance

    @Option(help: ArgumentHelp("At most so many; as set, else 20.", valueName: "n"))
    var limit: Count?

    @OptionGroup var options: GlobalOptions

    /// `-word` belongs to the query, `--word` is a mistyped option.
    mutating func validate() throws {
        if let option = query.first(where: { $0.hasPrefix("--") && $0 != "--" }) {
            throw ValidationError("Unknown option '\(option)'")
        }
        query.removeAll { $0 == "--" }
        guard query.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else {
            throw ValidationError("Missing expected argument '<query> ...'")
        }
    }

    var pages: Bool { true }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.search)
        var request = SearchRequest(text: query.joined(separator: " "))
        if let podcast { request.podcast = try await library.find.podcast(podcast).id }
        request.since = since?.start(context.now)
        request.until = until?.end(context.now)
        request.sort = sort
        request.limit = (limit ?? context.settings.searchLimit).value
        let progress = IndexingProgress(context.console)
        let outcome = try await library.search.run(request, now: context.now, progress: progress.follow)
        progress.clear()
        let view = SearchView(outcome)
        context.console.show(view)
        view.failures.forEach(context.console.report)
        guard view.status == .incomplete else { return view.status }
        if request.limit == 0 {
            context.console.note("A limit of 0 shows nothing.")
        } else if try await library.fetchPodcasts().isEmpty {
            context.console.note(PodcastListView.noSubscriptions)
        } else {
            context.console.note(SearchView.nothing(for: request.text, suggestion: outcome.suggestion))
        }
        return view.status
    }
}
