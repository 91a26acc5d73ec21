import Addresses
public import Domain

/// Fetches feeds with libcurl: front door of this module.
///
/// ```
/// fetch ─▶ Wire.enter ─▶ Wire.exchange: CurlWire ─▶ CurlLoop (one thread) ─▶ CurlHandle ─▶ server
///   ▲                       │
///   └─── receive ◀─── BodyReading (hash, decoding, limits) ◀──┘   one hop; a redirect begins again at the wire
/// ```
/// Each hop is a separate request, so that every rule applies at every hop: schemes, politeness towards the host, and
/// which credentials and validators may be sent.
public final class CurlFetcher: FeedFetching {
    private static let accept = HeaderLine.make(
        "Accept",
        "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5, "
            // Some servers refuse everyone who does not name it.
            + "text/html;q=0.1")

    /// The complete header line.
    private let userAgent: [UInt8]?
    private let wire: any Wire
    private let memory = HeldMemory(limit: 24 << 20)

    /// - Parameters:
    ///   - userAgent: used for requests without their own.
    ///   - wire: leads to the servers.
    public init(userAgent: String, through wire: any Wire = CurlWire()) {
        self.userAgent = HeaderLine.make("User-Agent", userAgent)
        self.wire = wire
    }

    /// The facts of a recorded head.
    public static func head(of bytes: [UInt8]) -> WireHead { HeadReader.head(of: bytes) }

    public func prepare() {
        _ = CurlFetcher.encodings
        wire.prepare()
    }

    public func fetch(
        _ request: FetchRequest, _ visit: Visit, receive: (ResponseHead, [UInt8]) throws -> Void
    ) async throws -> FetchResponse {
        if FeedURL.filePath(request.url) != nil { return try await readFile(request, visit, receive) }
        guard let start = WebURL(request.url) else { throw FetchFailure(.protocol, detail: .notAWebAddress) }
        var url = start
        var redirects = [Redirect]()
        var spent = Duration.zero
        var headers = ResponseHeaders()
        var jar = CookieJar()
        var cookies: [String: [String?]] = [:]
        do {
            while true {
                guard try await wire.enter(url, visit) == .granted else {
                    return FetchResponse(
                        body: .shared, status: redirects.last?.status ?? 0, redirects: redirects, finalURL: url.text,
                        headers: headers, milliseconds: spent.milliseconds)
                }
                let hop: Hop
                let cookie = jar.header(for: url)
                cookies[url.text, default: []].append(cookie)
                do {
                    hop = try await exchange(request, url, start: start, cookie, visit, &spent, receive)
                } catch {
                    visit.leave(.failed(FetchFailure(error)))
                    throw error
                }
                visit.leave(.answered(status: hop.head.status, hop.head.headers))
                headers = hop.head.headers
                // The server's clock wrote the dates of its cookies.
                let now = headers.date.flatMap(HTTPDate.parse) ?? visit.now
                for header in hop.head.cookies { jar.store(header, from: url, now: now) }
                guard RedirectRule.isRedirect(hop.head.status), request.form == nil else {
                    return try response(to: request, url, hop, redirects, spent)
                }
                let target = try RedirectRule.target(
                    of: hop.head.status, from: url, location: hop.head.location, followed: redirects,
                    limit: request.limits.maxRedirects,
                    answersDiffer: { cookies[$0.text]?.contains(jar.header(for: $0)) == false })
                redirects.append(Redirect(status: hop.head.status, from: url.text, to: target.text))
                url = target
            }
        } catch var failure as FetchFailure {
            failure.redirects = redirects
            failure.headers = headers
            failure.milliseconds = spent.milliseconds
            throw failure
        }
    }

    /// The response to one request. `body` is set for a success that has one.
    private struct Hop {
        var head: WireHead
        var body: WireBody?
    }

    private func exchange(
        _ request: FetchRequest, _ url: WebURL, start: WebURL, _ cookie: String?, _ visit: Visit, _ spent: inout Duration,
        _ receive: (ResponseHead, [UInt8]) throws -> Void
    ) async throws -> Hop {
        let remaining = request.limits.timeout - spent / .seconds(1)
        guard remaining > 0 else { throw FetchFailure(.timeout, detail: .slowRedirects) }
        var sent = WireRequest(url: url.text, timeout: remaining, maxSize: request.limits.maxBodySize)
        sent.headers = headerLines(request, url, isStart: url == start)
        if let line = cookie.flatMap({ HeaderLine.make("Cookie", $0) }) { sent.headers.append(line) }
        sent.credentials = start.sharesCredentials(with: url) ? request.credentials : nil
        sent.stall = request.limits.stall ?? 0
        sent.form = request.form
        sent.admitBody = request.admitBody
        sent.isMedia = request.media != nil
        sent.takesPart = request.media.map { $0.first > 0 } ?? false
        return try await exchange(sent, request, visit, &spent, receive)
    }

    private func exchange(
        _ sent: WireRequest, _ request: FetchRequest, _ visit: Visit, _ spent: inout Duration,
        _ receive: (ResponseHead, [UInt8]) throws -> Void
    ) async throws -> Hop {
        var body = BodyReading(of: sent.url, request, holdingIn: memory)
        let outcome = await wire.exchange(sent, visit) { head, piece in
            try body.read(piece, head) { head, piece in
                wire.decoded(piece, head, visit)
                try receive(head, piece)
            }
        }
        spent += outcome.duration
        var end: Result<WireBody, FetchFailure>?
        defer { wire.ended(end, visit) }
        do {
            if let failure = outcome.failure { throw failure }
            guard let head = outcome.head else { throw FetchFailure(.protocol, detail: .noHead) }
            guard head.hasBody(for: sent) else { return Hop(head: head) }
            if let recorded = outcome.body { return Hop(head: head, body: try recorded.get()) }
            let whole = try body.finish(head) { head, piece in
                wire.decoded(piece, head, visit)
                try receive(head, piece)
            }
            end = .success(whole)
            return Hop(head: head, body: whole)
        } catch {
            end = body.failure.map { .failure($0) }
            throw error
        }
    }

    private func readFile(
        _ request: FetchRequest, _ visit: Visit, _ receive: (ResponseHead, [UInt8]) throws -> Void
    ) async throws -> FetchResponse {
        let sent = WireRequest(url: request.url, timeout: request.limits.timeout, maxSize: request.limits.maxBodySize)
        var spent = Duration.zero
        let hop = try await exchange(sent, request, visit, &spent, receive)
        return FetchResponse(
            body: hop.body?.isSame == true ? .sameBytes : .received, status: 200, finalURL: request.url,
            bodyHash: hop.body?.hash, bytes: hop.body?.size ?? 0)
    }

    /// Accepts a success with a body, and a 304 if validators were sent.
    private func response(
        to request: FetchRequest, _ url: WebURL, _ hop: Hop, _ redirects: [Redirect], _ spent: Duration
    ) throws(FetchFailure) -> FetchResponse {
        let status = hop.head.status
        let body: FetchResponse.Body
        switch status {
        case 200..<300 where hop.body != nil: body = hop.body?.isSame == true ? .sameBytes : .received
        case 304:
            guard sentValidators(request, url) != nil else {
                throw FetchFailure(.protocol, status: status, detail: .unaskedNotModified)
            }
            body = .notModified
        default:
            let isSigned = request.credentials != nil && WebURL(request.url)?.sharesCredentials(with: url) == true
            let wall = BotWall.refusal(status: status, hop.head.headers)
            let isRefused = isSigned && (status == 401 || status == 403 && wall == nil)
            throw FetchFailure(.http, status: status, detail: isRefused ? .passwordRefused : wall)
        }
        return FetchResponse(
            body: body, status: status, redirects: redirects, finalURL: url.text == request.url ? request.url : url.text,
            headers: hop.head.headers, bodyHash: hop.body?.hash, bytes: hop.body?.size ?? 0, milliseconds: spent.milliseconds)
    }

    // MARK: Request headers

    private func sentValidators(_ request: FetchRequest, _ url: WebURL) -> Validators? {
        guard let validators = request.validators, validators.url == url.text,
            validators.etag.flatMap(HeaderLine.bytes) != nil || validators.lastModified.flatMap(HeaderLine.bytes) != nil
        else { return nil }
        return validators
    }

    private func headerLines(_ request: FetchRequest, _ url: WebURL, isStart: Bool) -> [[UInt8]] {
        let own = isStart ? request.headers.map { HeaderLine.make($0.name, $0.value) } : []
        let validators = sentValidators(request, url)
        let media = request.media.flatMap { $0.first > 0 ? $0 : nil }
        let lines = [
            request.userAgent.flatMap { HeaderLine.make("User-Agent", $0) } ?? userAgent,
            request.accept.flatMap { HeaderLine.make("Accept", $0) } ?? CurlFetcher.accept,
            request.media == nil ? CurlFetcher.encodings : HeaderLine.make("Accept-Encoding", "identity"),
            media.flatMap { HeaderLine.make("Range", "bytes=\($0.first)-") },
            media?.validator.flatMap { HeaderLine.make("If-Range", $0) },
            validators?.etag.flatMap { HeaderLine.make("If-None-Match", $0) },
            validators?.lastModified.flatMap { HeaderLine.make("If-Modified-Since", $0) },
        ]
        return (lines + own).compactMap { $0 }
    }

    /// The encodings that this machine can decode.
    private static let encodings = HeaderLine.make(
        "Accept-Encoding", ContentDecoder.Encoding.allCases.filter(\.isSupported).map(\.rawValue).joined(separator: ", "))
}

/// Header lines as bytes. No value can begin another line.
enum HeaderLine {
    static func make(_ name: String, _ value: String) -> [UInt8]? {
        bytes(value).map { Array("\(name): ".utf8) + $0 }
    }

    /// Each character as the byte with its number, or everything as UTF-8 if one is not Latin-1. nil if the value has
    /// control characters.
    static func bytes(_ value: String) -> [UInt8]? {
        if value.utf8.allSatisfy({ (32...126).contains($0) || $0 == 9 }) { return value.isEmpty ? nil : Array(value.utf8) }
        guard value.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 || $0 == "\t" }) else { return nil }
        let isLatin1 = value.unicodeScalars.allSatisfy { $0.value < 256 }
        return isLatin1 ? value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(value.utf8)
    }
}

extension Duration {
    fileprivate var milliseconds: Int { Int(self / .milliseconds(1)) }
}
