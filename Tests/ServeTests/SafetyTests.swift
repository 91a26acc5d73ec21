import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// Who may do what, and what strangers cannot make the server do.
@Suite struct SafetyTests {
    private func home() throws -> Home {
        let home = try Home()
        try home.subscribe("Harbor")
        return home
    }

    @Test func `other addresses need a password`() throws {
        let home = try home()
        let run = try home.jimmy.run("serve", "--listen", "0.0.0.0:0")
        #expect(run.status == 64)
        #expect(run.errors.contains("--set-password"))
    }

    @Test func `what cannot be served is told in one line`() throws {
        let home = try home()
        for (options, status, reason) in [
            (["--lisen", "8097"], 64, "'--listen'"), (["now"], 64, "'now'"),
            (["--listen", "127.0.0.1:80x"], 64, "'127.0.0.1:80x'"),
            (["--listen", "::1"], 64, "'::1'"), (["--trusted-proxy", "10.0.0.0/8"], 64, "'10.0.0.0/8'"),
            (["--listen", "127.invalid:0"], 64, "--set-password"), (["--library", "/etc/hostname"], 74, "/etc/hostname"),
        ] as [([String], Int32, String)] {
            let run = try home.jimmy.run(["serve"] + options)
            #expect(run.status == status && run.errors.contains(reason), "\(run.errors)")
            #expect(run.errors.hasPrefix("jimmy: ") && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        }
        #expect(try home.jimmy.run("serve", "--help").output.contains("--trusted-proxy"))
    }

    @Test(.enabled(if: Program.hasTerminals)) func `Ctrl-C ends the question for a new password`() throws {
        let run = try home().jimmy.onTerminal(["serve", "--set-password"], typing: [("New password: ", "ses\u{3}")])
        #expect(run.status == 130 && run.output.contains("interrupted"), "\(run.output)")
    }

    @Test func `with a password nothing is shown without it`() throws {
        let home = try home()
        #expect(try home.jimmy.run("serve", "--set-password", input: "short\n").status == 64)
        let set = try home.jimmy.run("serve", "--set-password", input: "a long password\n")
        #expect(set.status == 0 && set.output == "The password is set.\n")
        let changed = try home.jimmy.run("serve", "--set-password", input: "a long password\n").output
        #expect(changed.contains("Every browser, app and address of feeds"))
        #expect(try home.text(".config/jimmy/serve.password").hasPrefix("$y$"))
        let site = try Served(home)
        let page = try site.client.get("/podcasts", headers: ["Accept": "text/html"])
        #expect(page.status == 303)
        #expect(page.headers["location"] == "/login?back=%2Fpodcasts")
        for path in ["/player/next", "/podcasts.opml", "/api/1/podcasts", "/metrics"] {
            #expect(try site.client.get(path).status == 401, "\(path)")
        }
        #expect(try site.client.post("/seen").status == 401)
        let wrong = try site.client.post("/login", "password=another+one&back=/podcasts")
        #expect(wrong.status == 403)
        #expect(wrong.headers["set-cookie"] == nil)
        let right = try site.client.post("/login", "password=a+long+password&back=/podcasts")
        #expect(right.status == 303)
        #expect(right.headers["location"] == "/podcasts")
        let cookie = try #require(right.headers["set-cookie"])
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"))
        let session = String(cookie.prefix { $0 != ";" })
        #expect(try site.client.get("/podcasts", headers: ["Cookie": session]).status == 200)
        #expect(try site.client.get("/podcasts", headers: ["Cookie": session + "0"]).status == 401)
        // What is stored opens nothing.
        let stored = try home.text(".local/state/jimmy/serve.sessions")
        #expect(!stored.contains(session.dropFirst("jimmy_session=".count)))
        #expect(try site.client.post("/logout", headers: ["Cookie": session]).status == 303)
        #expect(try site.client.get("/podcasts", headers: ["Cookie": session]).status == 401)
    }

    @Test func `a new password ends every session`() throws {
        let home = try home()
        _ = try home.jimmy.run("serve", "--set-password", input: "a long password\n")
        let site = try Served(home)
        func session(_ password: String) throws -> [String: String] {
            let cookie = try #require(try site.client.post("/login", "password=\(password)").headers["set-cookie"])
            return ["Cookie": String(cookie.prefix { $0 != ";" })]
        }
        let former = try session("a+long+password")
        #expect(try site.client.get("/podcasts", headers: former).status == 200)
        _ = try home.jimmy.run("serve", "--set-password", input: "another password\n")
        // The first request after the change is a sign-in, which stores the sessions again.
        let new = try session("another+password")
        #expect(try site.client.get("/podcasts", headers: new).status == 200)
        #expect(try site.client.get("/podcasts", headers: former).status == 401)
    }

    @Test func `two servers of a user share sessions`() throws {
        let home = try home()
        _ = try home.jimmy.run("serve", "--set-password", input: "a long password\n")
        let servers = try [Served(home), Served(home)]
        let sessions = try servers.map { site in
            let cookie = try #require(try site.client.post("/login", "password=a+long+password").headers["set-cookie"])
            return ["Cookie": String(cookie.prefix { $0 != ";" })]
        }
        // Also after a restart, which knows only what is stored.
        for site in servers + [try Served(home)] {
            for session in sessions { #expect(try site.client.get("/podcasts", headers: session).status == 200) }
        }
        _ = try servers[1].client.post("/logout", headers: sessions[0])
        #expect(try servers[0].client.get("/podcasts", headers: sessions[0]).status == 401)
    }

    @Test func `guessing is slowed down`() throws {
        let home = try home()
        _ = try home.jimmy.run("serve", "--set-password", input: "a long password\n")
        let site = try Served(home)
        let statuses = try (0..<12).map { _ in try site.client.post("/login", "password=wrong").status }
        #expect(statuses.prefix(10).allSatisfy { $0 == 403 })
        #expect(statuses.suffix(2) == [429, 429])
        #expect(try site.client.post("/login", "password=a+long+password").status == 429)
    }

    @Test func `apps have tokens that can be withdrawn`() throws {
        let home = try home()
        _ = try home.jimmy.run("serve", "--set-password", input: "a long password\n")
        let site = try Served(home)
        let cookie = try #require(try site.client.post("/login", "password=a+long+password").headers["set-cookie"])
        let session = ["Cookie": String(cookie.prefix { $0 != ";" })]
        let made = try site.client.post("/apps", "name=my+phone&kind=app", headers: session).text
        let token = try #require(made.firstMatch(of: /class="token">([0-9a-f]{64})</)?.1)
        let basic = ["Authorization": "Basic " + base64("anybody:\(token)")]
        #expect(try site.client.get("/podcasts", headers: basic).status == 200)
        let digest = try #require(
            try site.client.get("/apps", headers: session).text.firstMatch(of: /name="withdraw" value="([0-9a-f]+)"/)?.1)
        #expect(try site.client.post("/apps", "withdraw=\(digest)", headers: session).status == 303)
        #expect(try site.client.get("/podcasts", headers: basic).status == 401)
    }

    private func base64(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var (result, bits, count) = ("", UInt32(0), 0)
        for byte in text.utf8 {
            (bits, count) = (bits << 8 | UInt32(byte), count + 8)
            while count >= 6 {
                count -= 6
                result.append(alphabet[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { result.append(alphabet[Int(bits << UInt32(6 - count) & 63)]) }
        while result.count % 4 != 0 { result.append("=") }
        return result
    }

    @Test func `other sites can write nothing`() throws {
        let site = try Served(try home())
        for headers in [
            ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Origin": "https://evil.example"],
            ["Origin": "null"],
        ] {
            #expect(try site.client.post("/seen", headers: headers).status == 403, "\(headers)")
        }
        #expect(try site.client.post("/seen", headers: ["Sec-Fetch-Site": "same-origin"]).status == 303)
        #expect(try site.client.post("/seen", headers: ["Origin": site.url]).status == 303)
        // A name of another site that leads here.
        for host in ["evil.example", "127.evil.example", "localhost.evil.example"] {
            #expect(try site.client.get("/", headers: ["Host": host]).status == 421, "\(host)")
        }
        #expect(try site.client.get("/", headers: ["Host": "localhost:\(site.client.port)"]).status == 200)
    }

    @Test func `forms return to pages of ours only`() throws {
        let site = try Served(try home())
        let id = try #require(try site.episodes(on: "/search?heard=no").first)
        for back in ["//evil.example", "https://evil.example", "/%5Cevil.example", "javascript:x"] {
            #expect(try site.client.post("/episodes/\(id)", "do=star&back=\(back)").headers["location"] == "/episodes/\(id)")
        }
    }

    /// Only servers of subscribed feeds may be on this machine.
    @Test func `local servers cannot be looked at`() throws {
        let site = try Served(try home())
        let other = try LoopbackServer(address: "127.0.0.2")
        other.on("/feed", .feed(Home.feed("Secret", episodes: 1)))
        for address in [
            "\(other.url)/feed", "http://localhost:\(other.port)/feed", "http://[::ffff:127.0.0.2]:\(other.port)/feed",
        ] {
            let page = try site.client.get("/subscribe?q=\(address)")
            #expect(!page.text.contains("Secret 1"), "\(address)")
            _ = try site.client.post("/subscribe", "feed=\(address)")
        }
        // A redirect leads nowhere else.
        site.home.server.on("/away", .redirect(302, to: other.url + "/feed"))
        _ = try site.client.get("/subscribe?q=\(site.home.server.url)/away")
        #expect(other.requests.isEmpty)
        #expect(!site.home.server.requests(to: "/away").isEmpty)
        _ = try site.client.get("/subscribe?q=file:///etc/passwd")
        #expect(try site.client.post("/subscribe", "feed=file:///etc/passwd").status == 400)
        #expect(try site.home.jimmy.run("podcasts").lines.count == 1)
    }

    @Test func `requests have limits`() throws {
        let site = try Served(try home())
        #expect(try site.client.post("/seen", String(repeating: "a", count: 1 << 20), headers: [:]).status == 303)
        #expect(try site.client.post("/login", String(repeating: "a", count: 1 << 20)).status == 413)
        let long = try? site.client.get("/", headers: ["X-Long": String(repeating: "a", count: 64 << 10)])
        #expect(long?.status != 200)
        for raw in [
            "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "nonsense\r\n\r\n",
            "GET /%ff%fe/../.. HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        ] {
            if let answer = try? site.client.raw(Array(raw.utf8)) { #expect(answer.status >= 400, "\(raw)") }
        }
        #expect(try site.client.get("/healthz").status == 200)
    }
}
