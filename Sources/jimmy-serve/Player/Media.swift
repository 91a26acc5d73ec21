import Addresses
import Composition
import Domain
import Hummingbird
import NIOCore
import Presentation

/// An episode's audio: the downloaded file with range requests, or a redirect to the publisher's server.
struct Media {
    let site: Site

    func send(_ request: Request, _ context: SiteContext) async throws -> Response {
        let library = site.reader
        let id = try context.episodeID()
        guard let episode = try await library.episodes.episodes([id]).first else { throw HTTPError(.notFound) }
        if let path = try await library.downloads.downloads(of: [id])[id]?.file?.path, let file = try library.files.file(at: path)
        {
            return try await send(file, episode, request, context)
        }
        guard let url = episode.item.chosenEnclosure?.url.flatMap({ WebURL($0) }) else {
            throw HTTPError(.notFound)
        }
        var headers = HTTPFields()
        headers.set("Location", url.text)
        return Response(status: .found, headers: headers)
    }

    private func send(
        _ file: DownloadedFile, _ episode: Episode, _ request: Request, _ context: SiteContext
    ) async throws -> Response {
        var headers = HTTPFields()
        let type = episode.item.chosenEnclosure?.type ?? ""
        headers.set(
            "Content-Type", type.hasPrefix("audio/") || type.hasPrefix("video/") ? type.oneLine : "application/octet-stream")
        headers.set("Accept-Ranges", "bytes")
        let tag = "\"\(String(file.bytes, radix: 36))-\(String(file.modifiedAt.seconds, radix: 36))\""
        headers.set("ETag", tag)
        let files = FileIO()
        let isSame = request.header("If-Range").map { $0 == tag } ?? true
        guard isSame, let wanted = request.header("Range"), let range = ByteRange(wanted, of: file.bytes) else {
            return Response(status: .ok, headers: headers, body: try await files.loadFile(path: file.path, context: context))
        }
        guard let bytes = range.bytes else {
            headers.set("Content-Range", "bytes */\(file.bytes)")
            return Response(status: .rangeNotSatisfiable, headers: headers)
        }
        headers.set("Content-Range", "bytes \(bytes.lowerBound)-\(bytes.upperBound)/\(file.bytes)")
        let body = try await files.loadFile(path: file.path, range: bytes, context: context)
        return Response(status: .partialContent, headers: headers, body: body)
    }
}

/// A single byte range of a request (RFC 9110, section 14.1.2).
struct ByteRange: Equatable {
    /// nil if the file contains none of the bytes.
    let bytes: ClosedRange<Int>?

    /// nil if the header is not a single byte range; the whole file is sent then.
    init?(_ header: String, of size: Int) {
        guard header.hasPrefix("bytes="), !header.contains(",") else { return nil }
        let parts = header.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let (first, last) = (Int(parts[0]), Int(parts[1]))
        switch (first, last) {
        case (let first?, nil) where parts[1].isEmpty: bytes = first < size ? first...(size - 1) : nil
        case (let first?, let last?) where first <= last: bytes = first < size ? first...min(last, size - 1) : nil
        case (nil, let last?) where parts[0].isEmpty: bytes = last > 0 && size > 0 ? max(0, size - last)...(size - 1) : nil
        default: return nil
        }
    }
}
