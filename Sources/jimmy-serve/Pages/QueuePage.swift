import Composition
import Domain
import Hummingbird
import Presentation

/// The play queue: an ordered list that can be rearranged with the mouse and the keyboard.
struct QueuePage {
    let site: Site

    func show(_ request: Request, _ context: SiteContext) async throws -> Response {
        let library = site.reader
        let queue = try await library.queue.list()
        let rows = try await EpisodeRows(library, now: context.time)
        let seconds = queue.reduce(0) { $0 + ($1.episode.item.duration ?? 0) }
        let values: Values = [
            "isQueue": true, "isEmpty": queue.isEmpty,
            "total": counted(queue.count, "episode") + (seconds > 0 ? ", \(span(Int64(seconds)))" : ""),
            "episodes": rows.values(of: queue, back: "/queue").enumerated().map { number, row -> Values in
                row.merging([
                    "position": number + 1, "isFirst": number == 0, "isLast": number == queue.count - 1, "up": number,
                    "down": number + 2, "inQueue": true,
                ])
            },
        ]
        return site.page("queue", title: "Queue", section: "Queue", values)
    }

    func move(_ request: Request, _ context: SiteContext) async throws -> Response {
        let form = try await request.form()
        guard let id = form["episode"].flatMap({ EpisodeID(text: $0) }), let position = form["to"].flatMap({ Int($0) }) else {
            throw HTTPError(.badRequest)
        }
        _ = try await site.writer.queue.move(id, to: position)
        return .see("/queue")
    }

    func clear(_ request: Request, _ context: SiteContext) async throws -> Response {
        _ = try await site.writer.queue.clear(now: context.time)
        return .see("/queue")
    }
}
