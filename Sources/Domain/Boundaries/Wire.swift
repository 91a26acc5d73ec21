public import Addresses

/// The outside world as one fetch sees it: its turn at a host, then the server.
///
/// A fetcher sends each hop through a wire and applies every rule behind it: redirects, encodings, limits. A wire that
/// records or replays therefore covers everything a run depends on, and decides nothing.
public protocol Wire: Sendable {
    /// Loads in advance what the first exchange would load. Optional.
    func prepare()
    /// Waits until `url` may be asked.
    ///
    /// - Throws: as `Visit.enter`.
    func enter(_ url: WebURL, _ visit: Visit) async throws -> Visit.Entry
    /// Sends one request and passes the body of a success on as it arrives. If `receive` throws, the transfer ends.
    func exchange(
        _ request: WireRequest, _ visit: Visit, receive: (WireHead, WirePiece) throws -> Void
    ) async -> WireOutcome
    /// A piece of the body after its encodings were undone.
    func decoded(_ piece: [UInt8], _ head: ResponseHead, _ visit: Visit)
    /// The last exchange is complete. `body` is nil if there was none, if the receiver refused it, or if the exchange
    /// failed.
    func ended(_ body: Result<WireBody, FetchFailure>?, _ visit: Visit)
}

extension Wire {
    public func prepare() {}
    public func decoded(_ piece: [UInt8], _ head: ResponseHead, _ visit: Visit) {}
    public func ended(_ body: Result<WireBody, FetchFailure>?, _ visit: Visit) {}
}

/// One request as it is sent: no redirects, no policy.
public struct WireRequest: Sendable {
    /// http or https, or a file of this machine.
    public var url: String
    /// Whole header lines as bytes, without their line breaks.
    public var headers: [[UInt8]] = []
    public var credentials: Credentials?
    /// Seconds.
    public var timeout: Double
    /// Bytes of the body.
    public var maxSize: Int
    /// Seconds without a byte after which the transfer ends; 0 for no such limit.
    public var stall = 0
    /// True for a large file, which is passed on in large pieces.
    public var isMedia = false
    /// True if part of a file was requested, so that a 206 has a usable body.
    public var takesPart = false
    /// The fields of a form; nil for a GET.
    public var form: String?
    /// Only public internet addresses may be connected to, whatever the host name resolves to.
    public var publicOnly = false
    /// True if the bodies of error pages and redirects are needed too.
    public var keepsPage = false
    /// Awaited before the body's first bytes are passed on; nil to pass them on as soon as they arrive.
    public var admitBody: (@Sendable () async -> Void)?

    public init(url: String, timeout: Double, maxSize: Int) {
        self.url = url
        self.timeout = timeout
        self.maxSize = maxSize
    }
}

/// The head of a final response.
public struct WireHead: Sendable {
    public var status = 0
    public var headers = ResponseHeaders()
    public var location: String?
    public var contentEncoding: String?
    public var contentLength: String?
    public var transferEncoding: String?
    /// The values of the Set-Cookie headers.
    public var cookies: [String] = []
    /// The head as it was sent, with its status line and its line breaks.
    public var bytes: [UInt8] = []

    public init() {}

    /// True for any success with a body. A 206 needs to be what was asked for, or the whole.
    public func hasBody(for request: WireRequest) -> Bool {
        switch status {
        case 204, 205: false
        case 206: request.takesPart || isWhole
        default: (200..<300).contains(status)
        }
    }

    /// True for a 206 that says `bytes 0-9/10`, or that came without a range having been asked for and names none.
    private var isWhole: Bool {
        guard let range = headers.contentRange else { return true }
        let numbers = range.split { !$0.isNumber }.map { Int($0) }
        guard numbers.count == 3, let first = numbers[0], let last = numbers[1], let total = numbers[2] else { return false }
        return first == 0 && last < total && last + 1 == total
    }
}

/// A piece of a 200's body.
public enum WirePiece: Sendable {
    case sent([UInt8])
    /// From a recording in which something was replaced, which requires decoding first.
    case decoded([UInt8])
}

/// Facts about a body that was read to its end.
public struct WireBody: Equatable, Sendable {
    /// XXH64 of the bytes as they were sent.
    public var hash: UInt64
    /// Bytes as they were sent.
    public var size: Int
    /// True if the body has the hash given in the request, so that it was not decoded.
    public var isSame: Bool

    public init(hash: UInt64, size: Int, isSame: Bool) {
        self.hash = hash
        self.size = size
        self.isSame = isSame
    }
}

/// How one exchange ended.
public struct WireOutcome: Sendable {
    public var head: WireHead?
    /// nil if the response is complete; what `receive` threw, if it did.
    public var failure: (any Error)?
    public var duration = Duration.zero
    public var times: WireTimes?
    /// Set by a recording that stores the body decoded, or not at all.
    public var body: Result<WireBody, FetchFailure>?
    /// The body of a response other than 200, as far as it was read; empty unless the request has `keepsPage`.
    public var page: [UInt8] = []

    public init() {}
}

/// When the steps of an exchange ended, in microseconds since it began; 0 for a step that was not needed.
public struct WireTimes: Equatable, Sendable {
    public var lookUp = 0
    public var connect = 0
    public var tls = 0
    public var firstByte = 0
    public var total = 0

    public init() {}
}
