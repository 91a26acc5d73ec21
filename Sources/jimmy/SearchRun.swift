import Composition
import Domain
import Presentation
import Results
import Searching
import UseCases

/// `jimmy search`, apart from the parser of its options.
struct SearchRun: Action {
    private let text: String
    let globals: GlobalOptions.Values
    var podcast: String?
    var since: DateArgument?
    var until: DateArgument?
    var sort = SearchRequest.Sort.relevance
    var includesArchived = false
    /// nil for the setting.
    var limit: Count?
    var explains = false
    /// True to index all changes first.
    var waits = false
    var facets: [SearchFacet] = []

    let subject = "search"
    let pages = true

    init(words: [String], _ globals: GlobalOptions.Values) {
        // `joined` would make the runtime search all conformances of the program.
        text = words.dropFirst().reduce(words.first ?? "") { $0 + " " + $1 }
        self.globals = globals
    }

    /// Parses words and the options of most searches, with the same result as the parser; nil for anything else. The
    /// parser first builds a description of all options, which takes longer than the search.
    init?(plain arguments: [String]) {
        var (globals, count) = (GlobalOptions.Values(), Count?.none)
        var (words, remaining) = ([String](), arguments[...])
        while let argument = remaining.popFirst() {
            switch argument {
            case "--json": globals.json = true
            case "--library":
                guard let folder = remaining.popFirst(), !folder.isEmpty, !folder.hasPrefix("-") else { return nil }
                globals.library = folder
            case "--limit":
                guard let limit = remaining.popFirst().flatMap({ Count(argument: $0) }) else { return nil }
                count = limit
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
        self.init(words: words, globals)
        limit = count
    }

    func run(_ context: Context) async throws -> ExitStatus {
        let library = try await context.composition.open(.search)
        var request = SearchRequest(text: text)
        if let podcast { request.podcast = try await library.find.podcast(podcast).id }
        request.since = since?.start(context.now)
        request.until = until?.end(context.now)
        request.sort = sort
        request.includesArchived = includesArchived
        request.explains = explains
        request.facets = facets
        request.limit = (limit ?? context.settings.searchLimit).value
        let progress = IndexingProgress(context.console)
        let outcome = try await library.search.run(
            request, now: context.now, isComplete: waits, progress: progress.follow)
        progress.clear()
        if outcome.isEmpty, request.limit > 0, !context.options.json,
            let (alternative, near) = try await library.search.alternative(
                to: request, suggestion: outcome.suggestion, now: context.now)
        {
            outcome.unknown.map(\.note).forEach(context.console.note)
            context.console.note(SearchView.heading(alternative, insteadOf: request.text))
            let view = SearchView(near)
            try await context.console.show(view, library.shorten)
            view.failures.forEach(context.console.report)
            view.notes.forEach(context.console.note)
            // Nothing was found for what was asked.
            return .incomplete
        }
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
