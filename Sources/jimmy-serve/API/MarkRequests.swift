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
        try await site.writer.bookmarks.set(
            Bookmark(episodeID: id, seconds: try form.markedSecond, note: try form.note, at: context.time), now: context.time)
        return rows(try await site.writer.bookmarks(of: id))
    }

    func remove(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try await episode(context)
        let seconds = try request.query.markedSecond
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

    private func rows(_ bookmarks: [Bookmark]) -> Response {
        .json("{\"rows\":[\(BookmarkRows(bookmarks).jsonRows.joined(separator: ","))]}")
    }
}

extension Form {
    /// The place of a bookmark.
    ///
    /// - Throws: `HTTPError` if it is missing or beyond any episode.
    var markedSecond: Int {
        get throws {
            guard let seconds = self["seconds"].flatMap({ Double($0) }), (0...Double(Bookmark.maxSeconds)).contains(seconds)
            else { throw HTTPError(.badRequest, message: "seconds is missing or not a number from 0 to \(Bookmark.maxSeconds)") }
            return Int(seconds)
        }
    }

    /// The note of a bookmark; empty if there is none.
    ///
    /// - Throws: `HTTPError` if it is too long.
    var note: String {
        get throws {
            let note = self["note"] ?? ""
            guard note.count <= Bookmark.maxNote else { throw HTTPError(.badRequest, message: "the note is too long") }
            return note
        }
    }
}
