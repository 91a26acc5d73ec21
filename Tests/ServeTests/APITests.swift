import Foundation
import Glibc
import ProgramSupport
import Testing

/// The JSON API against its own description, the feeds, and the metrics.
@Suite struct APITests {
    private func served() throws -> Served {
        let home = try Home()
        _ = try home.jimmy.run("config", "set", "new-on-subscribe", "3")
        try home.subscribe("Harbor", episodes: 3)
        return try Served(home)
    }

    private func object(_ answer: Client.Answer) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }

    @Test func `every operation answers as it is described`() throws {
        let site = try served()
        let document = try object(try site.client.get("/api/1/openapi.json"))
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        let schemas = try #require((document["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]])
        let episode = try #require(try site.episodes(on: "/").first)
        let podcast = String(episode.prefix { $0 != "-" })
        let bodies = [
            "position": "seconds=10&duration=60", "tags": "add=later&remove=new", "queue": "episode=\(episode)",
            "marks": "seconds=12.7&note=a+song",
        ]
        var operations = 0
        for path in paths.keys.sorted() where !path.hasSuffix("/transcript") {
            for method in ["get", "post", "put", "delete"] {
                guard let operation = paths[path]?[method] else { continue }
                operations += 1
                var target = path.replacing("{episode}", with: episode).replacing("{podcast}", with: podcast)
                let parameters = operation["parameters"] as? [[String: Any]] ?? []
                if parameters.contains(where: { $0["name"] as? String == "q" }) { target += "?q=harbor" }
                let body =
                    method == "get" || method == "delete" ? "" : bodies[String(path.split(separator: "/").last ?? "")] ?? ""
                let answer = try site.client.send(
                    method.uppercased(), target, headers: ["Content-Type": "application/x-www-form-urlencoded"],
                    body: Array(body.utf8))
                let responses = try #require(operation["responses"] as? [String: [String: Any]])
                let described = try #require(
                    responses[String(answer.status)], "\(method) \(target): \(answer.status) \(answer.text)")
                guard answer.status == 200 else { continue }
                try expect(answer, fits: described, schemas, "\(method) \(path)")
                // How long something is late changes with every second.
                if method == "get", path != "/api/1/status" {
                    let tag = try #require(answer.headers["etag"])
                    var isConfirmed = try site.client.get(target, headers: ["If-None-Match": tag]).status == 304
                    // If a minute ended between the two requests, none ends between the next.
                    if !isConfirmed, path == "/api/1/search" {
                        let newTag = try #require(try site.client.get(target).headers["etag"])
                        isConfirmed = try site.client.get(target, headers: ["If-None-Match": newTag]).status == 304
                    }
                    #expect(isConfirmed, "\(target)")
                }
            }
            // What is not there is answered as described, too.
            if path.contains("{"), paths[path]?["get"] != nil {
                let missing = try site.client.get(
                    path.replacing("{episode}", with: "none-such").replacing("{podcast}", with: "none"))
                #expect(missing.status == 404, "\(path)")
                #expect(try object(missing)["error"] != nil, "\(path)")
            }
        }
        #expect(operations == 17)
    }

    private func expect(
        _ answer: Client.Answer, fits described: [String: Any], _ schemas: [String: [String: Any]], _ what: String
    ) throws {
        let content = try #require(described["content"] as? [String: [String: Any]])
        let reference = try #require((content["application/json"]?["schema"] as? [String: Any])?["$ref"] as? String)
        let schema = try #require(schemas[String(reference.split(separator: "/").last ?? "")])
        let fields = try object(answer)
        for name in schema["required"] as? [String] ?? [] { #expect(fields[name] != nil, "\(what): \(name)") }
        for (name, property) in schema["properties"] as? [String: [String: Any]] ?? [:] {
            guard let value = fields[name] else { continue }
            let fits =
                switch property["type"] as? String {
                case "string": value is String
                case "integer", "number": value is NSNumber
                case "boolean": value is Bool
                case "array": value is [Any]
                default: true
                }
            #expect(fits, "\(what): \(name) is \(value)")
        }
    }

    @Test func `bookmarks are set, replaced and removed`() throws {
        let site = try served()
        let marks = "/api/1/episodes/\(try #require(try site.episodes(on: "/").first))/marks"
        func set(_ body: String) throws -> Client.Answer {
            try site.client.send(
                "POST", marks, headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Array(body.utf8))
        }
        func rows(_ answer: Client.Answer) throws -> [String] {
            (try object(answer)["rows"] as? [[String: Any]] ?? []).map { "\($0["seconds"] ?? "") \($0["note"] ?? "")" }
        }
        #expect(try rows(site.client.get(marks)) == [])
        #expect(try rows(set("seconds=90.8&note=the+bell")) == ["90 the bell"])
        #expect(try rows(set("seconds=12")) == ["12 ", "90 the bell"])
        #expect(try rows(set("seconds=90&note=the+fog")) == ["12 ", "90 the fog"])
        for wrong in ["", "seconds=-1", "seconds=nan", "seconds=1e9", "seconds=1&note=" + String(repeating: "x", count: 2_001)] {
            #expect(try set(wrong).status == 400, "\(wrong.prefix(20))")
        }
        #expect(try site.home.jimmy.run("search", "mark:fog").lines.count == 1)
        #expect(try rows(site.client.send("DELETE", marks + "?seconds=12")) == ["90 the fog"])
        #expect(try site.client.send("DELETE", marks + "?seconds=12").status == 404)
        #expect(try site.client.send("DELETE", marks).status == 400)
        #expect(try site.home.jimmy.run("undo").output.contains("bookmark back: 0:12"))
        #expect(try rows(site.client.get(marks)) == ["12 ", "90 the fog"])
    }

    @Test func `parameters that are not described are refused`() throws {
        let site = try served()
        let document = try object(try site.client.get("/api/1/openapi.json"))
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        let episode = try #require(try site.episodes(on: "/").first)
        let values = [
            "page": "1", "limit": "2", "failing": "true", "tag": "a", "query": "is:new", "podcast": "a", "q": "harbor",
            "sort": "date",
        ]
        for (path, operations) in paths {
            let target = path.replacing("{episode}", with: episode).replacing(
                "{podcast}", with: String(episode.prefix { $0 != "-" }))
            for (method, operation) in operations {
                let answer = try site.client.send(method.uppercased(), target + "?unknown=1")
                #expect(answer.status == 400, "\(method) \(path)")
                #expect(try (object(answer)["error"] as? String)?.contains("'unknown'") ?? false)
                guard method == "get" else { continue }
                let query = (operation["parameters"] as? [[String: Any]] ?? []).filter { $0["in"] as? String == "query" }
                    .compactMap { $0["name"] as? String }.map { "\($0)=\(values[$0] ?? "")" }
                guard !query.isEmpty else { continue }
                #expect(try site.client.get(target + "?" + query.joined(separator: "&")).status == 200, "\(path) \(query)")
            }
        }
        for bad in ["episodes?limit=many", "episodes?page=0", "search?q=a&sort=odd", "podcasts?failing=perhaps"] {
            #expect(try site.client.get("/api/1/" + bad).status == 400, "\(bad)")
        }
        let page = try object(try site.client.get("/api/1/episodes?limit=2&page=2"))
        #expect((page["rows"] as? [Any])?.count == 1 && page["pages"] as? Int == 2 && page["total"] as? Int == 3)
    }

    @Test func `texts are compressed for those who accept it`() throws {
        let site = try served()
        let id = try #require(try site.episodes(on: "/").first)
        for path in ["/", "/api/1/episodes", "/assets/style.css", "/status/chart.svg", "/feeds/search.rss?q=harbor"] {
            let plain = try site.client.get(path)
            #expect(plain.headers["content-encoding"] == nil && plain.headers["vary"] == "Accept-Encoding", "\(path)")
            let small = try site.client.get(path, headers: ["Accept-Encoding": "br, gzip;q=0.5"])
            #expect(small.headers["content-encoding"] == "gzip", "\(path)")
            #expect(
                small.body.count < plain.body.count * 2 / 3 && small.headers["content-length"] == "\(small.body.count)", "\(path)"
            )
            // What gzip makes of it is what it was.
            let home = try Home()
            try Data(small.body).write(to: URL(fileURLWithPath: home.folder + "/page.gz"))
            #expect(try home.run(script: "gzip -dc page.gz | wc -c").output == "\(plain.body.count)\n")
            if let tag = small.headers["etag"] {
                #expect(try site.client.get(path, headers: ["Accept-Encoding": "gzip", "If-None-Match": tag]).status == 304)
            }
            #expect(try site.client.get(path, headers: ["Accept-Encoding": "gzip;q=0"]).headers["content-encoding"] == nil)
        }
        // Pages that answer a form may show a token.
        let form = try site.client.post("/apps", "name=phone&kind=app", headers: ["Accept-Encoding": "gzip"])
        #expect(form.headers["content-encoding"] == nil && form.text.contains(id) == false)
    }

    @Test func `errors of the app's search are JSON`() throws {
        let site = try served()
        let answer = try site.client.get("/search.json")
        #expect(answer.status == 400 && answer.headers["content-type"] == "application/json; charset=utf-8")
        #expect(try object(answer)["error"] != nil)
    }

    @Test func `the queue takes all episodes or none`() throws {
        let site = try served()
        let id = try #require(try site.episodes(on: "/").first)
        for other in ["none", "none-such"] {
            #expect(try site.client.post("/api/1/queue", "episode=\(id)&episode=\(other)").status == 404, "\(other)")
        }
        #expect(try site.home.jimmy.run("queue").lines.isEmpty)
    }

    @Test func `rows are those of the command`() throws {
        let site = try served()
        let rows = try #require(try object(try site.client.get("/api/1/episodes"))["rows"] as? [[String: Any]])
        let printed = try site.home.jimmy.run("episodes", "--json").lines
        #expect(rows.compactMap { $0["id"] as? String }.count == 3)
        for (row, line) in zip(rows, printed) {
            let other = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary)
            #expect(other == row as NSDictionary)
        }
    }

    @Test func `feeds of the queue and of searches can be subscribed to`() throws {
        let site = try served()
        let id = try #require(try site.episodes(on: "/").first)
        _ = try site.client.post("/episodes/\(id)", "do=queue")
        let queue = try site.client.get("/feeds/queue.rss")
        #expect(queue.headers["content-type"]?.hasPrefix("application/rss+xml") ?? false)
        #expect(queue.text.contains("<title>Harbor 3</title>"))
        #expect(try site.client.get("/feeds/search.rss?q=title:2").text.contains("Harbor 2"))
        _ = try site.home.jimmy.run("serve", "--set-password", input: "a long password\n")
        #expect(try site.client.get("/feeds/queue.rss").status == 404)
        #expect(try site.client.get("/feeds/queue.rss?token=guessed").status == 404)
        let cookie = try #require(try site.client.post("/login", "password=a+long+password").headers["set-cookie"])
        let session = ["Cookie": String(cookie.prefix { $0 != ";" })]
        let page = try site.client.post("/apps", "name=car&kind=feed", headers: session).text
        let token = try #require(page.firstMatch(of: /queue\.rss\?token=([0-9a-f]{64})/)?.1)
        #expect(try site.client.get("/feeds/queue.rss?token=\(token)").status == 200)
        // It opens nothing else.
        #expect(try site.client.get("/api/1/queue?token=\(token)").status == 401)
    }

    @Test func `metrics count requests by route`() throws {
        let site = try served()
        _ = try site.client.get("/podcasts")
        _ = try site.client.get("/nothing/at/all")
        let metrics = try site.client.get("/metrics")
        #expect(metrics.headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") ?? false)
        #expect(metrics.text.contains("jimmy_podcasts 1\n"))
        #expect(metrics.text.contains(#"jimmy_http_request_seconds_count{route="/podcasts",method="GET",status="200"} 1"#))
        #expect(!metrics.text.contains("nothing"))
        for line in metrics.text.split(separator: "\n") where !line.hasPrefix("#") {
            #expect(line.wholeMatch(of: /[a-z_]+(\{[^}]*\})? [-+.e0-9]+/) != nil, "\(line)")
        }
    }

    @Test func `a named query is listed in the search, and is a feed`() throws {
        let site = try served()
        #expect(try site.client.get("/feeds/query/commute.rss").status == 404)
        #expect(try site.home.jimmy.run("config", "set", "query.commute", "title:2 OR title:3").status == 0)
        let feed = try site.client.get("/feeds/query/commute.rss")
        #expect(feed.status == 200)
        #expect(feed.text.contains("<title>Harbor 2</title>") && feed.text.contains("<title>Harbor 3</title>"))
        #expect(!feed.text.contains("<title>Harbor 1</title>"))
        #expect(try site.client.get("/search").text.contains("q=query%3Acommute"))
        #expect(try site.episodes(on: "/search?q=query:commute").count == 2)
        #expect(try site.client.get("/feeds/query/other.rss").status == 404)
    }

    @Test func `a place that moves is where it is when somebody marks it`() throws {
        let site = try served()
        let id = try #require(try site.episodes(on: "/").first)
        func mark(after fields: String) throws -> Int {
            #expect(try site.client.post("/player/\(id)/position", fields).status == 204)
            _ = try site.home.jimmy.run("mark", id)
            let marked = try site.home.jimmy.run("marks", "--json").output.firstMatch(of: /"seconds":([0-9]+)/)?.1
            _ = try site.home.jimmy.run("mark", "--remove", id)
            return try #require(marked.flatMap { Int($0) })
        }
        #expect(try mark(after: "seconds=100") == 100)
        #expect(try mark(after: "seconds=100&speed=0") == 100)
        #expect(try mark(after: "seconds=100&age=3&speed=2") == 100)
        #expect(try (100...140).contains(mark(after: "seconds=100&speed=2")))
    }
}
