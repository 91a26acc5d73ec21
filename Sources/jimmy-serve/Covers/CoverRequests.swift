import Composition
import Domain
import Hummingbird
import Presentation

/// Covers, and placeholders for missing ones.
struct CoverRequests {
    let site: Site

    func cover(_ request: Request, _ context: SiteContext) async throws -> Response {
        let library = site.reader
        guard let podcast = try await library.podcasts.podcast(try context.podcastID()) else { throw HTTPError(.notFound) }
        let size: Covers.Size = request.query["size"] == "large" ? .large : .small
        guard let url = try await library.episodes.channel(of: podcast.id)?.imageURL.flatMap({ WebURL($0) }) else {
            return placeholder(podcast, seconds: 3_600)
        }
        let site = site
        let path = await site.covers.file(of: podcast.id, url: url.text, size, now: context.time) {
            await site.picture(at: url.text)
        }
        guard let path else { return placeholder(podcast, seconds: 60) }
        var response = Response(
            status: .ok, body: try await FileIO().loadFile(path: path, context: context))
        response.headers.set("Content-Type", "image/webp")
        response.headers[.cacheControl] = "private, max-age=604800"
        return response
    }

    /// A placeholder made from the title: its first letter on a colour derived from the podcast's id.
    private func placeholder(_ podcast: Podcast, seconds: Int) -> Response {
        let title = podcast.displayTitle.oneLine
        let letter = title.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() } ?? "•"
        let hue = Int(XXH64.hash(podcast.id.text.utf8) % 360)
        let svg = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="100" height="100">
            <rect width="100" height="100" fill="hsl(\(hue),38%,38%)"/>
            <text x="50" y="52" fill="#fff" font-family="system-ui,sans-serif" font-size="52" font-weight="600" text-anchor="middle" dominant-baseline="central">\(SafeHTML.escaped(letter))</text></svg>
            """
        return .text(
            svg, type: "image/svg+xml; charset=utf-8",
            headers: ["Cache-Control": "private, max-age=\(seconds)", "Content-Security-Policy": "default-src 'none'; sandbox"])
    }
}

extension Site {
    /// Fetches a picture, at most 16 MiB; nil if that fails.
    func picture(at url: String) async -> [UInt8]? {
        var limits = FetchLimits()
        (limits.timeout, limits.maxBodySize) = (20, 16 << 20)
        return await feeds.picture(at: url, limits: limits)
    }
}
