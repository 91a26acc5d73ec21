import CDecoders
import HTTPTypes
import Hummingbird
import NIOCore

/// Sends texts as gzip to clients that accept it. Only responses to GET: those to forms may show a token, whose bytes
/// the size of a compressed page could reveal.
struct Compressed: RouterMiddleware {
    /// Smaller texts fit into one packet as they are.
    private static let minSize = 1_024
    /// Fast: a page of 100 kB takes about a millisecond.
    private static let level: Int32 = 2

    func handle(
        _ request: Request, context: SiteContext, next: (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard request.method == .get || request.method == .head, isText(response) else { return response }
        response.headers.set("Vary", "Accept-Encoding")
        guard let size = response.body.contentLength, size >= Self.minSize, accepts(request) else { return response }
        let collected = Collected()
        try await response.body.write(Collector(collected: collected))
        guard let bytes = gzipped(collected.bytes) else {
            response.body = ResponseBody(byteBuffer: ByteBuffer(bytes: collected.bytes))
            return response
        }
        response.headers.set("Content-Encoding", "gzip")
        response.body = ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        response.headers[.contentLength] = String(bytes.count)
        return response
    }

    private func isText(_ response: Response) -> Bool {
        guard let type = response.headers[.contentType], response.headers[.contentEncoding] == nil else { return false }
        return type.hasPrefix("text/") || type.hasPrefix("application/json") || type.hasPrefix("image/svg")
            || type.hasPrefix("application/rss") || type.hasPrefix("application/manifest")
    }

    /// RFC 9110, section 12.5.3: `gzip;q=0` refuses it.
    private func accepts(_ request: Request) -> Bool {
        (request.headers[.acceptEncoding] ?? "").lowercased().split(separator: ",").contains { coding in
            let parts = coding.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
            guard parts.first == "gzip" || parts.first == "*" else { return false }
            return parts.dropFirst().allSatisfy { !$0.hasPrefix("q=") || Double($0.dropFirst(2)).map { $0 > 0 } ?? false }
        }
    }

    /// nil if that makes the text no smaller.
    private func gzipped(_ bytes: [UInt8]) -> [UInt8]? {
        var size = 0
        let compressed = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
            guard let output = buffer.baseAddress else { return }
            let isWritten = bytes.withUnsafeBufferPointer { input in
                input.baseAddress.map { gzip_write($0, input.count, Self.level, output, buffer.count, &size) } ?? false
            }
            count = isWritten ? size : 0
        }
        return compressed.isEmpty ? nil : compressed
    }
}

/// What a response's body writes.
private final class Collected {
    fileprivate(set) var bytes: [UInt8] = []
}

private struct Collector: ResponseBodyWriter {
    let collected: Collected

    mutating func write(_ buffer: ByteBuffer) async throws { collected.bytes += buffer.readableBytesView }
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
