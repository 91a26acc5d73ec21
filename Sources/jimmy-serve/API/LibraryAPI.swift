import Composition
import Domain
import Hummingbird
import Presentation
import Results
import Searching
import UseCases

/// The library as JSON at `/api/1`: the rows of the command's `--json`, in pages. `openapi.json` describes it.
struct LibraryAPI {
    let site: Site

    func add(to router: Router<SiteContext>) {
        let api = router.group("/api/1")
        let document = Response.bytes(PackageResources.openapi_json, type: "application/json; charset=utf-8")
        api.get("/openapi.json", use: taking([]) { _, _ in document })
        api.get("/podcasts", use: taking(["page", "limit", "failing", "tag"], podcasts))
        api.get("/podcasts/:podcast", use: taking([], podcast))
        api.get("/episodes", use: taking(["page", "limit", "query", "podcast"], episodes))
        api.get("/episodes/:episode", use: taking([], episode))
        api.get("/episodes/:episode/transcript", use: taking([], transcript))
        api.get("/episodes/:episode/similar", use: taking([], similar))
        api.post("/episodes/:episode/tags", use: taking([], tag))
        api.get("/episodes/:episode/position", use: taking([], position))
        api.put("/episodes/:episode/position", use: taking([], PlayerRequests(site: site).position))
        let marks = MarkRequests(site: site)
        api.get("/episodes/:episode/marks", use: taking([], marks.list))
        api.post("/episodes/:episode/marks", use: taking([], marks.set))
        api.delete("/episodes/:episode/marks", use: taking(["seconds"], marks.remove))
        api.get("/search", use: taking(["q", "podcast", "sort", "limit"], search))
        api.get("/queue", use: taking([], queue))
        api.post("/queue", use: taking([], enqueue))
        api.delete("/queue/:episode", use: taking([], dequeue))
        api.get("/tags", use: taking([], tags))
        api.get("/status", use: taking([], status))
    }

    private typealias Handler = @Sendable (Request, SiteContext) async throws -> Response

    /// Refuses parameters that a request does not have, so that a slip is not taken for a choice.
    private func taking(_ names: Set<String>, _ handler: @escaping Handler) -> Handler {
        { request, context in
            if let other = request.query.names.first(where: { !names.contains($0) }) {
                let choices = names.isEmpty ? "there are none" : "there are " + names.sorted().joined(separator: ", ")
                throw HTTPError(.badRequest, message: "no such parameter: '\(other.prefix(80))'; \(choices)")
            }
            return try await handler(request, context)
        }
    }

    // MARK: Podcasts

    func podcasts(_ request: Request, _ context: SiteContext) async throws -> Response {
        let form = request.query
        let isFailing = try form.choice("failing", ["true": true, "false": false]) ?? false
        let all = try await site.reader.fetchPodcasts(failingOnly: isFailing, tag: form["tag"])
        let pages = Pages(try form.count("page") ?? 1, of: all.count, size: try pageSize(form))
        return page(PodcastListView(all.slice(pages.range)).jsonRows, pages, total: all.count)
    }

    func podcast(_ request: Request, _ context: SiteContext) async throws -> Response {
        let library = site.reader
        guard let podcast = try await library.podcasts.podcast(try context.podcastID()) else { throw HTTPError(.notFound) }
        let channel = try await library.episodes.channel(of: podcast.id) ?? Channel()
        let language = await library.searchLanguage(of: podcast.id)
        return one(PodcastView(podcast, channel, searchLanguage: language, now: context.time))
    }

    // MARK: Episodes

    func episodes(_ request: Request, _ context: SiteContext) async throws -> Response {
        let library = site.reader
        let form = request.query
        let podcast = form["podcast"].map { PodcastID(text: $0) }
        let query = form["query"] ?? (podcast == nil ? SearchRequest.everyEpisode : "")
        let total = try await library.count(query, podcast: podcast, now: context.time)
        let pages = Pages(try form.count("page") ?? 1, of: total, size: try pageSize(form))
        let ids = try await library.newestFirst(query, podcast: podcast, range: pages.range, now: context.time)
        return page(EpisodeListView(try await library.listEpisodes.listed(ids)).jsonRows, pages, total: total)
    }

    func episode(_ request: Request, _ context: SiteContext) async throws -> Response {
        let listed = try await listedEpisode(context)
        let (library, id) = (site.reader, listed.episode.id)
        return one(
            EpisodeView(
                listed, transcript: try await library.transcripts.transcript(of: id),
                bookmarks: try await library.bookmarks(of: id)))
    }

    func transcript(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try await listedEpisode(context).episode.id
        guard let transcript = try await site.reader.transcripts.transcript(of: id) else { throw HTTPError(.notFound) }
        return list(TranscriptView(transcript.segments).jsonRows)
    }

    func similar(_ request: Request, _ context: SiteContext) async throws -> Response {
        let listed = try await listedEpisode(context)
        let similar = try await site.reader.findSimilar(listed.episode, of: listed.podcast, limit: 10)
        return list(EpisodeListView(similar.map(\.listed)).jsonRows)
    }

    /// Adds and removes tags; either all of them or none.
    func tag(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try await listedEpisode(context).episode.id
        let form = try await request.form()
        let (added, removed) = (form.all("add").map { Tag($0) }, form.all("remove").map { Tag($0) })
        let all = (added + removed).compactMap(\.self)
        guard all.count == added.count + removed.count, !all.isEmpty, !all.contains(.downloaded) else {
            throw HTTPError(.badRequest, message: "not a tag")
        }
        let edit = TagEdit(adding: Set(added.compactMap(\.self)), removing: Set(removed.compactMap(\.self)))
        try await site.writer.tag(edit, [id], undoableAt: context.time)
        return one(EpisodeView(try await listedEpisode(context)))
    }

    func position(_ request: Request, _ context: SiteContext) async throws -> Response {
        .json(try await PlayerRequests(site: site).json(of: try await listedEpisode(context), context))
    }

    private func listedEpisode(_ context: SiteContext) async throws -> ListedEpisode {
        guard let listed = try await site.reader.listEpisodes.listed([try context.episodeID()]).first else {
            throw HTTPError(.notFound)
        }
        return listed
    }

    // MARK: Searches and lists

    func search(_ request: Request, _ context: SiteContext) async throws -> Response {
        let form = request.query
        guard let text = form["q"] else { throw HTTPError(.badRequest, message: "q is missing") }
        var searchRequest = SearchRequest(text: text)
        searchRequest.podcast = form["podcast"].map { PodcastID(text: $0) }
        let sorts = SearchRequest.Sort.allCases.map { ($0.rawValue, $0) }
        searchRequest.sort = try form.choice("sort", Dictionary(sorts) { $1 }) ?? .relevance
        searchRequest.limit = min(try form.count("limit") ?? 20, Self.maxPageSize)
        // Scores change with the age of episodes; within a minute, the ETag of a search stays.
        let minute = context.time + -(context.time.seconds % 60)
        let outcome = try await site.reader.search.run(searchRequest, now: minute)
        let rows = SearchView(outcome).jsonRows.joined(separator: ",")
        return .json("{\"total\":\(outcome.total.count),\"isExact\":\(outcome.total.isExact),\"rows\":[\(rows)]}")
    }

    func queue(_ request: Request, _ context: SiteContext) async throws -> Response {
        list(EpisodeListView(try await site.reader.queue.list()).jsonRows)
    }

    func enqueue(_ request: Request, _ context: SiteContext) async throws -> Response {
        let form = try await request.form()
        let names = form.all("episode")
        let ids = names.compactMap { EpisodeID(text: $0) }
        guard !ids.isEmpty, ids.count == names.count, try await site.reader.episodes.episodes(ids).count == ids.count else {
            throw HTTPError(.notFound)
        }
        _ = try await site.writer.queue.add(ids, now: context.time)
        return try await queue(request, context)
    }

    func dequeue(_ request: Request, _ context: SiteContext) async throws -> Response {
        guard try await !site.writer.queue.remove([try context.episodeID()], now: context.time).isEmpty else {
            throw HTTPError(.notFound)
        }
        return try await queue(request, context)
    }

    func tags(_ request: Request, _ context: SiteContext) async throws -> Response {
        list(TagListView(try await site.reader.tag.counts()).jsonRows)
    }

    func status(_ request: Request, _ context: SiteContext) async throws -> Response {
        one(StatusView(try await site.reader.loadStatus.detailed(now: context.time), now: context.time))
    }

    // MARK: Forms

    private static let maxPageSize = 200

    private func pageSize(_ form: Form) throws -> Int { min(try form.count("limit") ?? Self.maxPageSize, Self.maxPageSize) }

    private func one(_ view: some View) -> Response { .json(view.jsonRows.joined()) }
    private func list(_ rows: [String]) -> Response { .json("{\"rows\":[\(rows.joined(separator: ","))]}") }

    private func page(_ rows: [String], _ pages: Pages, total: Int) -> Response {
        .json("{\"page\":\(pages.number),\"pages\":\(pages.count),\"total\":\(total),\"rows\":[\(rows.joined(separator: ","))]}")
    }
}

extension Form {
    /// A whole number of at least 1; nil if it is missing.
    ///
    /// - Throws: `HTTPError` for anything else.
    fileprivate func count(_ name: String) throws -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), number >= 1 else {
            throw HTTPError(.badRequest, message: "'\(text.prefix(80))' is not a valid value for \(name) (a whole number from 1)")
        }
        return min(number, 1_000_000)
    }

    /// One of several values; nil if it is missing.
    ///
    /// - Throws: `HTTPError` for anything else.
    fileprivate func choice<Value>(_ name: String, _ values: [String: Value]) throws -> Value? {
        guard let text = self[name] else { return nil }
        guard let value = values[text] else {
            let choices = values.keys.sorted().joined(separator: ", ")
            throw HTTPError(.badRequest, message: "'\(text.prefix(80))' is not a valid value for \(name) (\(choices))")
        }
        return value
    }
}
