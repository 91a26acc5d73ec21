public import Addresses

/// Fetches feeds over HTTP.
public protocol FeedFetching: Sendable {
    /// Loads in advance what the first fetch would load, which takes some milliseconds. Optional.
    func prepare()
    /// Sends a GET, follows redirects under the rules of the library, and passes a 200's decoded body to `receive` in
    /// pieces, in order, as they arrive, each with the head of its response. An error thrown by `receive` ends the
    /// transfer and is rethrown unchanged.
    ///
    /// Enters `visit` before each hop and leaves it afterwards. Returns for 200, 304 and shared answers only. Never blocks
    /// a thread; a cancelled task ends the transfer at once with `.cancelled`.
    ///
    /// - Throws: `FetchFailure`; `SystemFailure` if this machine failed; `HostPaused`; what `receive` throws.
    func fetch(
        _ request: FetchRequest, _ visit: Visit, receive: (ResponseHead, [UInt8]) throws -> Void
    ) async throws -> FetchResponse
}

extension FeedFetching {
    public func prepare() {}
}

public struct FetchRequest: Sendable {
    /// http or https, without user and password.
    public var url: String
    public var credentials: Credentials?
    /// Sent only to the URL they belong to.
    public var validators: Validators?
    /// XXH64 of the bytes the server sent last time. If the same bytes arrive again, the body is not decoded.
    public var lastBodyHash: UInt64?
    public var limits: FetchLimits
    /// nil for the program's own.
    public var userAgent: String?
    /// The value of `Accept`; nil prefers feeds.
    public var accept: String?
    /// Set for a media file, which is requested without content encodings and possibly from an offset.
    public var media: MediaRange?
    /// Sent to `url` only, never to a redirect's target.
    public var headers: [RequestHeader] = []
    /// The body of a form (`application/x-www-form-urlencoded`). It makes the request a POST, and no redirect passes it
    /// on.
    public var form: String?
    /// Awaited before the body's first bytes are received; nil to receive them as soon as they arrive.
    public var admitBody: (@Sendable () async -> Void)?

    public init(url: String, credentials: Credentials? = nil, limits: FetchLimits = FetchLimits()) {
        self.url = url
        self.credentials = credentials
        self.limits = limits
    }
}

/// The part of a media file to request. The answer is a 200 with the whole file, or a 206 with this part.
public struct MediaRange: Equatable, Sendable {
    /// Offset of the first byte; 0 requests the whole file.
    public var first: Int
    /// The value of `If-Range`: a strong ETag or a Last-Modified date.
    public var validator: String?

    public init(first: Int = 0, validator: String? = nil) {
        self.first = first
        self.validator = validator
    }
}

public struct RequestHeader: Equatable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

public struct FetchLimits: Equatable, Sendable {
    /// Seconds for one feed, including redirects, excluding the wait for slots.
    public var timeout: Double = 60
    /// Bytes of decoded body.
    public var maxBodySize = 64 << 20
    public var maxRedirects = 10
    /// Seconds without a byte after which a fetch is given up; nil if only `timeout` counts.
    public var stall: Int?

    public init() {}
}

/// A server's response as facts. `Schedule` and `RefreshFeed` decide what they mean.
public struct FetchResponse: Sendable {
    public enum Body: Sendable {
        /// 304, to a request that carried validators.
        case notModified
        /// 200 with the bytes of `lastBodyHash`; nothing was handed to `receive`.
        case sameBytes
        /// 200, and all of the body was handed to `receive`.
        case received
        /// Another fetch of this run has requested `finalURL`, and its answer is shared.
        case shared
    }

    public var body: Body
    public var status: Int
    /// The redirects that were followed, in order.
    public var redirects: [Redirect]
    /// The URL that gave this answer.
    public var finalURL: String
    public var headers: ResponseHeaders
    /// XXH64 of the body's bytes as they were sent.
    public var bodyHash: UInt64?
    /// Bytes of the body as they were sent.
    public var bytes: Int
    public var milliseconds: Int

    public init(
        body: Body, status: Int = 0, redirects: [Redirect] = [], finalURL: String,
        headers: ResponseHeaders = ResponseHeaders(),
        bodyHash: UInt64? = nil, bytes: Int = 0, milliseconds: Int = 0
    ) {
        self.body = body
        self.status = status
        self.redirects = redirects
        self.finalURL = finalURL
        self.headers = headers
        self.bodyHash = bodyHash
        self.bytes = bytes
        self.milliseconds = milliseconds
    }
}

/// The part of a response that a parser needs before the body: the URL and the media type.
public struct ResponseHead: Sendable {
    public var url: String
    public var status = 200
    public var headers: ResponseHeaders
    /// Expected bytes of the body; nil if the server does not say.
    public var contentLength: Int?

    public init(url: String, headers: ResponseHeaders) {
        self.url = url
        self.headers = headers
    }
}

/// One hop: a 301, 302, 303, 307 or 308.
public struct Redirect: Equatable, Sendable {
    public var status: Int
    public var from: String
    public var to: String

    public init(status: Int, from: String, to: String) {
        self.status = status
        self.from = from
        self.to = to
    }
}

/// Header values of the final response, unchanged. Each character stands for one byte.
public struct ResponseHeaders: Equatable, Sendable {
    public var etag: String?
    public var lastModified: String?
    public var contentType: String?
    public var cacheControl: String?
    public var expires: String?
    public var date: String?
    public var age: String?
    public var retryAfter: String?
    public var contentRange: String?
    /// The value of `Link`, which may name the feed of a page.
    public var link: String?
    /// The service that marked the answer as meant for robots, such as Cloudflare.
    public var botWall: String?

    public init() {}
}
