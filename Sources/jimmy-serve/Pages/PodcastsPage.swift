import Composition
import Domain
import Hummingbird
import Presentation
import Scheduling
import UseCases

/// The subscriptions with their covers, which can be filtered by tag and by health.
struct PodcastsPage {
    let site: Site

    func show(_ request: Request, _ context: SiteContext) async throws -> Response {
        let form = request.query
        let all = try await site.reader.fetchPodcasts()
        let graded = all.map { (podcast: $0, health: Health(of: $0, now: context.time)) }
        let new = try await site.reader.newCounts()
        let shown = graded.filter { podcast, health in
            (!form.has("new") || new[podcast.id] != nil)
                && (form["tag"].map { podcast.settings.tags.contains($0) } ?? true)
                && (form["health"].map { health.rawValue == $0 } ?? true)
                && (form["q"].map { TitleName($0).fit(podcast.displayTitle) != nil } ?? true)
        }
        var fields = ""
        for name in ["q", "tag", "health", "new"] { if let value = form[name] { fields += "\(name)=\(Form.encoded(value))&" } }
        let pages = Pages(form.page, of: shown.count, size: 120)
        var values = pages.values("/podcasts?" + fields)
        values["podcasts"] = shown.slice(pages.range).map { podcast, health -> Values in
            var card = Self.card(podcast, health, now: context.time)
            card["new"] = new[podcast.id].map { grouped($0) }
            return card
        }
        values["isEmpty"] = shown.isEmpty
        values["isLibraryEmpty"] = all.isEmpty
        values["total"] = counted(shown.count, "podcast")
        values["query"] = form["q"] ?? ""
        values["tags"] = filters(
            "tag", Set(all.flatMap(\.settings.tags)).sorted().prefix(30).map { ($0, $0) }, chosen: form["tag"])
        values["hasNew"] = !new.isEmpty
        values["isNewChosen"] = form.has("new")
        let grades = Health.allCases.filter { health in graded.contains { $0.health == health } }
        values["grades"] =
            grades.count > 1 ? filters("health", grades.map { ($0.rawValue, $0.word) }, chosen: form["health"]) : []
        values["hasGrades"] = grades.count > 1
        values["meaning"] = form["health"].flatMap { Health(rawValue: $0) }.map { "\($0.word): \($0.meaning)." }
        return site.page("podcasts", title: "Podcasts", section: "Podcasts", values)
    }

    static func card(_ podcast: Podcast, _ health: Health, now: Timestamp) -> Values {
        [
            "id": podcast.id.text, "title": podcast.displayTitle.oneLine, "cover": podcast.coverPath,
            "author": podcast.author?.oneLine ?? "",
            "episodes": counted(podcast.episodeCount, "episode"),
            "latest": podcast.latestEpisodeAt?.relative(to: now) ?? "", "health": health.word,
            "meaning": health == .fine ? "" : "\(health.word): \(health.meaning).", "needsAttention": health.needsAttention,
            "isPaused": podcast.settings.isPaused,
        ]
    }

    private func filters(_ name: String, _ entries: [(value: String, name: String)], chosen: String?) -> [Values] {
        entries.map { entry in
            let isHere = entry.value == chosen
            return [
                "name": entry.name, "isHere": isHere,
                "path": isHere ? "/podcasts" : "/podcasts?\(name)=\(Form.encoded(entry.value))",
            ]
        }
    }

    /// All subscriptions as OPML.
    func download(_ request: Request, _ context: SiteContext) async throws -> Response {
        let document = OPMLDocument(try await site.reader.fetchPodcasts())
        return .text(
            document.text, type: "text/x-opml; charset=utf-8",
            headers: ["Content-Disposition": "attachment; filename=\"subscriptions.opml\""])
    }

    /// Adds the subscriptions of a list, and begins to fetch them.
    func upload(_ request: Request, _ context: SiteContext) async throws -> Response {
        let bytes = [UInt8](buffer: try await request.body.collect(upTo: 8 << 20))
        guard let file = FormFile(bytes, boundaryIn: request.header("Content-Type"), name: "file") else {
            throw HTTPError(.badRequest, message: "no file was sent")
        }
        let list = try await site.writer.importList(file.bytes, now: context.time)
        try await site.writer.undo.recordAdded(list.verdicts, now: context.time)
        let view = ImportView(list.verdicts, truncated: list.isTruncated ? "OPML" : nil)
        site.refreshSoon()
        return site.page(
            "message", title: "OPML", section: "Podcasts",
            [
                "heading": view.summary, "next": "/status", "nextName": "Show how far fetching is",
                "isUndoable": !view.added.isEmpty,
                "text": view.failures.flatMap(\.lines).prefix(20).joined(separator: "\n"),
            ])
    }
}

extension OpenLibrary {
    /// Number of new episodes of each podcast that has some.
    func newCounts() async throws -> [PodcastID: Int] {
        let new = try await tags.episodes(tagged: [.new])[.new] ?? []
        return Dictionary(grouping: new, by: \.podcastID).mapValues(\.count)
    }
}

/// The file of a form sent as `multipart/form-data` (RFC 7578).
struct FormFile {
    let bytes: [UInt8]

    /// nil if the body has no such file.
    init?(_ body: [UInt8], boundaryIn type: String?, name: String) {
        guard let type, let range = type.firstRange(of: "boundary=") else { return nil }
        let boundary = type[range.upperBound...].prefix { $0 != ";" }.filter { $0 != "\"" }
        guard !boundary.isEmpty, boundary.utf8.count <= 70 else { return nil }
        let (separator, blank) = (Array("--\(boundary)".utf8), Array("\r\n\r\n".utf8))
        var remaining = body[...]
        while let start = remaining.firstRange(of: separator) {
            remaining = remaining[start.upperBound...]
            guard let head = remaining.firstRange(of: blank), let end = remaining.firstRange(of: [13, 10] + separator) else {
                return nil
            }
            let words = String(decoding: remaining[..<head.lowerBound], as: UTF8.self)
            guard words.contains("name=\"\(name)\""), head.upperBound <= end.lowerBound else { continue }
            bytes = Array(remaining[head.upperBound..<end.lowerBound])
            return
        }
        return nil
    }
}
