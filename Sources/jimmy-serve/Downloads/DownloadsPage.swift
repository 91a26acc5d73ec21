import Composition
import Domain
import Hummingbird
import Presentation
import UseCases

/// Downloads under way with their progress, and the downloaded files.
struct DownloadsPage {
    let site: Site

    func show(_ request: Request, _ context: SiteContext) async throws -> Response {
        let library = site.reader
        let files = try await library.downloads.downloads().values.compactMap { entry in
            entry.file.map { (id: entry.episodeID, file: $0) }
        }.sorted { ($1.file.modifiedAt, $0.id) < ($0.file.modifiedAt, $1.id) }
        let pages = Pages(request.query.page, of: files.count)
        let shown = files.slice(pages.range)
        let back = pages.number > 1 ? "/downloads?page=\(pages.number)" : "/downloads"
        let rows = try await EpisodeRows(library, now: context.time)
        let listed = try await library.listEpisodes.listed(shown.map(\.id))
        let byID = Dictionary(listed.map { ($0.episode.id, $0) }) { first, _ in first }
        let current = await site.downloads.current
        var values = pages.values("/downloads?")
        values["episodes"] = try shown.compactMap { id, file -> Values? in
            guard let listed = byID[id] else { return nil }
            var row = rows.values(of: listed, back: back)
            row["size"] = try library.files.file(at: file.path) == nil ? "the file is gone" : formattedSize(file.bytes)
            return row
        }
        values["running"] = current.map { Self.values(of: $0) }
        values["isRunning"] = !current.isEmpty
        values["isEmpty"] = files.isEmpty && current.isEmpty
        values["total"] = counted(files.count, "file") + ", " + formattedSize(files.reduce(0) { $0 + $1.file.bytes })
        values["hasFiles"] = !files.isEmpty
        return site.page("downloads", title: "Downloads", section: "Downloads", values)
    }

    static func values(of run: DownloadRuns.Run) -> Values {
        var values: Values = [
            "id": run.listed.episode.id.text, "podcastID": run.listed.podcast.id.text,
            "title": run.listed.episode.item.title?.oneLine ?? "(no title)",
            "podcast": run.listed.podcast.displayTitle.oneLine,
            "words": words(of: run),
        ]
        values["share"] = share(of: run).map(String.init)
        return values
    }

    private static func words(of run: DownloadRuns.Run) -> String {
        run.isWaiting ? "waiting" : formattedSize(run.bytes, of: run.total)
    }

    /// In percent; nil if the server does not say how long the file is.
    private static func share(of run: DownloadRuns.Run) -> Int? {
        run.total.flatMap { $0 > 0 ? Int(bounded: 100 * Double(run.bytes) / Double($0)) : nil }.map { min($0, 100) }
    }

    /// What is under way, and which of the episodes asked for are downloaded or failed, for the page's script.
    func progress(_ request: Request, _ context: SiteContext) async throws -> Response {
        let running = await site.downloads.current
        let rows = running.map { run -> String in
            let share = Self.share(of: run).map(String.init) ?? "null"
            return "{\"id\":\"\(run.listed.episode.id.text)\",\"words\":\"\(Self.words(of: run))\",\"share\":\(share)}"
        }
        let ids = request.query.all("of").prefix(100).compactMap { EpisodeID(text: $0) }
        let ended = Set(ids).subtracting(running.map(\.listed.episode.id))
        let entries = try await site.reader.downloads.downloads(of: Array(ended))
        let downloaded = ended.filter { entries[$0]?.file != nil }.map { "\"\($0.text)\"" }.joined(separator: ",")
        let failures = await failures(ids).joined(separator: ",")
        return .json("{\"rows\":[\(rows.joined(separator: ","))],\"downloaded\":[\(downloaded)],\"failures\":{\(failures)}}")
    }

    private func failures(_ ids: [EpisodeID]) async -> [String] {
        var failures: [String] = []
        for id in ids {
            guard let why = await site.downloads.failure(of: id) else { continue }
            let text = why.oneLine.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            failures.append("\"\(id.text)\":\"\(text)\"")
        }
        return failures
    }
}
