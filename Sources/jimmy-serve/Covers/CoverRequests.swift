import Addresses
import Composition
import Domain
import Hummingbird
import Presentation
import UseCases

/// Covers, and placeholders for missing ones.
struct CoverRequests {
    let site: Site

    func ofPodcast(_ request: Request, _ context: SiteContext) async throws -> Response {
        let library = site.reader
        guard let podcast = try await library.podcasts.podcast(try context.podcastID()) else { throw HTTPError(.notFound) }
        return try await cover(of: podcast, request, context)
    }

    /// The cover that the feed gives an episode, else its podcast's.
    func ofEpisode(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try context.episodeID()
        guard let listed = try await site.reader.listEpisodes.listed([id]).first else { throw HTTPError(.notFound) }
        guard let url = listed.episode.item.imageURL.flatMap({ WebURL($0) }) else {
            return try await cover(of: listed.podcast, request, context)
        }
        // Many feeds repeat the podcast's picture in each episode, which is then fetched once.
        let cover = await cover(of: id.podcastID.text, at: url, request, context)
        guard case .file(let path) = cover else { return try await self.cover(of: listed.podcast, request, context) }
        return try await file(path, request, context)
    }

    private func cover(of podcast: Podcast, _ request: Request, _ context: SiteContext) async throws -> Response {
        let channel = try await site.reader.episodes.channel(of: podcast.id)
        guard let url = channel?.imageURL.flatMap({ WebURL($0) }) else {
            return placeholder(podcast, isComing: channel == nil)
        }
        switch await cover(of: podcast.id.text, at: url, request, context) {
        case .file(let path): return try await file(path, request, context)
        case .coming: return placeholder(podcast, isComing: true)
        case .none: return placeholder(podcast, isComing: false)
        }
    }

    private func cover(of owner: String, at url: WebURL, _ request: Request, _ context: SiteContext) async -> Covers.Cover {
        let (site, size) = (site, request.query["size"] == "large" ? Covers.Size.large : .small)
        return await site.covers.cover(of: owner, url: url.text, size, now: context.time) { await site.picture(at: url.text) }
    }

    /// - Parameter path: contains the hash of the picture's URL.
    private func file(_ path: String, _ request: Request, _ context: SiteContext) async throws -> Response {
        var response = Response(status: .ok, body: try await FileIO().loadFile(path: path, context: context))
        response.headers.set("Content-Type", "image/webp")
        response.headers.set("ETag", "\"\(path.split(separator: "/").last ?? "")\"")
        // With a version, the address changes when the podcast does.
        response.headers[.cacheControl] = request.query.has("v") ? "private, max-age=604800, immutable" : "private, no-cache"
        return response
    }

    /// A placeholder made from the title: its first letter on a colour derived from the podcast's id. It is asked for
    /// again each time, since the cover may have come.
    ///
    /// - Parameter isComing: the script knows by the width that it is worth asking again soon.
    private func placeholder(_ podcast: Podcast, isComing: Bool) -> Response {
        let title =
            podcast.settings.title ?? podcast.title ?? WebURL(podcast.feedURL).map { String($0.host.trimmingPrefix("www.")) }
            ?? ""
        let letter = title.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() } ?? "•"
        let hue = Int(XXH64.hash(podcast.id.text.utf8) % 360)
        let side = isComing ? 99 : 100
        let svg = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="\(side)" height="\(side)">
            <linearGradient id="g" x2="1" y2="1"><stop stop-color="hsl(\(hue),40%,44%)"/><stop offset="1" stop-color="hsl(\(hue + 40),42%,28%)"/></linearGradient>
            <rect width="100" height="100" fill="url(#g)"/>
            <text x="50" y="52" fill="#fff" font-family="system-ui,sans-serif" font-size="52" font-weight="600" text-anchor="middle" dominant-baseline="central">\(SafeHTML.escaped(letter))</text></svg>
            """
        return .text(
            svg, type: "image/svg+xml; charset=utf-8",
            headers: ["Cache-Control": "private, no-cache", "Content-Security-Policy": "default-src 'none'; sandbox"])
    }
}

extension Podcast {
    /// The address of its cover, without the size. It changes when the feed changes, and its picture may.
    var coverPath: String { "/covers/\(id.text)?v=\(contentRevision)" }
}

extension Site {
    /// Fetches a picture, at most 16 MiB.
    func picture(at url: String) async -> Covers.Picture {
        var limits = FetchLimits()
        (limits.timeout, limits.maxBodySize) = (20, 16 << 20)
        return await feeds.picture(at: url, limits: limits)
    }
}
