/// Why nothing could be fetched from a URL: a failure of the network or of a server. Facts only; Presentation words them.
public struct FetchFailure: Error, Equatable, Sendable {
    /// The words of `error.code` in the command's JSON.
    public enum Code: String, Sendable {
        case dns, connect, tls, timeout, tooLarge, http, redirect, notAFeed, `protocol`, blocked, storage, cancelled
    }

    public var code: Code
    /// The HTTP status; nil if no server answered.
    public var status: Int?
    /// Details that the code does not include.
    public var detail: Detail?
    /// The redirects that led to the failure, in order.
    public var redirects: [Redirect]
    /// The headers of the last answer.
    public var headers: ResponseHeaders {
        _read { yield boxedHeaders.value }
        _modify { yield &boxedHeaders.value }
    }
    public var milliseconds: Int
    private var boxedHeaders: Boxed<ResponseHeaders>

    public init(
        _ code: Code, status: Int? = nil, detail: Detail? = nil, redirects: [Redirect] = [],
        headers: ResponseHeaders = ResponseHeaders(), milliseconds: Int = 0
    ) {
        self.code = code
        self.status = status
        self.detail = detail
        self.redirects = redirects
        boxedHeaders = Boxed(headers)
        self.milliseconds = milliseconds
    }

    /// The failure of a feed that an error thrown by a fetch, a parser or a store amounts to.
    public init(_ error: any Error) {
        switch error {
        case let failure as FetchFailure: self = failure
        case is WebPage: self.init(.notAFeed, status: 200, detail: .notAFeed(.html))
        case NotAFeed.tooLarge: self.init(.tooLarge, status: 200, detail: .notAFeed(.tooLarge))
        case let reason as NotAFeed: self.init(.notAFeed, status: 200, detail: .notAFeed(reason))
        case is LibraryFailure, is SystemFailure: self.init(.storage)
        case is HostPaused: self.init(.blocked)
        case is CancellationError: self.init(.cancelled)
        default: self.init(.protocol, detail: .reported("\(error)"))
        }
    }
}

extension FetchFailure {
    /// True if no server answered, neither the requested one nor a redirect's target.
    ///
    /// The only definition of "unreachable". A host that is unreachable several times in a row is skipped for the
    /// remainder of a run. If everything was unreachable, this machine may be offline.
    public var isUnreachable: Bool {
        status == nil && redirects.isEmpty && (code == .dns || code == .connect || code == .timeout)
    }
    /// True if this machine or its user ended the request, which says nothing about the server.
    var isLocal: Bool { code == .cancelled || code == .storage }
}
