import Composition
import Domain
import Hummingbird
import Presentation
import UseCases

/// The play queue: an ordered list that can be rearranged with the mouse and the keyboard.
struct QueuePage {
    let site: Site

    func show(_ request: Request, _ context: SiteContext) async throws -> Response {
        let library = site.reader
        let queue = try await library.queue.list()
        let pages = Pages(request.query.page, of: queue.count)
        let rows = try await EpisodeRows(library, now: context.time)
        let shown = rows.values(of: queue.slice(pages.range), back: Self.path(page: pages.number))
        let seconds = queue.reduce(0) { $0 + ($1.episode.item.duration ?? 0) }
        let values: Values = [
            "isQueue": true, "isEmpty": queue.isEmpty, "offset": pages.range.lowerBound, "first": pages.range.lowerBound + 1,
            "total": counted(queue.count, "episode") + (seconds > 0 ? ", \(span(Int64(Int(bounded: seconds))))" : ""),
            "episodes": zip(pages.range, shown).map { number, row -> Values in
                row.merging([
                    "position": number + 1, "isFirst": number == 0, "isLast": number == queue.count - 1, "up": number,
                    "down": number + 2, "inQueue": true,
                ])
            },
        ]
        return site.page("queue", title: "Queue", section: "Queue", values.merging(pages.values("/queue?")))
    }

    private static func path(page: Int) -> String { page > 1 ? "/queue?page=\(page)" : "/queue" }

    func move(_ request: Request, _ context: SiteContext) async throws -> Response {
        let form = try await request.form()
        guard let id = form["episode"].flatMap({ EpisodeID(text: $0) }), let position = form["to"].flatMap({ Int($0) }) else {
            throw HTTPError(.badRequest)
        }
        let newPosition = try await site.writer.queue.move(id, to: position, now: context.time)
        // The page that has the episode now.
        return .see(Self.path(page: newPosition.map { ($0 - 1) / Pages.size + 1 } ?? 1))
    }

    func clear(_ request: Request, _ context: SiteContext) async throws -> Response {
        _ = try await site.writer.queue.clear(now: context.time)
        return .see("/queue")
    }
}
