/// Gets one feed over HTTP.
public protocol FeedFetching: Sendable {
    /// Sends a GET, follows redirects under the rules of the library, and hands a 200's decoded body to `receive`
    /// in pieces, in order, as they arrive, each with the head of the answer it belongs to. What `receive` throws
    /// ends the transfer and is thrown on as it is.
    ///
    /// Returns for 200 and 304 only. Never blocks a thread; a cancelled task ends the transfer at once with `.cancelled`.
    ///
    /// - Throws: `FetchFailure`, or what `receive` throws.
    func fetch(_ request: FetchRequest, receive: (ResponseHead, [UInt8]) throws -> Void) async throws -> FetchResponse
}

public struct FetchRequest: Sendable {
    /// http or https, without user and password.
    public var url: String
    public var credentials: Credentials?
    /// Sent only to the URL they belong to.
    public var validators: Validators?
    /// XXH64 of the bytes the server sent last time: when they come again, the body is not decoded.
    public var knownBodyHash: UInt64?
    public var limits: FetchLimits
    /// nil: the program's own.
    public var userAgent: String?
    /// The value of `Accept`; nil: feeds preferred.
    public var accept: String?
    /// Sent to `url` only, never to where a redirect leads.
    public var headers: [RequestHeader] = []
    /// Asked before each redirect is followed; false ends the fetch there, with `.elsewhere`.
    public var mayFollow: (@Sendable (_ url: String) async -> Bool)?

    public init(url: String, credentials: Credentials? = nil, limits: FetchLimits = FetchLimits()) {
        self.url = url
        self.credentials = credentials
        self.limits = limits
    }
}

public struct RequestHeader: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

public struct FetchLimits: Hashable, Sendable {
    /// Seconds for one feed, redirects included, the wait for its host's turn not.
    public var timeout: Double = 60
    /// Bytes of decoded body.
    public var maxBodySize = 64 << 20
    public var maxRedirects = 10

    public init() {}
}

/// What a server answered, as facts; what they mean is decided by `Schedule` and `RefreshEpisodes`.
public struct FetchResponse: Sendable {
    public enum Body: Sendable {
        /// 304, to a request that carried validators.
        case notModified
        /// 200 with the bytes of `knownBodyHash`; nothing was handed to `receive`.
        case sameBytes
        /// 200, and all of the body was handed to `receive`.
        case received
        /// A redirect led to `finalURL`, and `mayFollow` said no.
        case elsewhere
    }

    public var body: Body
    public var status: Int
    /// Every redirect on the way, in order.
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

/// What is known of an answer when its body begins: a parser needs the URL and the media type.
public struct ResponseHead: Sendable {
    public var url: String
    public var headers: ResponseHeaders

    public init(url: String, headers: ResponseHeaders) {
        self.url = url
        self.headers = headers
    }
}

/// One hop: a 301, 302, 303, 307 or 308.
public struct Redirect: Hashable, Sendable {
    public var status: Int
    public var from: String
    public var to: String

    public init(status: Int, from: String, to: String) {
        self.status = status
        self.from = from
        self.to = to
    }
}

/// Header values of the final answer as they came, each character standing for one byte.
public struct ResponseHeaders: Hashable, Sendable {
    public var etag: String?
    public var lastModified: String?
    public var contentType: String?
    public var cacheControl: String?
    public var expires: String?
    public var date: String?
    public var age: String?
    public var retryAfter: String?

    public init() {}
}
