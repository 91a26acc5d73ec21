import ArgumentParser
import Composition
import Domain
import Presentation
import Searching
import UseCases

/// The episodes that a command works on: given by name, by ids on standard input (`-`), by a query, or picked.
struct EpisodeSelection {
    /// What the name of a podcast stands for.
    enum PodcastMeaning {
        /// Its new episodes, except those that were downloaded and deleted.
        case new
        case all
        case season(Int)
        /// Nothing: `--all` or a query must say what is meant.
        case refused
    }

    static let severalSources = ValidationError("Give episodes, --query or --queue, not several of them")

    var names: [String]
    var query: String?
    /// The command's name, for messages.
    var command: String
    /// True if a query includes archived episodes.
    var includesArchived = false
    var podcastMeaning = PodcastMeaning.refused
    /// True to choose among the matches of the query or names, or among new episodes.
    var picks = false
    /// True if the oldest match of a query or episode of a podcast comes first.
    var oldestFirst = false

    /// The episodes in order, each once.
    ///
    /// - Throws: `LookupFailure` if a named episode does not exist; `FailureLine` if an id on standard input does not, or
    ///   if the index cannot answer in full, because acting on some of the matches is not what was asked for.
    func find(_ library: OpenLibrary, _ context: Context) async throws -> [EpisodeID] {
        if picks {
            let query = query ?? (names.isEmpty ? nil : names.joined(separator: " "))
            return try await Picker(context: context, library: library).pick(matching: query, for: command)
        }
        if let query { return try await matches(query, library, context) }
        var ids: [EpisodeID] = []
        for named in try await library.find.named(names.filter { $0 != "-" }, context) {
            switch named {
            case .episode(let id): ids.append(id)
            case .podcast(let podcast): ids += try await episodes(of: podcast, library)
            }
        }
        if names.contains("-") { ids += try await Self.onStandardInput(library, context) }
        return ids.uniqued(by: \.self)
    }

    /// As `find`, with their podcasts, for commands that do more than reading.
    ///
    /// - Throws: also `FailureLine` if a podcast was unsubscribed with its episodes kept.
    func subscribed(_ library: OpenLibrary, _ context: Context) async throws -> [ListedEpisode] {
        let ids = try await find(library, context)
        let listed = try await library.listEpisodes.listed(ids)
        if query != nil, !picks { return try await library.order(listed, oldestFirst: oldestFirst) }
        if query == nil, listed.count < ids.count,
            let first = ids.first(where: { id in !listed.contains { $0.episode.id == id } })
        {
            throw FailureLine.unsubscribed(first)
        }
        return listed
    }

    /// The episodes whose ids are on standard input.
    ///
    /// - Throws: `FailureLine` if one does not exist.
    static func onStandardInput(_ library: OpenLibrary, _ context: Context) async throws -> [EpisodeID] {
        let texts = IDLines.ids(in: String(decoding: try UserFile("-").read(), as: UTF8.self))
        let written = try await library.find.episodeIDs(written: texts)
        if let first = written.unknown.first { throw FailureLine.unknownID(first, others: written.unknown.count - 1) }
        if written.podcasts > 0 { context.console.note(QueueWording.leftOut(podcasts: written.podcasts)) }
        return written.ids
    }

    private func episodes(of podcast: Podcast, _ library: OpenLibrary) async throws -> [EpisodeID] {
        var filter = ListEpisodes.Filter()
        filter.podcasts = [podcast.id]
        filter.includesArchived = includesArchived
        filter.oldestFirst = oldestFirst
        switch podcastMeaning {
        case .new:
            let new = try await library.downloadRetention().new(of: podcast.id)
            return try await library.order(new, oldestFirst: oldestFirst).map(\.episode.id)
        case .all: return try await library.listEpisodes(filter).map(\.episode.id)
        case .season(let number):
            let season = try await library.listEpisodes(filter).filter { $0.episode.item.season?.number == Double(number) }
            guard !season.isEmpty else { throw FailureLine.noSeason(number, of: podcast) }
            return season.map(\.episode.id)
        case .refused: throw FailureLine.podcastNamed(podcast, command: command)
        }
    }

    private func matches(_ query: String, _ library: OpenLibrary, _ context: Context) async throws -> [EpisodeID] {
        let meant = context.composition.expansion.expanded(query, now: context.now)
        if let refusal = FailureLine(refusing: SearchQuery(text: meant, now: context.now), for: command) { throw refusal }
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
