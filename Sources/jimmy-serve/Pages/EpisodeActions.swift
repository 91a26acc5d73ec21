import Composition
import Domain
import Hummingbird
import Presentation
import UseCases

/// The actions of an episode's buttons.
struct EpisodeActions {
    let site: Site

    func act(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try context.episodeID()
        let form = try await request.form()
        guard try await !site.reader.episodes.episodes([id]).isEmpty else { throw HTTPError(.notFound) }
        let library = site.writer
        switch form["do"] {
        case "queue": _ = try await library.queue.add([id], now: context.time)
        case "next":
            let current = form["after"].flatMap { EpisodeID(text: $0) }
            try await library.queue.playNext(id, after: current, now: context.time)
        case "unqueue": _ = try await library.queue.remove([id], now: context.time)
        case "star": try await tag("+starred", id, context)
        case "unstar": try await tag("-starred", id, context)
        case "seen": try await tag("-new", id, context)
        case "unseen": try await tag("+new", id, context)
        case "played": try await library.positions.finish(id, now: context.time)
        case "unplayed": try await tag("-played", id, context)
        case "archive": try await tag("+archived", id, context)
        case "unarchive": try await tag("-archived", id, context)
        case "play": return .see("/episodes/\(id.text)")
        default: throw HTTPError(.badRequest)
        }
        return .see(form.back ?? "/episodes/\(id.text)")
    }

    /// Undoes the last change, as `jimmy undo` does, and returns to the page that shows it.
    func undo(_ request: Request, _ context: SiteContext) async throws -> Response {
        let form = try await request.form()
        let isUndone = try await site.writer.undo(now: context.time) != nil
        if request.wantsJSON { return .json("{\"undone\":\(isUndone)}") }
        return .see(form.back ?? "/")
    }

    private func tag(_ change: String, _ id: EpisodeID, _ context: SiteContext) async throws {
        guard let tag = Tag(change.dropFirst()) else { return }
        let edit = change.hasPrefix("+") ? TagEdit(adding: [tag]) : TagEdit(removing: [tag])
        try await site.writer.tag(edit, [id], undoableAt: context.time)
    }
}

extension Form {
    /// The page of this site to return to; nil for anything else.
    var back: String? {
        guard let path = self["back"], path.hasPrefix("/"), !path.hasPrefix("//"), !path.contains("\\"),
            path.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return path
    }
}
