import Composition
import Domain
import HTTPTypes
import Hummingbird
import NIOCore

/// The facts about a request besides its head and body.
struct SiteContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address that the connection comes from: the client's or the proxy's.
    let peer: String
    let time: Timestamp = .now

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress?.ipAddress ?? ""
    }

    /// - Throws: `HTTPError` if the route has no part of this name.
    func part(_ name: String) throws -> String {
        guard let text = parameters.get(name) else { throw HTTPError(.notFound) }
        return String(text)
    }

    func episodeID() throws -> EpisodeID {
        guard let id = EpisodeID(text: try part("episode")) else { throw HTTPError(.notFound) }
        return id
    }

    func podcastID() throws -> PodcastID { PodcastID(text: try part("podcast")) }
}

/// The fields of a query or of a form.
struct Form: Sendable {
    private let fields: [(name: String, value: String)]

    /// - Parameter text: fields in the form `application/x-www-form-urlencoded`.
    init(_ text: some StringProtocol) {
        fields = text.split(separator: "&").prefix(1_000).map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : "")
        }
    }

    /// A value without surrounding white space; nil if it is missing or empty.
    subscript(name: String) -> String? {
        guard let value = fields.first(where: { $0.name == name })?.value else { return nil }
        let text = value.drop(while: \.isWhitespace)
        guard let last = text.lastIndex(where: { !$0.isWhitespace }) else { return nil }
        return String(text[...last])
    }

    func all(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
    /// The names of the fields, as often as they occur.
    var names: [String] { fields.map(\.name) }
    func has(_ name: String) -> Bool { fields.contains { $0.name == name } }

    /// A page's number, counted from 1.
    var page: Int { max(1, min(self["page"].flatMap { Int($0) } ?? 1, 100_000)) }

    static func decoded(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        var utf8 = text.utf8.makeIterator()
        while let byte = utf8.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                if let high = utf8.next().flatMap(hex), let low = utf8.next().flatMap(hex) { bytes.append(high << 4 | low) }
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hex(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
    }

    /// Encodes text for a query: all bytes except letters, digits and `-._~` are escaped.
    static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            let isPlain = byte < 0x80 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
            if isPlain || "-._~".utf8.contains(byte) {
                result.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}

extension Request {
    /// The fields after the path's `?`.
    var query: Form { Form(uri.query ?? "") }

    /// The fields of a submitted form.
    ///
    /// - Throws: `HTTPError` if the body is longer than any form of ours.
    func form(maxBytes bytes: Int = 64 << 10) async throws -> Form { Form(String(buffer: try await body.collect(upTo: bytes))) }

    /// nil if the request has no such header.
    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }

    /// True if the request comes from the page's own script, which expects JSON.
    var wantsJSON: Bool { header("Accept")?.hasPrefix("application/json") ?? false }
}

extension HTTPFields {
    mutating func set(_ name: String, _ value: String?) {
        if let name = HTTPField.Name(name) { self[name] = value }
    }
}

extension Response {
    static func text(_ text: String, type: String, status: HTTPResponse.Status = .ok, headers: [String: String] = [:]) -> Response
    {
        var fields = HTTPFields()
        fields.set("Content-Type", type)
        for (name, value) in headers { fields.set(name, value) }
        if status == .ok { fields.set("ETag", "W/\"\(String(XXH64.hash(text.utf8), radix: 36))\"") }
        return Response(status: status, headers: fields, body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    static func bytes(_ bytes: [UInt8], type: String, headers: [String: String] = [:]) -> Response {
        var fields = HTTPFields()
        fields.set("Content-Type", type)
        for (name, value) in headers { fields.set(name, value) }
        return Response(status: .ok, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    static func json(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        .text(text, type: "application/json; charset=utf-8", status: status)
    }

    /// Redirects to a page of this site after a form was submitted.
    static func see(_ path: String) -> Response {
        var fields = HTTPFields()
        fields.set("Location", path)
        return Response(status: .seeOther, headers: fields)
    }
}
