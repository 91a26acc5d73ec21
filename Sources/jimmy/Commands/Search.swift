import ArgumentParser
import Composition
import Domain
import Presentation
import Searching

struct Search: Command {
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

    @Flag(help: "Index all changes of the library first, however long it takes.")
    var wait = false

    @Option(
        help: ArgumentHelp(
            "With --json, also count all matches by podcast, year or language; separate several with commas.",
            valueName: "names"))
    var facets: FacetNames?

    @OptionGroup var options: GlobalOptions

    mutating func validate() throws {
        query = try QueryWords.words(query)
        guard query.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else {
            throw ValidationError("Missing expected argument '<query> ...'")
        }
        if facets != nil, !options.json { throw ValidationError("'--facets' needs '--json'") }
    }

    var pages: Bool { true }

    func run(_ context: Context) async throws -> ExitStatus { try await search.run(context) }

    private var search: SearchRun {
        var search = SearchRun(words: query, options.values)
        search.podcast = podcast
        search.since = since
        search.until = until
        search.sort = sort
        search.includesArchived = all
        search.limit = limit
        search.explains = explain
        search.waits = wait
        search.facets = facets?.facets ?? []
        return search
    }
}
