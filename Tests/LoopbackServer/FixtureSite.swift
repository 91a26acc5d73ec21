import Glibc

/// A folder as a web site: files with an ETag of their bytes, 304s, and the redirects of its `redirects.txt`
/// (`status from to`, one a line). Files are read for each request, so that a site can change while it is served.
public struct FixtureSite: Sendable {
    private let folder: String

    public init(folder: String) { self.folder = folder }

    public func reply(to request: Request) -> Reply {
        for line in (read("/redirects.txt") ?? []).split(separator: 10) {
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard words.count == 3, let status = Int(words[0]), words[1] == request.path else { continue }
            return .redirect(status, to: String(words[2]))
        }
        let path = request.path == "/" ? "/index.html" : request.path
        guard !path.contains(".."), let body = read(path) else { return Reply(404) }
        let etag = "\"\(String(checksum(body), radix: 16))\""
        return Reply(headers: [("Content-Type", mediaType(path))], body: body).conditional(on: request, etag: etag)
    }

    private func mediaType(_ path: String) -> String {
        switch path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "json": "application/feed+json"
        case "vtt": "text/vtt"
        default: "application/rss+xml"
        }
    }

    /// FNV-1a: enough to tell one day's file from the next.
    private func checksum(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private func read(_ path: String) -> [UInt8]? {
        let descriptor = open(folder + path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += piece[..<count]
        }
    }
}
