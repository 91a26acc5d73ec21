import Foundation
import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// Podcast apps, by the client library of gpodder.net (Debian's python3-mygpoclient) and by plain requests.
@Suite struct AppTests {
    private static let hasClient = (try? Home().run(script: "exec /usr/bin/python3 -c 'import mygpoclient'").status) == 0

    private func served() throws -> Served {
        let home = try Home()
        try home.subscribe("Harbor", episodes: 3)
        return try Served(home)
    }

    /// The same behind a password, and the token of an app.
    private func servedWithPassword() throws -> (Served, token: String) {
        let home = try Home()
        try home.subscribe("Harbor", episodes: 3)
        _ = try home.jimmy.run("serve", "--set-password", input: "a long password\n")
        let site = try Served(home)
        let session = ["Cookie": try session(site)]
        let page = try site.client.post("/apps", "kind=app&name=phone", headers: session).text
        return (site, String(try #require(page.firstMatch(of: /class="token">([0-9a-f]{64})</)?.1)))
    }

    /// The cookie of a browser that is signed in.
    private func session(_ site: Served) throws -> String {
        let cookie = try #require(try site.client.post("/login", "password=a+long+password").headers["set-cookie"])
        return String(cookie.prefix { $0 != ";" })
    }

    private func json(_ answer: Client.Answer) throws -> [String: Any] {
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }

    /// Runs Python beside the server; it must print nothing but what is expected.
    private func python(_ script: String, _ site: Served) throws -> Run {
        try site.home.write(
            """
            import mygpoclient, sys
            from mygpoclient import api
            def client(token="any"): return api.MygPodderClient("me", token, "\(site.url)")
            harbor = "\(site.home.server.url)/harbor"
            sea = "\(site.home.server.url)/sea"
            \(script)
            """, to: "client.py")
        return try site.home.run(script: "exec /usr/bin/python3 client.py")
    }

    @Test(.enabled(if: hasClient, "Debian's python3-mygpoclient is not installed."))
    func `two devices share subscriptions`() throws {
        let site = try served()
        let run = try python(
            """
            phone, desk = client(), client()
            phone.update_device_settings("phone", "My phone", "mobile")
            assert [d.device_id for d in phone.get_devices()] == ["phone"]
            first = desk.pull_subscriptions("desk", 0)
            assert first.add == [harbor] and first.remove == [], (first.add, first.remove)
            result = phone.update_subscriptions("phone", [sea, "HTTP://Radio.example:80/feed"], [])
            assert ("HTTP://Radio.example:80/feed", "http://radio.example/feed") in result.update_urls, result.update_urls
            next = desk.pull_subscriptions("desk", first.since)
            assert sorted(next.add) == sorted([sea, "http://radio.example/feed"]), next.add
            desk.update_subscriptions("desk", [], [sea])
            last = phone.pull_subscriptions("phone", next.since)
            assert last.remove == [sea] and last.add == [], (last.add, last.remove)
            assert desk.pull_subscriptions("desk", last.since).add == []
            phone.put_subscriptions("phone", [harbor, "http://radio.example/feed", sea])
            phone.put_subscriptions("phone", [harbor, sea])
            assert sorted(desk.get_subscriptions("desk")) == sorted([harbor, sea]), desk.get_subscriptions("desk")
            """, site)
        #expect(run.errors == "")
        #expect(run.status == 0)
        #expect(try site.home.jimmy.run("podcasts").lines.count == 2)
    }

    @Test(.enabled(if: hasClient, "Debian's python3-mygpoclient is not installed."))
    func `the later of two devices wins`() throws {
        let site = try served()
        let run = try python(
            """
            phone, desk = client(), client()
            def heard(position, when, total=600, number=2):
                return api.EpisodeAction(harbor, "http://media.example/%d.mp3" % number, "play", "phone", when, 0, position, total)
            phone.upload_episode_actions([heard(300, "2026-11-20T10:00:00")])
            desk.upload_episode_actions([heard(120, "2026-11-20T09:00:00")])
            since = desk.download_episode_actions(0).since
            assert desk.download_episode_actions(since).actions == []
            phone.upload_episode_actions([heard(600, "2026-11-20T11:00:00", number=3)])
            new = desk.download_episode_actions(since)
            assert [(a.episode, a.position) for a in new.actions] == [("http://media.example/3.mp3", 600)], new.actions
            """, site)
        #expect(run.errors == "")
        let rows = try site.home.jimmy.run("episodes", "--json").lines
        func id(_ number: Int) throws -> String {
            try #require(rows.first { $0.contains("/\(number).mp3") }?.firstMatch(of: /"id":"([^"]+)"/).map { String($0.1) })
        }
        #expect(try site.client.get("/player/\(try id(2))").text.contains(#""position":300"#))
        #expect(try site.home.jimmy.run("search", "is:played").records.map(\.first) == [try id(3)])
    }

    @Test func `a fast clock does not hide what is heard later`() throws {
        let site = try served()
        let id = try #require(try site.episodes(on: "/search?q=title:3").first)
        for (position, time) in [(100, "2999-01-01T00:00:00"), (200, "")] {
            let timestamp = time.isEmpty ? "" : #","timestamp":"\#(time)""#
            let action =
                #"[{"podcast":"\#(site.home.server.url)/harbor","episode":"http://media.example/3.mp3","action":"play","#
                + #""position":\#(position),"total":600\#(timestamp)}]"#
            #expect(try site.client.send("POST", "/api/2/episodes/me.json", body: Array(action.utf8)).status == 200)
            #expect(try site.client.get("/player/\(id)").text.contains(#""position":\#(position)"#))
        }
    }

    @Test func `what is heard in the browser reaches apps`() throws {
        let site = try served()
        let since = try #require(try json(try site.client.get("/api/2/episodes/me.json"))["timestamp"] as? Int)
        let id = try #require(try site.episodes(on: "/search?q=title:3").first)
        _ = try site.client.post("/player/\(id)/position", "seconds=42&duration=600")
        let response = try json(try site.client.get("/api/2/episodes/me.json?since=\(since)"))
        let actions = try #require(response["actions"] as? [[String: Any]])
        #expect(actions.count == 1)
        #expect(actions.first?["position"] as? Int == 42)
        #expect(actions.first?["total"] as? Int == 600)
        #expect(actions.first?["episode"] as? String == "http://media.example/3.mp3")
        let next = try #require(response["timestamp"] as? Int)
        _ = try site.home.jimmy.run("tag", "+played", id)
        let played = try json(try site.client.get("/api/2/episodes/me.json?since=\(next)"))["actions"] as? [[String: Any]]
        #expect(played?.count == 1)
        #expect(played?.first?["position"] as? Int == played?.first?["total"] as? Int)
    }

    @Test func `Nextcloud's endpoints say the same`() throws {
        let site = try served()
        let root = "/index.php/apps/gpoddersync"
        let subscriptions = try json(try site.client.get(root + "/subscriptions"))
        #expect(subscriptions["add"] as? [String] == [site.home.server.url + "/harbor"])
        let change = Array(#"{"add":["https://radio.example/feed"],"remove":[]}"#.utf8)
        #expect(try site.client.send("POST", root + "/subscription_change/create", body: change).status == 200)
        let since = try #require(subscriptions["timestamp"] as? Int)
        #expect(
            try json(try site.client.get(root + "/subscriptions?since=\(since)"))["add"] as? [String] == [
                "https://radio.example/feed"
            ])
        let action = """
            [{"podcast":"\(site.home.server.url)/harbor","episode":"http://media.example/1.mp3","guid":"Harbor-1","action":"PLAY",\
            "timestamp":"2026-11-20T10:00:00","started":0,"position":90,"total":600}]
            """
        #expect(try site.client.send("POST", root + "/episode_action/create", body: Array(action.utf8)).status == 200)
        let actions = try #require(try json(try site.client.get(root + "/episode_action"))["actions"] as? [[String: Any]])
        #expect(actions.first?["position"] as? Int == 90)
    }

    @Test func `an app is allowed in a browser`() throws {
        let home = try Home()
        _ = try home.jimmy.run("serve", "--set-password", input: "a long password\n")
        let site = try Served(home)
        let begun = try json(try site.client.post("/index.php/login/v2", headers: ["User-Agent": "<b>Phone</b>"]))
        let poll = try #require(begun["poll"] as? [String: String])
        #expect(poll["endpoint"] == site.url + "/index.php/login/v2/poll")
        let form = "token=\(try #require(poll["token"]))"
        #expect(try site.client.post("/index.php/login/v2/poll", form).status == 404)
        let login = try #require(begun["login"] as? String).dropFirst(site.url.count)
        // Only who is signed in may allow it.
        #expect(try site.client.post(String(login)).status == 401)
        let cookie = try #require(try site.client.post("/login", "password=a+long+password").headers["set-cookie"])
        let session = ["Cookie": String(cookie.prefix { $0 != ";" })]
        let page = try site.client.get(String(login), headers: session)
        #expect(page.text.contains("&lt;b&gt;Phone"))
        let elsewhere = session.merging(["Origin": "http://evil.example"]) { $1 }
        #expect(try site.client.post(String(login), headers: elsewhere).status == 403)
        #expect(try site.client.post("/index.php/login/v2/poll", form).status == 404)
        #expect(try site.client.post(String(login), headers: session).status == 200)
        let granted = try json(try site.client.post("/index.php/login/v2/poll", form))
        #expect(granted["server"] as? String == site.url)
        let token = try #require(granted["appPassword"] as? String)
        let basic = Array("jimmy:\(token)".utf8)
        // Once.
        #expect(try site.client.post("/index.php/login/v2/poll", form).status == 404)
        #expect(try site.client.post(String(login), headers: session).status == 404)
        let encoded = try home.run(script: "printf %s '\(String(decoding: basic, as: UTF8.self))' | base64 -w0").output
        let subscriptions = try site.client.get(
            "/index.php/apps/gpoddersync/subscriptions", headers: ["Authorization": "Basic \(encoded)"])
        #expect(subscriptions.status == 200)
        #expect(try site.client.get("/apps", headers: session).text.contains("Phone"))
    }

    @Test func `a password in a feed's address is stored apart`() throws {
        let site = try served()
        let address = "http://me:s3cret@radio.example/feed"
        let change = Array(#"{"add":["\#(address)"],"remove":[]}"#.utf8)
        let answer = try site.client.send("POST", "/api/2/subscriptions/me/phone.json", body: change)
        let rewritten = try json(answer)["update_urls"] as? [[String]]
        #expect(rewritten == [[address, "http://radio.example/feed"]])
        #expect(try !site.client.get("/subscriptions/me/phone.txt").text.contains("s3cret"))
        #expect(try site.home.jimmy.run("opml", "export", "--with-secrets").output.contains("me:s3cret@radio.example"))
    }

    @Test func `what apps know outlives the server`() throws {
        let site = try served()
        _ = try site.client.send(
            "POST", "/api/2/devices/me/phone.json", body: Array(#"{"caption":"My phone","type":"mobile"}"#.utf8))
        let first = try json(try site.client.get("/api/2/subscriptions/me/phone.json?since=0"))
        _ = try site.stop()
        _ = try site.home.jimmy.run("unsubscribe", "Harbor")
        let again = try Served(site.home)
        #expect(try again.client.get("/api/2/devices/me.json").text.contains("My phone"))
        let since = try #require(first["timestamp"] as? Int)
        let later = try json(try again.client.get("/api/2/subscriptions/me/phone.json?since=\(since)"))
        #expect(later["remove"] as? [String] == [site.home.server.url + "/harbor"])
    }

    @Test func `two servers of a user keep what apps tell either`() throws {
        let first = try served()
        let servers = [first, try Served(first.home)]
        let clients = servers.map(\.client)
        for (number, client) in clients.enumerated() {
            let device = #"{"caption":"Phone \#(number)"}"#
            #expect(try client.send("POST", "/api/2/devices/me/phone\(number).json", body: Array(device.utf8)).status == 200)
            let setting = #"{"set":{"speed\#(number)":"2"}}"#
            #expect(try client.send("POST", "/api/2/settings/me/account.json", body: Array(setting.utf8)).status == 200)
        }
        DispatchQueue.concurrentPerform(iterations: 20) { number in
            let action = #"[{"podcast":"a","episode":"\#(number)","action":"download"}]"#
            let answer = try? clients[number % 2].send("POST", "/api/2/episodes/me.json", body: Array(action.utf8))
            #expect(answer?.status == 200)
        }
        // Also after a restart, which knows only what is stored.
        for site in servers + [try Served(first.home)] {
            let client = site.client
            let devices = try client.get("/api/2/devices/me.json").text
            #expect(devices.contains("Phone 0") && devices.contains("Phone 1"))
            #expect(try json(try client.get("/api/2/settings/me/account.json")).count == 2)
            let actions = try json(try client.get("/api/2/episodes/me.json"))["actions"] as? [[String: Any]]
            #expect(Set(actions?.compactMap { $0["episode"] as? String } ?? []).count == 20)
        }
    }

    @Test func `nonsense is refused`() throws {
        let site = try served()
        for body in ["", "{", "[1]", #"{"action":"play"}"#, #"[{"podcast":"a","episode":"b","action":"rm"}]"#] {
            #expect(try site.client.send("POST", "/api/2/episodes/me.json", body: Array(body.utf8)).status == 400, "\(body)")
        }
        #expect(
            try site.client.send("POST", "/api/2/subscriptions/me/a.json", body: Array(#"{"add":["x"],"remove":["x"]}"#.utf8))
                .status == 400)
        #expect(
            try site.client.send("POST", "/api/2/subscriptions/me/a.json", body: Array(#"{"add":["file:///etc/passwd"]}"#.utf8))
                .status == 200)
        #expect(try site.home.jimmy.run("podcasts").lines.count == 1)
        // A time that no clock shows counts as now.
        for time in [String(Int64.min), String(Int64.max), "9999-99-99T99:99:99"] {
            let action = #"[{"podcast":"a","episode":"b","action":"play","position":1,"timestamp":"\#(time)"}]"#
            #expect(try site.client.send("POST", "/api/2/episodes/me.json", body: Array(action.utf8)).status == 200, "\(time)")
        }
        #expect(try site.client.get("/api/2/episodes/me.json").status == 200)
        let search = try site.client.get("/search.json")
        #expect(search.status == 400 && search.headers["content-type"]?.hasPrefix("application/json") == true)
    }

    @Test(.enabled(if: hasClient, "Debian's python3-mygpoclient is not installed."))
    func `a client with a token asks as often as it likes`() throws {
        let (site, token) = try servedWithPassword()
        let run = try python(
            """
            phone = client("\(token)")
            for _ in range(5):
                assert phone.pull_subscriptions("phone", 0).add == [harbor]
                phone.update_device_settings("phone", "My phone", "mobile")
                assert len(phone.get_devices()) == 1
            phone.upload_episode_actions([api.EpisodeAction(harbor, "http://media.example/2.mp3", "play", "phone", None, 0, 9, 99)])
            assert len(phone.download_episode_actions(0).actions) == 1
            """, site)
        #expect(run.errors == "")
        #expect(run.status == 0)
    }

    @Test func `an app's cookie ends with its token`() throws {
        let (site, token) = try servedWithPassword()
        let basic = try site.home.run(script: "printf %s 'me:\(token)' | base64 -w0").output
        let first = try site.client.get("/api/2/devices/me.json", headers: ["Authorization": "Basic \(basic)"])
        let cookie = ["Cookie": String(try #require(first.headers["set-cookie"]).prefix { $0 != ";" })]
        #expect(try site.client.get("/api/2/devices/me.json", headers: cookie).status == 200)
        // Signing out ends a browser's session, not the app's token.
        #expect(try site.client.post("/api/2/auth/me/logout.json", headers: cookie).status == 200)
        #expect(try site.client.get("/api/2/devices/me.json", headers: cookie).status == 200)
        let session = ["Cookie": try session(site)]
        let page = try site.client.get("/apps", headers: session).text
        let digest = try #require(page.firstMatch(of: /name="withdraw" value="([0-9a-f]+)"/)?.1)
        _ = try site.client.post("/apps", "withdraw=\(digest)", headers: session)
        #expect(try site.client.get("/api/2/devices/me.json", headers: cookie).status == 401)
    }

    @Test func `favourites and settings have what clients expect`() throws {
        let site = try served()
        #expect(try site.client.send("POST", "/api/2/devices/me/phone.json").status == 200)
        let id = try #require(try site.episodes(on: "/search?q=title:3").first)
        _ = try site.client.post("/episodes/\(id)", "do=star")
        let favourites = try site.client.get("/api/2/favorites/me.json").text.replacing("\\/", with: "/")
        for field in [#""description":"All about Harbor"#, #""website":"#, #""mygpo_link":"\#(site.url)/episodes/\#(id)""#] {
            #expect(favourites.contains(field), "\(favourites)")
        }
        let change = Array(#"{"set":{"auto":true,"count":12,"speed":1.5,"name":"x","list":[1,null]},"remove":[]}"#.utf8)
        #expect(try site.client.send("POST", "/api/2/settings/me/account.json", body: change).status == 200)
        let settings = try json(try site.client.get("/api/2/settings/me/account.json"))
        #expect(settings["auto"] as? Bool == true && settings["count"] as? Int == 12 && settings["speed"] as? Double == 1.5)
        #expect((settings["list"] as? [Any])?.count == 2)
    }

    @Test func `two servers of a user keep the tokens that either makes`() throws {
        let (first, _) = try servedWithPassword()
        let session = ["Cookie": try session(first)]
        let second = try Served(first.home)
        let clients = [first.client, second.client]
        DispatchQueue.concurrentPerform(iterations: 20) { number in
            let answer = try? clients[number % 2].post("/apps", "kind=app&name=app\(number)", headers: session)
            #expect(answer?.text.contains(#"class="token""#) == true)
        }
        let page = try second.client.get("/apps", headers: session).text
        for number in 0..<20 { #expect(page.contains("<b>app\(number)</b>")) }
    }
}
