import Domain

/// A call of a directory's API: a GET request for JSON.
enum DirectoryRequest {
    private static let maxBodySize = 8 << 20

    static func make(_ endpoint: String, _ query: [(name: String, value: String)]) -> FetchRequest {
        let text = query.map { "\($0.name)=\(escaped($0.value))" }.joined(separator: "&")
        var request = FetchRequest(url: endpoint + (endpoint.contains("?") ? "&" : "?") + text)
        request.accept = "application/json, text/javascript;q=0.9, */*;q=0.5"
        request.limits.timeout = 30
        request.limits.maxBodySize = maxBodySize
        return request
    }

    static func body(
        of request: FetchRequest, by fetcher: any FeedFetching, _ politeness: Politeness
    ) async throws -> [UInt8] {
        var body: [UInt8] = []
        _ = try await fetcher.fetch(request, politeness.visit()) { _, bytes in body += bytes }
        return body
    }

    /// Percent-encodes everything but unreserved characters.
    private static func escaped(_ text: String) -> String {
        let hex = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 48...57, 65...90, 97...122, 45, 46, 95, 126: bytes.append(byte)
            default: bytes += [37, hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
