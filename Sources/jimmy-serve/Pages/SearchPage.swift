import Composition
import Domain
import Hummingbird
import Presentation
import Results
import Searching
import UseCases

/// The search page, with results while typing, the whole query language, and facets to narrow the results.
struct SearchPage {
    let site: Site
    private static let maxPages = 34

    func show(_ request: Request, _ context: SiteContext) async throws -> Response {
        let (query, isTyping) = (SearchChoice(request.query), request.query.has("typing"))
        var values: Values = ["query": query.text ?? "", "hidden": query.hiddenFields]
        values["queries"] = ((try? NamedQueries.read()) ?? []).map { named -> Values in
            ["name": named.name, "text": named.query, "path": query.with("q", "query:" + named.name).path]
        }
        guard query.isAsked else { return site.page("search", title: "Search", section: "Search", values) }
        let library = site.reader
        var searchRequest = query.request(isTyping: isTyping, now: context.time)
        if searchRequest.text.contains("query:") {
            searchRequest.text = QueryExpansion.current(at: context.time).expanded(searchRequest.text, now: context.time)
        }
        // The best results have no pages of their own: those before the wanted page are searched as well.
        let page = min(request.query.page, Self.maxPages)
        searchRequest.limit = page * Pages.size
        searchRequest.facets = [.podcast, .year]
        let outcome = try await library.search.run(searchRequest, now: context.time)
        let rows = try await EpisodeRows(library, now: context.time)
        let pages = Pages(page, of: min(outcome.total.count, Self.maxPages * Pages.size))
        let here = query.path + (page > 1 ? "&page=\(page)" : "")
        values = values.merging(pages.values(query.path + "&"))
        values["isAsked"] = true
        values["episodes"] = outcome.episodes.slice(pages.range).map { rows.values(of: $0, back: here) }
        values["podcasts"] = (page > 1 ? [] : outcome.podcasts).map { podcast -> Values in
            [
                "id": podcast.id.text, "title": podcast.displayTitle.oneLine, "cover": podcast.coverPath,
                "facts": counted(podcast.episodeCount, "episode"),
            ]
        }
        values["isEmpty"] = outcome.episodes.isEmpty && outcome.podcasts.isEmpty
        values["total"] = (outcome.total.isExact ? "" : "at least ") + counted(outcome.total.count, "episode")
        values["notes"] = outcome.unknown.map { $0.note }
        if let suggestion = outcome.suggestion, !isTyping {
            values["suggestion"] = ["text": suggestion, "path": query.with("q", suggestion).path] as Values
        }
        values["facets"] = outcome.episodes.isEmpty ? [] : query.facets(outcome)
        values["hasFacets"] = !outcome.episodes.isEmpty
        values["chosen"] = query.chosen(outcome)
        values["sorts"] = query.sorts
        let title = query.text.map { "\($0.oneLine.prefix(60)) – Search" } ?? "Search"
        let isNamed = query.text?.hasPrefix("query:") ?? false
        return site.page("search", title: title, section: isNamed ? query.text ?? "" : "Search", values)
    }
}

/// A query with its filters, as in the address of the page.
struct SearchChoice {
    private var fields: [String: String] = [:]

    private static let names = ["q", "podcast", "year", "length", "heard", "sort"]

    private static let lengths = [
        (value: "short", name: "under 20 min", query: "shorter:20m"),
        (value: "medium", name: "20 to 60 min", query: "longer:20m shorter:60m"),
        (value: "long", name: "over an hour", query: "longer:60m"),
    ]
    private static let heard = [
        (value: "no", name: "unplayed", query: "-is:played"), (value: "yes", name: "played", query: "is:played"),
        (value: "starred", name: "starred", query: "is:starred"), (value: "new", name: "new", query: "is:new"),
    ]

    init(_ form: Form) { for name in Self.names { fields[name] = form[name] } }

    var text: String? { fields["q"] }
    var isAsked: Bool { Self.names.dropLast().contains { fields[$0] != nil } }

    func with(_ name: String, _ value: String?) -> SearchChoice {
        var choice = self
        choice.fields[name] = value
        return choice
    }

    /// The page's address.
    var path: String {
        let pairs = Self.names.compactMap { name in fields[name].map { "\(name)=\(Form.encoded($0))" } }
        return pairs.isEmpty ? "/search" : "/search?" + pairs.joined(separator: "&")
    }

    /// The filters, as hidden fields of the search form.
    var hiddenFields: [Values] {
        Self.names.dropFirst().compactMap { name in fields[name].map { ["name": name, "value": $0] } }
    }

    /// - Parameter isTyping: true if the last word may still grow, so that it counts as a beginning.
    func request(isTyping: Bool, now: Timestamp) -> SearchRequest {
        let lastWord = text?.split(separator: " ").last ?? ""
        let grows = isTyping && !lastWord.contains(":") && lastWord.last.map { $0.isLetter || $0.isNumber } ?? false
        let text = text.map { $0 + (grows ? "*" : "") }
        var conditions: [String] = []
        conditions += Self.lengths.filter { $0.value == fields["length"] }.map(\.query)
        conditions += Self.heard.filter { $0.value == fields["heard"] }.map(\.query)
        var request = SearchRequest(text: ([text].compactMap(\.self) + conditions).joined(separator: " "))
        request.podcast = fields["podcast"].map { PodcastID(text: $0) }
        if let year = fields["year"], let date = QueryDate(year) {
            (request.since, request.until) = (date.start(now), date.end(now))
        }
        request.sort = fields["sort"].flatMap { SearchRequest.Sort(rawValue: $0) } ?? (text == nil ? .date : .relevance)
        return request
    }

    var sorts: [Values] {
        let current = fields["sort"] ?? (text == nil ? "date" : "relevance")
        return [("relevance", "best"), ("date", "newest"), ("oldest", "oldest")].map { value, name in
            ["name": name, "path": with("sort", value).path, "isHere": value == current]
        }
    }

    /// The filters that are not in use yet, with their values.
    func facets(_ outcome: SearchOutcome) -> [Values] {
        var groups: [(title: String, name: String, entries: [(value: String, name: String, count: Int?)])] = []
        let podcasts = (outcome.facets[.podcast] ?? []).map {
            ($0.value, outcome.titles[$0.value] ?? $0.value, Optional($0.count))
        }
        groups.append(("Podcast", "podcast", podcasts))
        groups.append(("Year", "year", (outcome.facets[.year] ?? []).map { ($0.value, $0.value, $0.count) }))
        groups.append(("Length", "length", Self.lengths.map { ($0.value, $0.name, nil) }))
        groups.append(("State", "heard", Self.heard.map { ($0.value, $0.name, nil) }))
        return groups.compactMap { group -> Values? in
            guard fields[group.name] == nil, !group.entries.isEmpty else { return nil }
            return [
                "title": group.title,
                "entries": group.entries.prefix(12).map { entry -> Values in
                    var values: Values = ["name": entry.name.oneLine, "path": with(group.name, entry.value).path]
                    if let count = entry.count { values["count"] = grouped(count) }
                    return values
                },
            ]
        }
    }

    /// The filters in use, each with the address of the page without it.
    func chosen(_ outcome: SearchOutcome) -> [Values] {
        Self.names.dropFirst().dropLast().compactMap { name -> Values? in
            guard let value = fields[name] else { return nil }
            let words: String =
                switch name {
                case "podcast": outcome.titles[value] ?? outcome.episodes.first?.podcast.displayTitle ?? value
                case "length": Self.lengths.first { $0.value == value }?.name ?? value
                case "heard": Self.heard.first { $0.value == value }?.name ?? value
                default: value
                }
            return ["name": words.oneLine, "path": with(name, nil).path]
        }
    }
}
