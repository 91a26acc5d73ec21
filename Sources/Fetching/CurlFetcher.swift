public import Domain
import Synchronization

/// Fetches feeds with libcurl: front door of this module.
///
/// ```
/// fetch ─▶ Visit.enter ─▶ Transfer ─▶ CurlLoop (one thread) ─▶ CurlHandle ─▶ server
///   ▲                        │
///   └── receive ◀── BodyReader (hash, decoding, limits) ◀──┘   one hop; a redirect begins again at the visit
/// ```
/// Each hop is a request of its own, so that every rule holds on every hop: schemes, politeness towards the host, which
/// credentials and validators may be sent.
public final class CurlFetcher: FeedFetching {
    private static let accept = HeaderLine.make(
        "Accept",
        "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5")

    /// The header line.
    private let userAgent: [UInt8]?
    /// Started by the first fetch.
    private let loop = Mutex<CurlLoop?>(nil)
    private let clock = ContinuousClock()

    /// - Parameter userAgent: sent by requests that have none of their own.
    public init(userAgent: String) { self.userAgent = HeaderLine.make("User-Agent", userAgent) }

    deinit { loop.withLock { $0?.stop() } }

    public func fetch(
        _ request: FetchRequest, _ visit: Visit, receive: (ResponseHead, [UInt8]) throws -> Void
    ) async throws -> FetchResponse {
        if let path = FeedURL.filePath(request.url) { return try LocalFile.read(path, request, receive: receive) }
        guard let start = WebURL(request.url) else { throw FetchFailure(.protocol, detail: .notAWebAddress) }
        var url = start
        var redirects = [Redirect]()
        var spent = Duration.zero
        var headers = ResponseHeaders()
        do {
            while true {
                guard try await visit.enter(url) == .granted else {
                    return FetchResponse(
                        body: .shared, status: redirects.last?.status ?? 0, redirects: redirects, finalURL: url.text,
                        headers: headers, milliseconds: spent.milliseconds)
                }
                let begin = clock.now
                let hop: Hop
                do {
                    defer { spent += clock.now - begin }
                    hop = try await exchange(request, url, start: start, spent: spent, receive)
                } catch {
                    visit.leave(.failed(FetchFailure(error)))
                    throw error
                }
                visit.leave(.answered(status: hop.head.status, hop.head.headers))
                headers = hop.head.headers
                guard RedirectRule.isRedirect(hop.head.status) else {
                    return try response(to: request, url, hop, redirects, spent)
                }
                let target = try RedirectRule.target(
                    of: hop.head.status, from: url, location: hop.head.location, followed: redirects,
                    limit: request.limits.maxRedirects)
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

    /// The response to one request. `hash` and `size` are set for a 200.
    private struct Hop {
        var head: WireHead
        var isSame = false
        var hash: UInt64?
        var size = 0
    }

    private func exchange(
        _ request: FetchRequest, _ url: WebURL, start: WebURL, spent: Duration,
        _ receive: (ResponseHead, [UInt8]) throws -> Void
    ) async throws -> Hop {
        let remaining = request.limits.timeout - spent / .seconds(1)
        guard remaining > 0 else { throw FetchFailure(.timeout, detail: .slowRedirects) }
        let loop = try startedLoop()
        let transfer = Transfer(
            WireRequest(
                url: url.text, headers: headerLines(request, url, isStart: url == start),
                credentials: start.sharesCredentials(with: url) ? request.credentials : nil,
                timeout: remaining, maxSize: request.limits.maxBodySize, stall: request.limits.stall ?? 0,
                takesPart: request.media.map { $0.first > 0 } ?? false))
        return try await withTaskCancellationHandler {
            loop.start(transfer)
            do {
                return try await read(transfer, on: loop, request, url, receive)
            } catch {
                loop.cancel(transfer)
                throw error
            }
        } onCancel: {
            loop.cancel(transfer)
        }
    }

    private func read(
        _ transfer: Transfer, on loop: CurlLoop, _ request: FetchRequest, _ url: WebURL,
        _ receive: (ResponseHead, [UInt8]) throws -> Void
    ) async throws -> Hop {
        var body: BodyReader?
        var head = ResponseHead(url: url.text, headers: ResponseHeaders())
        func begin() throws(FetchFailure) -> BodyReader {
            let wire = transfer.head ?? WireHead()
            if wire.hasConflictingLengths {
                throw FetchFailure(.protocol, status: wire.status, detail: .conflictingLengths)
            }
            head.headers = wire.headers
            head.status = wire.status
            return BodyReader(
                contentEncoding: wire.contentEncoding, knownHash: request.knownBodyHash, limit: request.limits.maxBodySize,
                isMedia: request.media != nil)
        }
        while true {
            switch await transfer.next(unpause: { loop.unpause(transfer) }) {
            case .bytes(let bytes):
                var reader = try body ?? begin()
                body = nil
                try reader.read(bytes) { try receive(head, $0) }
                body = reader
            case .ended(let failure?):
                throw failure
            case .ended(nil):
                guard let wire = transfer.head else { throw FetchFailure(.protocol, detail: .noHead) }
                guard wire.hasBody(for: transfer.request) else { return Hop(head: wire) }
                var reader = try body ?? begin()
                let isSame = try reader.finish { try receive(head, $0) }
                return Hop(head: wire, isSame: isSame, hash: reader.hash, size: reader.size)
            }
        }
    }

    /// Only a 200 has a body that counts, and a 304 counts only if validators were sent.
    private func response(
        to request: FetchRequest, _ url: WebURL, _ hop: Hop, _ redirects: [Redirect], _ spent: Duration
    ) throws(FetchFailure) -> FetchResponse {
        let status = hop.head.status
        let body: FetchResponse.Body
        switch status {
        case 200: body = hop.isSame ? .sameBytes : .received
        case 206 where request.media.map({ $0.first > 0 }) ?? false: body = .received
        case 304:
            guard sentValidators(request, url) != nil else {
                throw FetchFailure(.protocol, status: status, detail: .unaskedNotModified)
            }
            body = .notModified
        default:
            let isSigned = request.credentials != nil && WebURL(request.url)?.sharesCredentials(with: url) == true
            throw FetchFailure(.http, status: status, detail: status == 401 && isSigned ? .passwordRefused : nil)
        }
        return FetchResponse(
            body: body, status: status, redirects: redirects, finalURL: url.text == request.url ? request.url : url.text,
            headers: hop.head.headers, bodyHash: hop.hash, bytes: hop.size, milliseconds: spent.milliseconds)
    }

    private func startedLoop() throws(SystemFailure) -> CurlLoop {
        try loop.withLock { loop throws(SystemFailure) in
            if let loop { return loop }
            let started = try CurlLoop()
            loop = started
            return started
        }
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
        "Accept-Encoding", ContentDecoder.Encoding.allCases.filter(\.isKnown).map(\.rawValue).joined(separator: ", "))
}

/// Header lines as bytes. No value can begin another line.
enum HeaderLine {
    static func make(_ name: String, _ value: String) -> [UInt8]? {
        bytes(value).map { Array("\(name): ".utf8) + $0 }
    }

    /// Each character as the byte with its number, or all as UTF-8 if one is beyond Latin-1. nil if the value has control
    /// characters.
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
