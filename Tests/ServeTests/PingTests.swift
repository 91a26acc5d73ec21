import Glibc
import LoopbackServer
import ProgramSupport
import Synchronization
import Testing

/// A hub on loopback that is asked, verifies, signs, lies and dies (W3C WebSub).
@Suite struct PingTests {
    /// A hub that stores the forms it receives.
    private final class Hub: Sendable {
        let forms = Mutex<[[String: String]]>([])
        private let path: String

        init(_ home: Home, path: String = "/hub") {
            self.path = path
            home.server.on(path) { [self] request in
                var fields: [String: String] = [:]
                for pair in String(decoding: request.body, as: UTF8.self).split(separator: "&") {
                    let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
                    if parts.count == 2 { fields[parts[0]] = Hub.decoded(parts[1]) }
                }
                forms.withLock { $0.append(fields) }
                return Reply(202)
            }
        }

        private static func decoded(_ text: String) -> String {
            var (bytes, source) = ([UInt8](), Array(text.utf8)[...])
            while let byte = source.popFirst() {
                if byte == UInt8(ascii: "%"), let number = UInt8(String(decoding: source.prefix(2), as: UTF8.self), radix: 16) {
                    bytes.append(number)
                    source = source.dropFirst(2)
                } else {
                    bytes.append(byte)
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        /// What it was asked first, within ten seconds.
        func asked() throws -> [String: String] {
            for _ in 0..<200 {
                if let form = forms.withLock({ $0.first }) { return form }
                usleep(50_000)
            }
            throw TestFailure("the hub was not asked")
        }
    }

    private func feed(_ home: Home, episodes: Int) -> Reply {
        let links =
            "<atom:link xmlns:atom=\"http://www.w3.org/2005/Atom\" rel=\"hub\" href=\"\(home.server.url)/hub\"/>"
            + "<atom:link xmlns:atom=\"http://www.w3.org/2005/Atom\" rel=\"self\" href=\"https://radio.example/feed\"/>"
        return .feed(Home.feed("Harbor", episodes: episodes, extra: links))
    }

    /// A server that hubs can reach, and the hub.
    private func served() throws -> (Served, Hub, form: [String: String]) {
        let home = try Home()
        let hub = Hub(home)
        home.server.on("/harbor", feed(home, episodes: 1))
        _ = try home.jimmy.run("subscribe", home.server.url + "/harbor")
        let site = try Served(home, "--public-url", "http://127.0.0.1:1/")
        return (site, hub, try hub.asked())
    }

    private func callback(_ form: [String: String]) throws -> String {
        let url = try #require(form["hub.callback"])
        #expect(url.hasPrefix("http://127.0.0.1:1/websub/"))
        return "/websub/" + (url.split(separator: "/").last ?? "")
    }

    private func verify(_ site: Served, _ form: [String: String], topic: String? = nil, mode: String = "subscribe") throws
        -> Client.Answer
    {
        let path = try callback(form)
        return try site.client.get(
            "\(path)?hub.mode=\(mode)&hub.topic=\(topic ?? "https://radio.example/feed")&hub.challenge=abc123&hub.lease_seconds=86400"
        )
    }

    /// Signs with openssl, another implementation than ours.
    private func signature(_ body: String, _ secret: String, _ home: Home) throws -> String {
        try home.write(body, to: "body")
        let run = try home.run(script: "openssl dgst -sha256 -hmac '\(secret)' body | sed 's/.*= //'")
        return "sha256=" + run.output.filter { !$0.isNewline }
    }

    @Test func `a hub is asked, verified and heard`() throws {
        let (site, _, form) = try served()
        #expect(form["hub.mode"] == "subscribe")
        #expect(form["hub.topic"] == "https://radio.example/feed")
        #expect(form["hub.lease_seconds"] == "864000")
        // Before it is verified nothing is believed.
        let secret = try #require(form["hub.secret"])
        let headers = ["X-Hub-Signature": try signature("changed", secret, site.home)]
        site.home.server.forgetRequests()
        #expect(try site.client.post(try callback(form), "changed", headers: headers).status == 202)
        let verified = try verify(site, form)
        #expect(verified.status == 200)
        #expect(verified.text == "abc123")
        site.home.server.on("/harbor", feed(site.home, episodes: 2))
        #expect(try site.client.post(try callback(form), "changed", headers: headers).status == 202)
        for _ in 0..<200 where try site.home.jimmy.run("episodes").lines.count < 2 { usleep(50_000) }
        #expect(try site.home.jimmy.run("episodes").lines.count == 2)
        #expect(site.home.server.requests(to: "/harbor").count == 1)
        // The hub has kept its word: its feed is asked less often from the next time on.
        for _ in 0..<200 where !(try isCountedOn(site.home)) { usleep(50_000) }
        #expect(try isCountedOn(site.home))
        _ = try site.home.jimmy.run("refresh", "--all")
        #expect(try site.home.jimmy.run("explain", "Harbor").output.contains("its hub announces changes"))
        // A second ping at once causes no second fetch.
        _ = try site.client.post(try callback(form), "changed", headers: headers)
        usleep(500_000)
        #expect(site.home.server.requests(to: "/harbor").count == 2)
    }

    @Test func `two servers of a user know each other's hubs`() throws {
        let home = try Home()
        let hub = Hub(home)
        home.server.on("/harbor", feed(home, episodes: 1))
        _ = try home.jimmy.run("subscribe", home.server.url + "/harbor")
        let other = try Served(home)
        // It has read the file before the hub is asked.
        #expect(try other.client.get("/websub/none?hub.mode=subscribe&hub.topic=x").status == 404)
        let site = try Served(home, "--public-url", "http://127.0.0.1:1/")
        let form = try hub.asked()
        #expect(try verify(other, form).text == "abc123")
        home.server.on("/harbor", feed(home, episodes: 2))
        let headers = ["X-Hub-Signature": try signature("changed", try #require(form["hub.secret"]), home)]
        #expect(try site.client.post(try callback(form), "changed", headers: headers).status == 202)
        for _ in 0..<200 where try home.jimmy.run("episodes").lines.count < 2 { usleep(50_000) }
        #expect(try home.jimmy.run("episodes").lines.count == 2)
    }

    private func isCountedOn(_ home: Home) throws -> Bool {
        try home.run(script: "grep -c hubUntil library/podcasts.jsonl").output != "0\n"
    }

    @Test func `lies are not believed`() throws {
        let (site, _, form) = try served()
        #expect(try verify(site, form, topic: "https://other.example/feed").status == 404)
        #expect(try site.client.get("/websub/guessed?hub.mode=subscribe&hub.topic=x&hub.challenge=y").status == 404)
        #expect(try verify(site, form, mode: "unsubscribe").status == 404)
        #expect(try verify(site, form).status == 200)
        // Verified once for one request.
        #expect(try verify(site, form).status == 404)
        site.home.server.forgetRequests()
        let good = try signature("changed", try #require(form["hub.secret"]), site.home)
        for (body, headers) in [
            ("changed", [:]), ("other", ["X-Hub-Signature": good]), ("changed", ["X-Hub-Signature": "sha256=00"]),
            ("changed", ["X-Hub-Signature": "md5=" + good.dropFirst(7)]),
            ("changed", ["X-Hub-Signature": String(good.dropLast())]),
        ] {
            #expect(try site.client.post(try callback(form), body, headers: headers).status == 202)
        }
        usleep(500_000)
        #expect(site.home.server.requests(to: "/harbor").isEmpty)
    }

    @Test func `what a hub promised outlives the server`() throws {
        let (site, hub, form) = try served()
        #expect(try verify(site, form).status == 200)
        #expect(try site.stop().status == 0)
        hub.forms.withLock { $0 = [] }
        let again = try Served(site.home, "--public-url", "http://127.0.0.1:1/")
        let headers = ["X-Hub-Signature": try signature("x", try #require(form["hub.secret"]), site.home)]
        site.home.server.forgetRequests()
        #expect(try again.client.post(try callback(form), "x", headers: headers).status == 202)
        for _ in 0..<200 where site.home.server.requests(to: "/harbor").isEmpty { usleep(50_000) }
        #expect(site.home.server.requests(to: "/harbor").count == 1)
        #expect(hub.forms.withLock { $0.isEmpty })
    }

    /// Sets numbers in the file of promises, as if time had passed while the server was down.
    private func change(_ field: String, to number: Int, _ home: Home) throws {
        let run = try home.run(
            script: """
                file=$(find .local/state -name pings.json)
                sed -i -E 's/"\(field)":[0-9]+/"\(field)":\(number)/' "$file" && grep -c '"\(field)":\(number)' "$file"
                """)
        #expect(run.output == "1\n")
    }

    @Test func `a promise is renewed before it ends`() throws {
        let (site, hub, form) = try served()
        #expect(try verify(site, form).status == 200)
        #expect(try site.stop().status == 0)
        hub.forms.withLock { $0 = [] }
        try change("until", to: Int(time(nil)) + 600, site.home)
        let again = try Served(site.home, "--public-url", "http://127.0.0.1:1/")
        // The same address and secret, so that pings on the way count.
        #expect(try hub.asked() == form)
        let headers = ["X-Hub-Signature": try signature("x", try #require(form["hub.secret"]), site.home)]
        site.home.server.forgetRequests()
        #expect(try again.client.post(try callback(form), "x", headers: headers).status == 202)
        for _ in 0..<200 where site.home.server.requests(to: "/harbor").isEmpty { usleep(50_000) }
        #expect(site.home.server.requests(to: "/harbor").count == 1)
        #expect(try verify(again, form).status == 200)
    }

    @Test func `a hub that does not verify is asked less and less`() throws {
        let (site, hub, _) = try served()
        #expect(try site.stop().status == 0)
        for (failures, seconds) in [(1, 3_600), (2, 7_200)] {
            hub.forms.withLock { $0 = [] }
            try change("askedAt", to: Int(time(nil)) - seconds, site.home)
            let again = try Served(site.home, "--public-url", "http://127.0.0.1:1/")
            _ = try hub.asked()
            #expect(try again.stop().status == 0)
            #expect(
                try site.home.run(script: "cat $(find .local/state -name pings.json)").output.contains("\"failures\":\(failures)")
            )
        }
    }

    @Test func `a dead hub stops nothing`() throws {
        let home = try Home()
        home.server.on("/hub", Reply(500))
        home.server.on("/harbor", feed(home, episodes: 1))
        _ = try home.jimmy.run("subscribe", home.server.url + "/harbor")
        let site = try Served(home, "--public-url", "http://127.0.0.1:1/")
        for _ in 0..<200 where home.server.requests(to: "/hub").isEmpty { usleep(50_000) }
        #expect(home.server.requests(to: "/hub").count == 1)
        #expect(try site.client.get("/").status == 200)
        #expect(try site.stop().status == 0)
    }
}
