import Composition
import Domain
import Hummingbird
import Presentation
import Results
import UseCases

/// The actions of the buttons of one episode, or of several that were selected.
struct EpisodeActions {
    let site: Site
    /// Most episodes at once; a page lists fewer.
    private static let maxEpisodes = 200

    func act(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try context.episodeID()
        let form = try await request.form()
        let here = "/episodes/\(id.text)"
        switch form["do"] {
        case "play": return .see(here)
        case "mark": try await mark(id, form, context)
        case "unmark":
            _ = try await site.writer.bookmarks.remove(of: id, at: try form.markedSecond, now: context.time)
        default:
            if let question = try await question(form, [id], back: form.back ?? here) { return question }
            try await perform(form, on: [id], context)
        }
        return .see(form.back ?? here)
    }

    /// Does the same with each episode named `episode`, in one step that can be undone.
    func actOnSeveral(_ request: Request, _ context: SiteContext) async throws -> Response {
        let form = try await request.form()
        let names = form.all("episode")
        let ids = names.compactMap { EpisodeID(text: $0) }
        guard !ids.isEmpty, ids.count == names.count, ids.count <= Self.maxEpisodes else { throw HTTPError(.badRequest) }
        if let question = try await question(form, ids, back: form.back ?? "/") { return question }
        try await perform(form, on: ids, context)
        return .see(form.back ?? "/")
    }

    private func perform(_ form: Form, on ids: [EpisodeID], _ context: SiteContext) async throws {
        guard try await site.reader.episodes.episodes(ids).count == Set(ids).count else { throw HTTPError(.notFound) }
        let (library, now) = (site.writer, context.time)
        switch form["do"] {
        case "queue": _ = try await library.queue.add(ids, now: now)
        case "next":
            let current = form["after"].flatMap { EpisodeID(text: $0) }
            for id in ids.reversed() { try await library.queue.playNext(id, after: current, now: now) }
        case "unqueue": _ = try await library.queue.remove(ids, now: now)
        case "star": try await tag(TagEdit(adding: [.starred]), ids, now)
        case "unstar": try await tag(TagEdit(removing: [.starred]), ids, now)
        case "seen": try await tag(TagEdit(removing: [.new]), ids, now)
        case "unseen": try await tag(TagEdit(adding: [.new]), ids, now)
        case "played": try await library.positions.finish(ids, now: now)
        case "unplayed": try await tag(TagEdit(removing: [.played]), ids, now)
        case "archive": try await tag(TagEdit(adding: [.archived]), ids, now)
        case "unarchive": try await tag(TagEdit(removing: [.archived]), ids, now)
        case "tag": try await tag(TagEdit(adding: try tags(in: form)), ids, now)
        case "untag": try await tag(TagEdit(removing: try tags(in: form)), ids, now)
        case "download": await site.downloads.start(try await site.reader.listEpisodes.listed(ids))
        case "cancel": for id in ids { await site.downloads.cancel(id) }
        case "undownload": try await deleteFiles(of: ids)
        case "transcribe": if site.canTranscribe { for id in ids { site.transcribeSoon(id) } }
        default: throw HTTPError(.badRequest)
        }
    }

    /// Sets a bookmark. One that stands there keeps its note if none is given.
    private func mark(_ id: EpisodeID, _ form: Form, _ context: SiteContext) async throws {
        guard try await !site.reader.episodes.episodes([id]).isEmpty else { throw HTTPError(.notFound) }
        let (second, note) = (try form.markedSecond, try form.note)
        let bookmarks = site.writer.bookmarks
        let former = try await bookmarks(of: id).first { $0.seconds == second }
        try await bookmarks.set(
            Bookmark(
                episodeID: id, seconds: second, note: form.has("note") ? note : former?.note ?? "",
                at: former?.at ?? context.time), now: context.time)
    }

    /// A page that asks before a large download, as the command does; nil if nothing has to be asked.
    private func question(_ form: Form, _ ids: [EpisodeID], back: String) async throws -> Response? {
        guard form["do"] == "download", !form.has("sure") else { return nil }
        let listed = try await site.reader.listEpisodes.listed(ids)
        let extent = try await site.feeds.extent(of: listed, in: site.writer)
        guard extent.isLarge else { return nil }
        return site.page(
            "sure", title: "Download",
            ["question": DownloadWording.question(extent), "back": back, "episodes": ids.map { ["id": $0.text] as Values }])
    }

    private func deleteFiles(of ids: [EpisodeID]) async throws {
        guard let changed = try await site.writer.downloadRetention().remove(ids).changed.first else { return }
        throw FailureLine(changed.path, "the file was changed since it was downloaded", status: .incomplete)
    }

    private func tag(_ edit: TagEdit, _ ids: [EpisodeID], _ now: Timestamp) async throws {
        try await site.writer.tag(edit, ids, undoableAt: now)
    }

    /// - Throws: `HTTPError` if a word is not a tag of the owner's.
    private func tags(in form: Form) throws -> Set<Tag> {
        let words = form.all("tag").flatMap { $0.split { $0 == "," || $0.isWhitespace } }
        guard !words.isEmpty else { throw HTTPError(.badRequest, message: "no tag was given") }
        return Set(
            try words.map { word in
                guard let tag = Tag(word), tag != .downloaded else {
                    throw HTTPError(
                        .badRequest,
                        message: "'\(String(word).oneLine.prefix(80))' is not a tag (letters, numbers, '.', '_' and '-')")
                }
                return tag
            })
    }

    /// Undoes the last change, as `jimmy undo` does, and says exactly what changed back.
    func undo(_ request: Request, _ context: SiteContext) async throws -> Response {
        let form = try await request.form()
        let change: UndoChange?
        do {
            change = try await site.writer.undo(now: context.time)
        } catch let failure as UndoFailure {
            throw FailureLine(failure, doing: "undo")
        }
        guard request.wantsJSON else { return .see(form.back ?? "/") }
        let row = change.flatMap { $0.isEmpty ? nil : UndoView($0, verb: "Undone").jsonRows.joined() } ?? "null"
        return .json("{\"undone\":\(row)}")
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
