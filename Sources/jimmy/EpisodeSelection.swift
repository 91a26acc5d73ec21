import Composition
import Domain
import Presentation
import UseCases

/// The episodes that a command works on: given by name, by ids on standard input (`-`), or by a query.
struct EpisodeSelection {
    var names: [String]
    var query: String?
    /// The command's name, for the message that refuses a query with a likely mistake.
    var command: String
    /// True if a query includes archived episodes.
    var includesArchived = false

    /// The episodes in order, and `.incomplete` if an id on standard input does not exist.
    ///
    /// - Throws: `LookupFailure` if a named episode does not exist; `FailureLine` if the index cannot answer in full,
    ///   because acting on some of the matches is not what was asked for.
    func find(_ library: OpenLibrary, _ context: Context) async throws -> (ids: [EpisodeID], status: ExitStatus) {
        if let query { return (try await matches(query, library, context), .done) }
        let named = try await library.find.episodeIDs(names.filter { $0 != "-" })
        if let missing = named.missing.first { throw missing }
        guard names.contains("-") else { return (named.ids, .done) }
        let text = String(decoding: try UserFile("-").read(), as: UTF8.self)
        let listed = try await library.find.episodeIDs(text.split(whereSeparator: \.isWhitespace).map(String.init))
        for failure in listed.missing { context.console.report(FailureLine(failure, doing: "standard input")) }
        return (named.ids + listed.ids, listed.missing.isEmpty ? .done : .incomplete)
    }

    /// As `find`, with their podcasts, for commands that do more than reading.
    ///
    /// - Throws: also `FailureLine` if a podcast was unsubscribed with its episodes kept.
    func subscribed(_ library: OpenLibrary, _ context: Context) async throws -> ([ListedEpisode], ExitStatus) {
        let (ids, status) = try await find(library, context)
        let listed = try await library.listEpisodes.listed(ids)
        if query == nil, listed.count < ids.count,
            let first = ids.first(where: { id in !listed.contains { $0.episode.id == id } })
        {
            throw FailureLine.unsubscribed(first)
        }
        return (listed, status)
    }

    private func matches(_ query: String, _ library: OpenLibrary, _ context: Context) async throws -> [EpisodeID] {
        if let refusal = FailureLine(refusing: SearchQuery(text: query, now: context.now), for: command) { throw refusal }
        var request = SearchRequest(text: query)
        request.limit = .max
        request.includesArchived = includesArchived
        let progress = IndexingProgress(context.console)
        let (ids, outcome) = try await library.search.matches(request, now: context.now, progress: progress.follow)
        progress.clear()
        let failures = SearchView(outcome).failures
        failures.forEach(context.console.report)
        if let first = failures.first {
            throw FailureLine(query, "not all matches are known; nothing was changed", status: first.status)
        }
        return ids
    }
}
