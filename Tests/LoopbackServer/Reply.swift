/// The reply of a path: ordinary by default, with a property for every kind of misbehaviour.
public struct Reply: Sendable {
    public enum Framing: Sendable {
        case contentLength
        case chunked
        /// HTTP/1.0 manner: the body ends with the connection.
        case untilClose
    }

    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    public var framing = Framing.contentLength
    /// Seconds before the answer begins.
    public var delay: Double = 0
    /// A Content-Length other than the body's.
    public var declaredLength: Int?
    /// Closes the connection after that many bytes of the body.
    public var cutAfter: Int?
    /// Sends the body in pieces of `bytes`, each after a pause in seconds.
    public var drip: (bytes: Int, pause: Double)?
    /// Heads sent before the answer's own, such as 103 Early Hints.
    public var interim: [(status: Int, headers: [(name: String, value: String)])] = []
    /// Sent as it is, in place of everything above but `delay`; then the connection is closed.
    public var raw: [UInt8]?
    /// Reads the request and never answers.
    public var hangs = false
    /// Closes the connection after the answer.
    public var closes = false

    public init(_ status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// 200 with a feed.
    public static func feed(_ text: String, type: String = "application/rss+xml", headers: [(name: String, value: String)] = [])
        -> Reply
    {
        Reply(200, headers: [("Content-Type", type)] + headers, body: Array(text.utf8))
    }

    public static func redirect(_ status: Int, to location: String) -> Reply {
        Reply(status, headers: [("Location", location)], body: Array("moved".utf8))
    }

    public static func raw(_ text: String) -> Reply {
        var reply = Reply()
        reply.raw = Array(text.utf8)
        return reply
    }

    public static var hanging: Reply {
        var reply = Reply()
        reply.hangs = true
        return reply
    }

    /// A copy with one thing set otherwise: `Reply.feed(text).with { $0.delay = 0.2 }`.
    public func with(_ change: (inout Reply) -> Void) -> Reply {
        var copy = self
        change(&copy)
        return copy
    }

    /// This reply with validators, and 304 to a request that has them: If-None-Match counts before If-Modified-Since.
    public func conditional(on request: Request, etag: String? = nil, lastModified: String? = nil) -> Reply {
        var reply = self
        if let etag { reply.headers.append(("ETag", etag)) }
        if let lastModified { reply.headers.append(("Last-Modified", lastModified)) }
        let matches: Bool
        if let wanted = request["If-None-Match"] {
            matches = wanted == etag
        } else if let since = request["If-Modified-Since"] {
            matches = since == lastModified
        } else {
            matches = false
        }
        guard matches else { return reply }
        reply.status = 304
        reply.body = []
        return reply
    }
}

/// A request as it came.
public struct Request: Sendable {
    public var method: String
    /// Path and query.
    public var target: String
    public var headers: [(name: String, value: String)]
    /// Counts the server's connections from 0: the same number means the connection was reused.
    public var connection: Int
    /// As long as Content-Length says.
    public var body: [UInt8] = []

    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The value of a header, in any letter case; each character stands for one byte.
    public subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
