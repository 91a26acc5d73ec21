import Domain
import Fetching
import LoopbackServer
import Testing

/// Redirects are followed hop by hop, and each hop is a request under all rules.
struct RedirectTests {
    let server: LoopbackServer
    init() throws { server = try LoopbackServer() }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `each kind is followed`(status: Int) async throws {
        server.on("/old", .redirect(status, to: "new?a=b#c"))
        server.on("/new", .feed("x"))
        let (response, body) = try await fetch("\(server.url)/old")
        #expect(body == "x")
        #expect(response.finalURL == "\(server.url)/new?a=b")
        #expect(response.redirects == [Redirect(status: status, from: "\(server.url)/old", to: "\(server.url)/new?a=b")])
    }

    @Test func `ten hops are followed and eleven are not`() async throws {
        for hop in 1...11 { server.on("/\(hop)", .redirect(302, to: "/\(hop - 1)")) }
        server.on("/0", .feed("x"))
        #expect(try await fetch("\(server.url)/10").response.redirects.count == 10)
        let failure = await failure(of: "\(server.url)/11")
        #expect(failure?.code == .redirect)
        #expect(failure?.redirects.count == 10)
    }

    @Test(arguments: ["/a", "/self"])
    func `loops end`(start: String) async {
        server.on("/a", .redirect(301, to: "/b"))
        server.on("/b", .redirect(302, to: "/a"))
        server.on("/self", .redirect(301, to: "/self#again"))
        #expect(await failure(of: server.url + start)?.code == .redirect)
        #expect(server.requests.count <= 2)
    }

    @Test func `a gate that sets a cookie and leads back is passed, for feeds and media`() async throws {
        server.on("/feed") { request in
            request["Cookie"] == "b=2; seen=1"
                ? .feed("x")
                : Reply(302, headers: [("Location", "/gate"), ("Set-Cookie", "b=2; Path=/")])
        }
        server.on("/gate") { request in
            request["Cookie"] == "b=2"
                ? Reply(302, headers: [("Location", "/feed"), ("Set-Cookie", "seen=1; HttpOnly")]) : Reply(403)
        }
        server.on("/self") { request in
            request["Cookie"] == nil ? Reply(302, headers: [("Location", "/self"), ("Set-Cookie", "a=b")]) : .feed("y")
        }
        #expect(try await fetch("\(server.url)/feed").text == "x")
        #expect(try await fetch("\(server.url)/self").text == "y")
        #expect(try await fetch("\(server.url)/self") { $0.media = MediaRange() }.text == "y")
        // Nothing is kept for another fetch.
        #expect(server.requests.filter { $0.path == "/self" && $0["Cookie"] == nil }.count == 2)
    }

    @Test func `a cookie that a server takes back is not sent, and the way there is not walked again`() async throws {
        for end in ["Expires=Thu, 01 Jan 1970 00:00:00 GMT", "Max-Age=0"] {
            server.on("/in", Reply(302, headers: [("Location", "/out"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")]))
            server.on("/out", Reply(302, headers: [("Location", "/feed"), ("Set-Cookie", "a=; \(end)")]))
            server.on("/feed", .feed("x"))
            _ = try await fetch("\(server.url)/in")
            #expect(server.requests.suffix(2).map { $0["Cookie"] } == ["a=1; b=2", "b=2"])
        }
        // It comes and goes, so the second visit is like the first.
        server.on("/a", Reply(302, headers: [("Location", "/b"), ("Set-Cookie", "x=1")]))
        server.on("/b", Reply(302, headers: [("Location", "/a"), ("Set-Cookie", "x=; Max-Age=0")]))
        #expect(await failure(of: "\(server.url)/a")?.detail == .redirectLoop)
    }

    @Test func `the server's clock dates its cookies`() async throws {
        let headers = [
            ("Location", "/feed"), ("Date", "Tue, 01 Jan 2030 00:00:00 GMT"),
            ("Set-Cookie", "old=1; Expires=Mon, 31 Dec 2029 23:00:00 GMT"),
            ("Set-Cookie", "new=1; Expires=Tue, 01 Jan 2030 01:00:00 GMT"),
        ]
        server.on("/in", Reply(302, headers: headers))
        server.on("/feed", .feed("x"))
        _ = try await fetch("\(server.url)/in")
        #expect(server.requests.last?["Cookie"] == "new=1")
    }

    @Test func `a sign-on on another host gets its own cookies alone`() async throws {
        let other = try LoopbackServer(address: "127.0.0.2")
        server.on("/feed") { request in
            request["Cookie"] == "asked=1; ticket=t"
                ? .feed("x")
                : Reply(302, headers: [("Location", "\(other.url)/login"), ("Set-Cookie", "asked=1; Path=/")])
        }
        other.on("/login", Reply(302, headers: [("Location", "/done"), ("Set-Cookie", "session=s; Path=/")]))
        other.on("/done") { [server] request in
            request["Cookie"] == "session=s" ? .redirect(302, to: "\(server.url)/ticket") : Reply(403)
        }
        server.on("/ticket", Reply(302, headers: [("Location", "/feed"), ("Set-Cookie", "ticket=t; Path=/")]))
        #expect(try await fetch("\(server.url)/feed").text == "x")
        #expect(other.requests.map { $0["Cookie"] } == [nil, "session=s"])
    }

    @Test func `a circle whose cookies stay the same ends`() async {
        server.on("/a", Reply(302, headers: [("Location", "/a"), ("Set-Cookie", "x=1")]))
        #expect(await failure(of: "\(server.url)/a")?.detail == .redirectLoop)
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://127.0.0.1/feed", "gopher://127.0.0.1/", "data:text/xml,<rss/>", "http://", "//", "",
    ])
    func `other schemes and broken targets are refused`(location: String) async {
        server.on("/feed", .redirect(302, to: location))
        let failure = await failure(of: "\(server.url)/feed")
        #expect(failure?.code == .redirect)
        #expect(failure?.status == 302)
    }

    @Test func `a redirect without location is refused`() async {
        server.on("/feed", Reply(301))
        #expect(await failure(of: "\(server.url)/feed")?.code == .redirect)
    }

    @Test func `the body of a redirect decides nothing`() async throws {
        server.on(
            "/cut",
            Reply.redirect(301, to: "/feed").with {
                $0.declaredLength = 1_000; $0.closes = true
            })
        server.on("/long", Reply(302, headers: [("Location", "/feed")], body: Array(repeating: 32, count: 1 << 20)))
        server.on("/feed", .feed("x"))
        #expect(try await fetch("\(server.url)/cut").text == "x")
        #expect(try await fetch("\(server.url)/long").text == "x")
    }

    @Test func `validators go to the hop they belong to`() async throws {
        server.on("/old", .redirect(301, to: "/new"))
        server.on("/new") { Reply.feed("x").conditional(on: $0, etag: "\"n\"") }
        let (response, _) = try await fetch("\(server.url)/old") {
            $0.validators = Validators(url: "\(server.url)/new", etag: "\"n\"")
        }
        #expect(response.body == .notModified)
        #expect(server.requests.map { $0["If-None-Match"] } == [nil, "\"n\""])
    }

    @Test func `a failure tells the way that led to it`() async {
        server.on("/old", .redirect(301, to: "/gone"))
        server.on("/gone", Reply(410))
        let failure = await failure(of: "\(server.url)/old")
        #expect(failure?.status == 410)
        #expect(failure?.redirects.map(\.to) == ["\(server.url)/gone"])
    }

    @Test func `a location in UTF-8 is understood`() async throws {
        server.on("/old", .redirect(302, to: "/\u{65E5}"))
        server.on("/%E6%97%A5", .feed("x"))
        #expect(try await fetch("\(server.url)/old").text == "x")
    }

    @Test func `a location in no UTF-8 is asked for byte by byte`() async throws {
        server.on("/old") { _ in Reply(302, headers: [("Location", "/caf\u{E9}")]) }
        server.on("/caf%E9", .feed("x"))
        #expect(try await fetch("\(server.url)/old").text == "x")
    }

    @Test func `a chain has one timeout for all of it`() async {
        for hop in 1...9 { server.on("/\(hop)", Reply.redirect(302, to: "/\(hop - 1)").with { $0.delay = 0.15 }) }
        server.on("/0", .feed("x"))
        #expect(await failure(of: "\(server.url)/9") { $0.limits.timeout = 0.5 }?.code == .timeout)
        #expect(server.requests.count < 6)
    }
}
