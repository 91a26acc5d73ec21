import Composition
import Domain
import Hummingbird
import Presentation
import Results
import UseCases

/// The lists of a listener: what was starred, what was heard and when, and what may be heard next.
struct ListPages {
    let site: Site
    private static let suggestions = 20

    func starred(_ request: Request, _ context: SiteContext) async throws -> Response {
        let library = site.reader
        let total = try await library.count("is:starred", now: context.time)
        let pages = Pages(request.query.page, of: total)
        let ids = try await library.newestFirst("is:starred", range: pages.range, now: context.time)
        let rows = try await EpisodeRows(library, now: context.time)
        let listed = try await library.listEpisodes.listed(ids)
        return page(
            "Starred", rows.values(of: listed, back: back("/starred", pages)), pages, at: "/starred",
            total: counted(total, "episode"), empty: "Nothing is starred yet. The star beside an episode keeps it here.")
    }

    func heard(_ request: Request, _ context: SiteContext) async throws -> Response {
        let library = site.reader
        let heard = try await library.history(since: nil, of: nil)
        let pages = Pages(request.query.page, of: heard.count)
        let rows = try await EpisodeRows(library, now: context.time)
        let shown = heard.slice(pages.range).map { heard -> Values in
            var row = rows.values(of: heard.listed, back: back("/heard", pages))
            row["reason"] = "\(heard.span.at.relative(to: context.time)), for \(formattedDuration(heard.span.seconds))"
            return row
        }
        let seconds = heard.reduce(0) { $0 + $1.span.seconds }
        return page(
            "Heard", shown, pages, at: "/heard",
            total: span(Int64(Int(bounded: seconds))) + " in " + counted(heard.count, "sitting"),
            empty: "Nothing has been heard yet. What you play appears here, with the time.")
    }

    func suggested(_ request: Request, _ context: SiteContext) async throws -> Response {
        let library = site.reader
        let suggested = try await library.suggest(limit: Self.suggestions, now: context.time)
        let rows = try await EpisodeRows(library, now: context.time)
        let shown = suggested.map { suggestion -> Values in
            var row = rows.values(of: suggestion.listed, back: "/suggested")
            row["reason"] = suggestion.reason
            return row
        }
        return page(
            "Suggested", shown, Pages(1, of: shown.count), at: "/suggested",
            total: "By what you starred, played and queued; nothing leaves this machine.",
            empty: "There are no unplayed episodes to suggest.")
    }

    private func back(_ path: String, _ pages: Pages) -> String { pages.number > 1 ? "\(path)?page=\(pages.number)" : path }

    private func page(
        _ title: String, _ rows: [Values], _ pages: Pages, at path: String, total: String, empty: String
    ) -> Response {
        var values = pages.values(path + "?")
        (values["heading"], values["episodes"], values["isEmpty"]) = (title, rows, rows.isEmpty)
        (values["total"], values["empty"]) = (total, empty)
        return site.page("list", title: title, section: title, values)
    }
}
