import ArgumentParser
import Composition
import Domain
import Presentation

struct Search: Action {
    static let configuration = CommandConfiguration(
        commandName: "search", _superCommandName: "jimmy",
        abstract: "Search the episodes and podcasts of your library, best matches first.",
        discussion: """
            Words side by side mean AND. 'jimmy help search' explains "phrases", OR, -word, prefix*, fields and conditions. In \
            a pipe: id, date, podcast, title, snippet, separated by tabs; a snippet from a transcript or chapter begins with its time, \
            such as 00:12:34.

              jimmy search night radio
              jimmy search 'title:"deep sea" after:2024-01-01'
              jimmy search transcript:reactor
              jimmy search 'added:7d' --sort oldest
            """)

    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("The query.", valueName: "query"))
    var query: [String] = []

    @Option(help: ArgumentHelp("Search only this podcast.", valueName: "podcast"), completion: Completions.podcast)
    var podcast: String?

    @Option(help: ArgumentHelp("Only episodes published on this day or later.", valueName: "date"))
    var since: DateArgument?

    @Option(help: ArgumentHelp("Only episodes published on this day or earlier.", valueName: "date"))
    var until: DateArgument?

    @Option(help: "Best matches, newest or oldest first.")
    var sort = SearchRequest.Sort.relevance

    @Flag(help: "Include archived episodes.")
    var all = false

    @Option(help: ArgumentHelp("Show at most N. Default: your setting, or 20.", valueName: "n"))
    var limit: Count?

    @Flag(help: "Explain the rank of each result: words, fields, bm25 and age.")
    var explain = false

    @Option(
        help: ArgumentHelp(
            "With --json, also count all matches by podcast, year or language; separate several with commas.",
            valueName: "names"))
    var facets: FacetNames?

    @OptionGroup var options: GlobalOptions

    /// Parses words and the options of most searches, with the same result as the parser; nil for anything else. The
    /// parser first builds a description of all options, which takes longer than the search.
    init?(plain arguments: [String]) {
        (podcast, since, until, sort, all, limit, explain, facets) = (nil, nil, nil, .relevance, false, nil, false, nil)
        var options = GlobalOptions.none
        var (words, remaining) = ([String](), arguments[...])
        while let argument = remaining.popFirst() {
            switch argument {
            case "--json": options.json = true
            case "--library":
                guard let folder = remaining.popFirst(), !folder.isEmpty, !folder.hasPrefix("-") else { return nil }
                options.library = folder
            case "--limit":
                guard let limit = remaining.popFirst().flatMap({ Count(argument: $0) }) else { return nil }
                self.limit = limit
            case "--":
                if remaining.contains("--") { return nil }
                words += remaining
                remaining = []
            default:
                if argument.hasPrefix("-") { return nil }
                words.append(argument)
            }
        }
        guard words.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else { return nil }
        (query, self.options) = (words, options)
    }

    init() {}

    mutating func validate() throws {
        query = try QueryWords.words(query)
        guard query.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else {
            throw ValidationError("Missing expected argument '<query> ...'")
        }
        if facets != nil, !options.json { throw ValidationError("'--facets' needs '--json'") }
    }

    var pages: Bool { true }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.search)
        var request = SearchRequest(text: query.joined(separator: " "))
        if let podcast { request.podcast = try await library.find.podcast(podcast).id }
        request.since = since?.start(context.now)
        request.until = until?.end(context.now)
        request.sort = sort
        request.includesArchived = all
        request.explains = explain
        request.facets = facets?.facets ?? []
        request.limit = (limit ?? context.settings.searchLimit).value
        let progress = IndexingProgress(context.console)
        let outcome = try await library.search.run(request, now: context.now, progress: progress.follow)
        progress.clear()
        let view = SearchView(outcome)
        try await context.console.show(view, library.shorten)
        view.failures.forEach(context.console.report)
        view.notes.forEach(context.console.note)
        guard view.status == .incomplete else { return view.status }
        if request.limit == 0 {
            context.console.note(CutList.isEmpty)
        } else if try await library.podcasts.isEmpty() {
            context.console.note(PodcastListView.noSubscriptions)
        } else {
            context.console.note(SearchView.nothing(for: request.text, suggestion: outcome.suggestion))
        }
        return view.status
    }
}
