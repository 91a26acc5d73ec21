import Composition
import Domain
import Hummingbird
import Presentation
import UseCases

/// The bookmarks of an episode. Each request answers with those that it has then, by time.
struct MarkRequests {
    let site: Site

    func list(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try await episode(context)
        return rows(try await site.reader.bookmarks(of: id))
    }

    /// Sets a bookmark, in place of another at that second.
    func set(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try await episode(context)
        let form = try await request.form()
        let note = form["note"] ?? ""
        guard note.count <= Bookmark.maxNote else { throw HTTPError(.badRequest, message: "the note is too long") }
        let seconds = try seconds(form)
        try await site.writer.bookmarks.set(
            Bookmark(episodeID: id, seconds: seconds, note: note, at: context.time), now: context.time)
        return rows(try await site.writer.bookmarks(of: id))
    }

    func remove(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try await episode(context)
        let seconds = try seconds(request.query)
        guard try await !site.writer.bookmarks.remove(of: id, at: seconds, now: context.time).isEmpty else {
            throw HTTPError(.notFound)
        }
        return rows(try await site.writer.bookmarks(of: id))
    }

    private func episode(_ context: SiteContext) async throws -> EpisodeID {
        let id = try context.episodeID()
        guard try await !site.reader.episodes.episodes([id]).isEmpty else { throw HTTPError(.notFound) }
        return id
    }

    private func seconds(_ form: Form) throws -> Int {
        guard let seconds = form["seconds"].flatMap({ Double($0) }), (0...Double(Bookmark.maxSeconds)).contains(seconds) else {
            throw HTTPError(.badRequest, message: "seconds is missing or not a number from 0 to \(Bookmark.maxSeconds)")
        }
        return Int(seconds)
    }

    private func rows(_ bookmarks: [Bookmark]) -> Response {
        .json("{\"rows\":[\(BookmarkRows(bookmarks).jsonRows.joined(separator: ","))]}")
    }
}
