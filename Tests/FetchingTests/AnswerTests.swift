import Addresses
import Domain
import Fetching
import LoopbackServer
import Testing

/// What counts as an answer, and what a request carries.
struct AnswerTests {
    let server: LoopbackServer
    init() throws { server = try LoopbackServer() }

    @Test func `a feed arrives whole`() async throws {
        let text = String(repeating: "<item/>", count: 100_000)
        server.on(
            "/feed", .feed(text, headers: [("ETag", "\"a\""), ("Cache-Control", "max-age=60"), ("cache-control", "private")]))
        let (response, body) = try await fetch("\(server.url)/feed")
        #expect(body == text)
        #expect(response.status == 200)
        #expect(response.bytes == text.utf8.count)
        #expect(response.bodyHash == XXH64.hash(text.utf8))
        #expect(response.headers.etag == "\"a\"")
        #expect(response.headers.cacheControl == "max-age=60, private")
        #expect(response.headers.contentType == "application/rss+xml")
    }

    @Test func `the request says who asks and what for and nothing else`() async throws {
        server.on("/feed", .feed("x"))
        _ = try await fetch("\(server.url)/feed")
        let request = try #require(server.requests.first)
        #expect(request.method == "GET")
        #expect(request["User-Agent"] == "jimmy-tests")
        #expect(request["Accept-Encoding"]?.hasPrefix("gzip, deflate") == true)
        #expect(request["Cookie"] == nil)
        #expect(request["Authorization"] == nil)
        #expect(request["If-None-Match"] == nil)
        _ = try await fetch("\(server.url)/feed") { $0.userAgent = "mine/1 (ü)" }
        #expect(server.requests.last?["User-Agent"] == "mine/1 (ü)")
    }

    @Test func `validators go back byte for byte`() async throws {
        let etag = "W/\"ü;\\\"\u{80}\""
        let lastModified = "yesterday, or so"
        server.on("/feed") { Reply.feed("x").conditional(on: $0, etag: etag, lastModified: lastModified) }
        let first = try await fetch("\(server.url)/feed").response
        #expect(first.headers.etag == etag)
        let second = try await fetch("\(server.url)/feed") {
            $0.validators = Validators(url: first.finalURL, etag: first.headers.etag, lastModified: first.headers.lastModified)
        }
        #expect(second.response.body == .notModified)
        #expect(second.response.status == 304)
        #expect(server.requests.last?["If-None-Match"] == etag)
        #expect(server.requests.last?["If-Modified-Since"] == lastModified)
    }

    @Test func `validators of another URL stay at home`() async throws {
        server.on("/feed", .feed("x"))
        _ = try await fetch("\(server.url)/feed") { $0.validators = Validators(url: "\(server.url)/old", etag: "\"a\"") }
        #expect(server.requests.last?["If-None-Match"] == nil)
    }

    @Test func `validators that would begin another header are dropped`() async throws {
        server.on("/feed", .feed("x"))
        _ = try await fetch("\(server.url)/feed") {
            $0.validators = Validators(url: $0.url, etag: "\"a\"\r\nX-Evil: 1", lastModified: "fine")
        }
        #expect(server.requests.last?["X-Evil"] == nil)
        #expect(server.requests.last?["If-None-Match"] == nil)
        #expect(server.requests.last?["If-Modified-Since"] == "fine")
    }

    @Test func `a 304 that was not asked for is no answer`() async {
        server.on("/feed", Reply(304))
        let failure = await failure(of: "\(server.url)/feed")
        #expect(failure?.code == .protocol)
        #expect(failure?.status == 304)
    }

    @Test(arguments: [200, 201, 202, 203, 206, 218, 226]) func `any success brings a body`(status: Int) async throws {
        server.on("/feed", Reply(status, body: Array("<rss/>".utf8)))
        let (response, body) = try await fetch("\(server.url)/feed")
        #expect(body == "<rss/>")
        #expect(response.status == status)
    }

    @Test func `a part that is the whole brings a body, another part does not`() async throws {
        server.on("/whole", Reply(206, headers: [("Content-Range", "bytes 0-5/6")], body: Array("<rss/>".utf8)))
        #expect(try await fetch("\(server.url)/whole").text == "<rss/>")
        for range in ["bytes 0-5/60", "bytes 6-11/12", "bytes 0-5/*"] {
            server.on("/part", Reply(206, headers: [("Content-Range", range)], body: Array("<rss/>".utf8)))
            #expect(await failure(of: "\(server.url)/part")?.status == 206, "\(range)")
        }
    }

    @Test func `html is accepted last, and a bot wall is named`() async {
        server.on("/feed", Reply(403, headers: [("CF-Mitigated", "challenge")], body: Array("<html>".utf8)))
        let failure = await failure(of: "\(server.url)/feed")
        #expect(failure?.detail == .botWall("Cloudflare"))
        #expect(server.requests.first?["Accept"]?.hasSuffix("*/*;q=0.5, text/html;q=0.1") == true)
    }

    @Test(arguments: [
        ("CF-Mitigated", "challenge", "Cloudflare"), ("x-amzn-waf-action", "captcha", "AWS WAF"),
        ("X-DataDome", "protected", "DataDome"), ("X-Sucuri-Block", "1", "Sucuri"), ("X-Iinfo", "1-2-3", "Imperva"),
    ])
    func `a bot wall is named only for a refusal`(header: String, value: String, name: String) async throws {
        for status in [403, 405, 429, 503] {
            server.on("/feed", Reply(status, headers: [(header, value)]))
            #expect(await failure(of: "\(server.url)/feed")?.detail == .botWall(name), "\(status)")
        }
        for status in [400, 404, 410, 500] {
            server.on("/feed", Reply(status, headers: [(header, value)]))
            #expect(await failure(of: "\(server.url)/feed")?.detail == nil, "\(status)")
        }
        server.on("/feed", .feed("<rss/>", headers: [(header, value)]))
        #expect(try await fetch("\(server.url)/feed").text == "<rss/>")
    }

    @Test(arguments: [204, 205, 300, 305, 400, 401, 403, 404, 410, 429, 451, 500, 503, 599])
    func `any other answer brings no body`(status: Int) async {
        server.on("/feed", Reply(status, headers: [("Retry-After", "120")], body: Array("<rss/>".utf8)))
        let failure = await failure(of: "\(server.url)/feed")
        #expect(failure?.code == .http)
        #expect(failure?.status == status)
        #expect(failure?.headers.retryAfter == "120")
    }

    @Test func `hints before the answer are not the answer`() async throws {
        server.on(
            "/feed",
            Reply.feed("x", headers: [("ETag", "\"final\"")]).with {
                $0.interim = [(103, [("ETag", "\"hint\""), ("Last-Modified", "hint"), ("Link", "</a>; rel=preload")])]
            })
        let (response, body) = try await fetch("\(server.url)/feed")
        #expect(body == "x")
        #expect(response.headers.etag == "\"final\"")
        #expect(response.headers.lastModified == nil)
    }

    @Test(arguments: ["HTTP/1.1 103 Early Hints\r\nLocation: /x\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n"])
    func `hints alone are no answer`(head: String) async {
        server.on("/feed", .raw(head))
        let failure = await failure(of: "\(server.url)/feed")
        #expect(failure?.code == .protocol)
        #expect(failure?.status == nil)
    }

    @Test func `folded headers are read whole`() async throws {
        server.on(
            "/feed",
            .raw(
                "HTTP/1.1 200 OK\r\nX-Long: a\r\n b\r\nLast-Modified:\r\n\tlong ago\r\nCache-Control: max-age=60,\r\n private\r\n\r\nx"
            ))
        let headers = try await fetch("\(server.url)/feed").response.headers
        #expect(headers.lastModified == "long ago")
        #expect(headers.cacheControl == "max-age=60, private")
    }

    @Test(arguments: ["Content-Length: 3, 5", "Content-Length: 3\r\nContent-Length: 5", "Content-Length: 5\r\ncontent-length: 3"])
    func `lengths that differ are a protocol failure`(header: String) async {
        server.on("/feed", .raw("HTTP/1.1 200 OK\r\n\(header)\r\n\r\nabcde"))
        let failure = await failure(of: "\(server.url)/feed")
        #expect(failure?.code == .protocol)
    }

    @Test(arguments: ["Content-Length: 5, 5", "Content-Length: 5\r\nContent-Length: 5"])
    func `a length that is repeated is one length`(header: String) async throws {
        server.on("/feed", .raw("HTTP/1.1 200 OK\r\n\(header)\r\n\r\nabcde"))
        #expect(try await fetch("\(server.url)/feed").text == "abcde")
    }

    /// A chunked body has its own framing, and its lengths are ignored (RFC 9112, 6.3).
    @Test func `the lengths of a chunked body do not count`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 3, 5\r\nTransfer-Encoding: chunked\r\n\r\n"
        server.on("/feed", .raw(head + "5\r\nabcde\r\n0\r\n\r\n"))
        #expect(try await fetch("\(server.url)/feed").text == "abcde")
    }

    @Test func `trailers are not headers`() async throws {
        server.on("/feed", .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nETag: \"late\"\r\n\r\n"))
        let (response, body) = try await fetch("\(server.url)/feed")
        #expect(body == "x")
        #expect(response.headers.etag == nil)
    }

    @Test func `the same bytes are not handed on`() async throws {
        server.on("/feed", .feed("the same"))
        let hash = try await fetch("\(server.url)/feed").response.bodyHash
        let (response, body) = try await fetch("\(server.url)/feed") { $0.lastBodyHash = hash }
        #expect(response.body == .sameBytes)
        #expect(response.bodyHash == hash)
        #expect(body.isEmpty)
        server.on("/feed", .feed("something else"))
        let changed = try await fetch("\(server.url)/feed") { $0.lastBodyHash = hash }
        #expect(changed.response.body == .received)
        #expect(changed.text == "something else")
    }

    @Test func `the same megabytes are not handed on`() async throws {
        let text = String(repeating: "long ", count: 500_000)
        server.on("/feed", .feed(text))
        let (response, body) = try await fetch("\(server.url)/feed") { $0.lastBodyHash = XXH64.hash(text.utf8) }
        #expect(response.body == .sameBytes)
        #expect(body.isEmpty)
    }

    @Test func `a body too long to be held is handed on though its hash is known`() async throws {
        let text = String(repeating: "long ", count: 6_000_000)
        server.on("/feed", .feed(text))
        let (response, body) = try await fetch("\(server.url)/feed") { $0.lastBodyHash = XXH64.hash(text.utf8) }
        #expect(response.body == .received)
        #expect(body.utf8.count == text.utf8.count)
    }

    @Test func `user and password go to their host only`() async throws {
        let other = try LoopbackServer(address: "127.0.0.2")
        server.on("/feed", .redirect(302, to: "/inside"))
        server.on("/inside", .redirect(302, to: "\(other.url)/feed"))
        other.on("/feed", .redirect(302, to: "\(server.url)/end"))
        server.on("/end", .feed("x"))
        _ = try await fetch("\(server.url)/feed") { $0.credentials = Credentials(user: "me", password: "pa:ß") }
        #expect(server.requests.map { $0["Authorization"] } == Array(repeating: "Basic bWU6cGE6w58=", count: 3))
        #expect(other.requests.map { $0["Authorization"] } == [nil])
    }

    @Test func `a feed in a file is read`() async throws {
        let (response, body) = try await fetch(try #require(FeedURL.file(path: #filePath)).url)
        #expect(response.status == 200)
        #expect(body.contains("aFeedInAFileIsRead"))
        #expect(await failure(of: "file:///no/such/file")?.code == .http)
        #expect(await failure(of: "file:///dev/null")?.code == .protocol)
    }
}
