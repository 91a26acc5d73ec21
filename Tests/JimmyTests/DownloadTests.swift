import Glibc
import LoopbackServer
import Synchronization
import Testing

/// `jimmy download` from servers that behave, and from others.
@Suite struct DownloadTests {
    private static let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    private func home(_ episodes: Int = 1) throws -> (home: Home, jimmy: Program) {
        let home = try Home()
        let items = (1...episodes).map { number in
            """
            <item><title>Part \(number)</title><guid>\(number)</guid><pubDate>Mon, 02 Jun 2025 0\(number):00:00 GMT</pubDate>
            <enclosure url="\(home.server.url)/\(number).bin" type="audio/mpeg" length="5"/></item>
            """
        }
        home.server.on("/feed", .feed("<rss version=\"2.0\"><channel><title>Cast</title>\(items.joined())</channel></rss>"))
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_DOWNLOADS"] = home.folder + "/audio"
        #expect(try jimmy.run("subscribe", home.server.url + "/feed").status == 0)
        home.server.forgetRequests()
        return (home, jimmy)
    }

    /// Serves a file with ranges, as good servers do.
    private func serve(_ home: Home, _ path: String = "/1.bin", _ body: [UInt8] = content, etag: String? = "\"a\"") {
        home.server.on(path) { Self.reply(to: $0, body, etag) }
    }

    private static func reply(to request: Request?, _ body: [UInt8], _ etag: String?) -> Reply {
        var headers = [("Content-Type", "audio/mpeg")] + (etag.map { [("ETag", $0)] } ?? [])
        guard let request, let range = request["Range"], [etag, nil].contains(request["If-Range"]),
            let first = Int(range.dropFirst("bytes=".count).dropLast())
        else { return Reply(headers: headers, body: body) }
        guard first < body.count else {
            headers.append(("Content-Range", "bytes */\(body.count)"))
            return Reply(416, headers: headers)
        }
        headers.append(("Content-Range", "bytes \(first)-\(body.count - 1)/\(body.count)"))
        return Reply(206, headers: headers, body: Array(body[first...]))
    }

    private func bytes(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes[..<count])
    }

    private func goal(_ home: Home) -> String { home.folder + "/audio/Cast/2025-06-02 Part 1.mp3" }

    /// Leaves a part of 100,000 bytes.
    private func cut(_ home: Home, _ jimmy: Program) throws {
        home.server.on("/1.bin") { request in Self.reply(to: request, Self.content, "\"a\"").with { $0.cutAfter = 100_000 } }
        let run = try jimmy.run("download", "Part 1")
        #expect(run.status == 69, "\(run.errors)")
        #expect(access(goal(home), F_OK) != 0)
        #expect(bytes(goal(home) + ".part") == Array(Self.content[..<100_000]))
        home.server.forgetRequests()
    }

    @Test func `a file is fetched once, named, dated, tagged, listed and played`() throws {
        let (home, jimmy) = try home(2)
        serve(home)
        serve(home, "/2.bin", [1, 2, 3])
        let run = try jimmy.run("download", "--json", "--query", "part")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines.count == 2)
        #expect(run.lines.allSatisfy { $0.contains(#""type":"file""#) && $0.contains(#""outcome":"downloaded""#) })
        #expect(bytes(goal(home)) == Self.content)
        var facts = stat()
        #expect(stat(goal(home), &facts) == 0 && facts.st_mtim.tv_sec == 1_748_826_000)
        home.server.forgetRequests()
        #expect(try jimmy.run("download", "Part 1").output.hasPrefix("present\t"))
        #expect(home.server.requests.isEmpty)
        #expect(try jimmy.run("search", "is:downloaded").lines.count == 2)
        #expect(try jimmy.run("tag", "--dump").output == "")
        #expect(try jimmy.run("downloads").lines.count == 2)
        #expect(try jimmy.run("show", "Part 1").output.contains("downloaded  \(goal(home)) (300 kB)"))
        var player = jimmy
        player.environment["JIMMY_PLAYER"] = "cp {file} '\(home.folder)/played'"
        #expect(try player.run("play", "Part 1").status == 0)
        unlink(goal(home))
        #expect(try jimmy.run("downloads", "--json").output.contains(#""missing":true"#))
        #expect(try jimmy.run("verify").status == 0)
        #expect(try jimmy.run("download", "Part 1").status == 0)
        #expect(bytes(goal(home)) == Self.content)
    }

    @Test func `an episode that is named twice is fetched, deleted and taken from the queue once`() throws {
        let (home, jimmy) = try home()
        serve(home)
        let run = try jimmy.run("download", "Part 1", "part 1")
        #expect(run.status == 0 && run.output.split(separator: "\n").count == 1, "\(run)")
        #expect(home.server.requests(to: "/1.bin").count == 1)
        #expect(try jimmy.run("downloads", "remove", "Part 1", "Part 1").errors.contains("Deleted 1 file"))
        #expect(try jimmy.run("queue", "add", "Part 1", "Part 1").status == 0)
        let removal = try jimmy.run("queue", "remove", "Part 1", "part 1")
        #expect(removal.status == 0 && removal.errors.split(separator: "\n").count == 1, "\(removal)")
    }

    @Test func `a download that was cut goes on where it stopped`() throws {
        let (home, jimmy) = try home()
        try cut(home, jimmy)
        serve(home)
        #expect(try jimmy.run("download", "Part 1").status == 0)
        let request = try #require(home.server.requests.first)
        #expect(request["Range"] == "bytes=100000-")
        #expect(request["If-Range"] == "\"a\"")
        #expect(request["Accept-Encoding"] == "identity")
        #expect(bytes(goal(home)) == Self.content)
        #expect(access(goal(home) + ".part", F_OK) != 0)
        #expect(try home.run(script: "ls -A audio/Cast | grep -c jimmy").output == "0\n")
    }

    @Test(arguments: ["changed", "ignored", "lying start", "other validator", "416", "416 whole", "weak"])
    func `whatever the server does with a range, the bytes are right`(kind: String) throws {
        let (home, jimmy) = try home()
        try cut(home, jimmy)
        let other = Array(Self.content.reversed())
        home.server.on("/1.bin") { request in
            let whole = Self.reply(to: nil, Self.content, "\"a\"")
            guard request["Range"] != nil else { return kind == "changed" ? Self.reply(to: request, other, "\"b\"") : whole }
            switch kind {
            case "changed": return Self.reply(to: request, other, "\"b\"")
            case "lying start":
                return Reply(
                    206, headers: [("ETag", "\"a\""), ("Content-Range", "bytes 5-9/10")], body: [1, 2, 3, 4, 5])
            case "other validator":
                return Reply(
                    206, headers: [("ETag", "\"b\""), ("Content-Range", "bytes 100000-299999/300000")],
                    body: Array(other[100_000...]))
            case "416": return Reply(416, headers: [("Content-Range", "bytes */50")])
            case "416 whole": return Reply(416, headers: [("Content-Range", "bytes */100000")])
            default: return whole
            }
        }
        #expect(try jimmy.run("download", "Part 1").status == 0)
        switch kind {
        case "changed": #expect(bytes(goal(home)) == other)
        case "416 whole": #expect(bytes(goal(home)) == Array(Self.content[..<100_000]))
        default: #expect(bytes(goal(home)) == Self.content)
        }
        #expect(try jimmy.run("verify").status == 0)
    }

    @Test func `without a validator the file begins again`() throws {
        let (home, jimmy) = try home()
        home.server.on("/1.bin") { request in Self.reply(to: request, Self.content, "W/\"a\"").with { $0.cutAfter = 1_000 } }
        #expect(try jimmy.run("download", "Part 1").status == 69)
        serve(home, etag: nil)
        home.server.forgetRequests()
        #expect(try jimmy.run("download", "Part 1").status == 0)
        #expect(home.server.requests.allSatisfy { $0["Range"] == nil })
        #expect(bytes(goal(home)) == Self.content)
    }

    @Test func `a server that asks for a pause gets it, and failures wait`() throws {
        let (home, jimmy) = try home(2)
        home.server.on("/1.bin", Reply(429, headers: [("Retry-After", "3600")]))
        serve(home, "/2.bin")
        #expect(try jimmy.run("download", "Part 1").status == 69)
        home.server.forgetRequests()
        let named = try jimmy.run("download", "Part 1")
        #expect(named.status == 1)
        #expect(named.output.hasPrefix("skipped\t"))
        #expect(home.server.requests.isEmpty)
        // The pause is for media: the feed is fetched.
        #expect(try jimmy.run("refresh", "--force").status == 0)
        #expect(home.server.requests.count == 1)

        let (other, second) = try self.home()
        other.server.on("/1.bin", Reply(503))
        _ = try second.run("tag", "+new", "Part 1")
        #expect(try second.run("download").status == 0)
        #expect(other.server.requests.isEmpty)
        #expect(try second.run("edit", "Cast", "--download", "on").status == 0)
        #expect(try second.run("download").status == 69)
        other.server.forgetRequests()
        #expect(try second.run("download").output.hasPrefix("skipped\t"))
        #expect(other.server.requests.isEmpty)
        serve(other)
        #expect(try second.run("download", "Part 1").status == 0)
        #expect(try second.run("episodes", "--new").lines.count == 1)
    }

    @Test func `a web page is refused, and nothing is left of it`() throws {
        let (home, jimmy) = try home()
        for reply in [
            Reply(headers: [("Content-Type", "text/html")], body: Array("hello".utf8)),
            Reply(headers: [("Content-Type", "audio/mpeg")], body: Array("\n<!DOCTYPE html><p>gone".utf8)),
        ] {
            home.server.on("/1.bin", reply)
            let run = try jimmy.run("download", "Part 1")
            #expect(run.status == 69)
            #expect(run.output.contains("web page"))
            #expect(try home.run(script: "ls -A audio/Cast").output == "")
        }
    }

    @Test func `messages, playlists and pictures are no episodes, whatever the server calls them`() throws {
        let (home, jimmy) = try home()
        let bodies: [[UInt8]] =
            [
                #"{"message":"Forbidden"}"#, "ERROR: file not found", "<script>location='/'</script>",
                "<meta http-equiv=refresh content=0>", "<!-- --><html></html>", "#EXTM3U\na.mp3\n",
            ].map { Array($0.utf8) } + [[0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10]]
        for body in bodies {
            for type in ["audio/mpeg", "application/octet-stream"] {
                home.server.on("/1.bin", Reply(headers: [("Content-Type", type)], body: body))
                let run = try jimmy.run("download", "Part 1")
                #expect(run.status == 69, "\(body)")
                #expect(try home.run(script: "ls -A audio/Cast").output == "")
            }
        }
        #expect(try jimmy.run("downloads").output == "")
    }

    @Test func `a bot wall in place of a file is named, and a file that comes with its mark is a file`() throws {
        let (home, jimmy) = try home()
        let mark = [("Content-Type", "audio/mpeg"), ("CF-Mitigated", "challenge")]
        let page = "<script>challenge()</script>"
        for body in [page, page + String(repeating: "\n<p>wait</p>", count: 200)] {
            home.server.on("/1.bin", Reply(headers: mark, body: Array(body.utf8)))
            let run = try jimmy.run("download", "Part 1")
            #expect(run.status == 69)
            #expect(run.output.contains("Cloudflare takes this program for a robot"), "\(run.output)")
            #expect(try home.run(script: "ls -A audio/Cast").output == "")
        }
        home.server.on("/1.bin", Reply(headers: mark, body: [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 2_000)))
        #expect(try jimmy.run("download", "Part 1").status == 0)
    }

    @Test func `a file is what its first bytes say, and its name says so`() throws {
        let (home, jimmy) = try home()
        let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 2_000)
        let files: [(type: String, body: [UInt8], ext: String)] = [
            ("text/html", Array("ID3\u{3}".utf8) + frame, "mp3"), ("text/html; charset=utf-8", frame, "mp3"),
            ("audio/mpeg", [0xFF, 0xF1, 0x50, 0x80] + frame, "aac"),
            ("audio/mpeg", Array("OggS\0\u{2}".utf8) + [UInt8](repeating: 0, count: 22) + Array("OpusHead".utf8), "opus"),
            ("binary/octet-stream", [0, 0, 0, 32] + Array("ftypM4A ".utf8) + frame, "m4a"),
        ]
        for (type, body, ext) in files {
            home.server.on("/1.bin", Reply(headers: [("Content-Type", type)], body: body))
            let run = try jimmy.run("download", "Part 1")
            #expect(run.status == 0, "\(type): \(run.errors)")
            #expect(try home.run(script: "ls -A audio/Cast").output == "2025-06-02 Part 1.\(ext)\n")
            #expect(bytes(home.folder + "/audio/Cast/2025-06-02 Part 1.\(ext)") == body)
            #expect(try jimmy.run("download", "Part 1").output.hasPrefix("present\t"))
            _ = try home.run(script: "rm audio/Cast/*")
        }
    }

    @Test func `a folder of downloads that moved is found again`() throws {
        let (home, jimmy) = try home()
        serve(home)
        #expect(try jimmy.run("download", "Part 1").status == 0)
        _ = try home.run(script: "mv audio 'other disk'")
        home.server.forgetRequests()
        var moved = jimmy
        moved.environment["JIMMY_DOWNLOADS"] = home.folder + "/other disk"
        #expect(try moved.run("download", "Part 1").output.hasPrefix("present\t"))
        #expect(home.server.requests.isEmpty)
        #expect(try moved.run("downloads", "--json").output.contains("/other disk/Cast/2025-06-02 Part 1.mp3"))
        // What its owner did to a file is the owner's.
        _ = try home.run(script: "mv 'other disk' third && printf x >> 'third/Cast/2025-06-02 Part 1.mp3'")
        moved.environment["JIMMY_DOWNLOADS"] = home.folder + "/third/"
        #expect(try moved.run("download", "Part 1").output.hasPrefix("present\t"))
        #expect(try home.run(script: "ls third/Cast").lines.count == 1)
    }

    @Test func `a page that comes byte by byte is refused too`() throws {
        let (home, jimmy) = try home()
        home.server.on("/1.bin") { _ in
            Reply(headers: [("Content-Type", "audio/mpeg")], body: Array("<html>gone".utf8)).with { $0.drip = (1, 0.02) }
        }
        let run = try jimmy.run("download", "Part 1")
        #expect(run.status == 69)
        #expect(run.output.contains("web page"))
        #expect(try home.run(script: "ls -A audio/Cast").output == "")
    }

    @Test func `two runs do not write one file`() throws {
        let (home, jimmy) = try home()
        home.server.on("/1.bin") { request in
            Self.reply(to: request, Self.content, "\"a\"").with { $0.drip = (10_000, 0.05) }
        }
        let run = try home.run(
            script: """
                export JIMMY_DOWNLOADS=\(home.folder)/audio
                jimmy download "Part 1" > first & id=$!
                while kill -0 $id && ! [ -s '\(goal(home)).part' ]; do :; done
                jimmy download "Part 1"; echo $?
                wait $id; echo $?
                """)
        #expect(run.records[0][0] == "skipped")
        #expect(run.output.contains("another jimmy is downloading it"))
        #expect(run.lines.suffix(2) == ["1", "0"], "\(run.output)\(run.errors)")
        #expect(bytes(goal(home)) == Self.content)
        #expect(try jimmy.run("download", "Part 1").output.hasPrefix("present"))
        #expect(try home.run(script: "ls -A audio/Cast").lines.count == 1)
    }

    @Test func `a part is gone on with only for its own episode`() throws {
        let (home, jimmy) = try home()
        let items = (1...2).map { number in
            """
            <item><title>Same</title><guid>\(number)</guid><link>http://a.example/\(number)</link>
            <enclosure url="\(home.server.url)/\(number).bin" type="audio/mpeg"/></item>
            """
        }
        home.server.on("/same", .feed("<rss version=\"2.0\"><channel><title>Twins</title>\(items.joined())</channel></rss>"))
        #expect(try jimmy.run("subscribe", home.server.url + "/same").status == 0)
        let rows = try jimmy.run("episodes", "Twins", "--json").lines
        let ids = try (1...2).map { number in
            let row = try #require(rows.first { $0.contains("/\(number).bin") })
            return String(row.dropFirst(#"{"id":""#.count).prefix { $0 != "\"" })
        }
        // A server may give all its files one ETag.
        let other = Array(Self.content.reversed())
        home.server.on("/1.bin") { request in Self.reply(to: request, Self.content, "\"a\"").with { $0.cutAfter = 100_000 } }
        home.server.on("/2.bin") { request in Self.reply(to: request, other, "\"a\"").with { $0.cutAfter = 150_000 } }
        for id in ids { #expect(try jimmy.run("download", id).status == 69) }
        serve(home)
        serve(home, "/2.bin", other)
        for id in ids { #expect(try jimmy.run("download", id).status == 0) }
        let paths = try ids.map { id in try #require(try jimmy.run("downloads").records.first { $0[0] == id }?[2]) }
        #expect(bytes(paths[0]) == Self.content)
        #expect(bytes(paths[1]) == other)
    }

    @Test func `a full disk is said, and the download goes on later`() throws {
        let (home, jimmy) = try home()
        serve(home)
        var small = jimmy
        small.prelude = "ulimit -f 100"
        let run = try small.run("download", "Part 1")
        #expect(run.status == 74, "\(run.errors)")
        #expect(access(goal(home), F_OK) != 0)
        #expect(try jimmy.run("download", "Part 1").status == 0)
        #expect(home.server.requests.last?["Range"] != nil)
        #expect(bytes(goal(home)) == Self.content)
    }

    @Test func `killed at any byte, it gives the same file in the end`() throws {
        let (home, jimmy) = try home()
        home.server.on("/1.bin") { request in
            Self.reply(to: request, Self.content, "\"a\"").with { $0.drip = (20_000, 0.01) }
        }
        let part = goal(home) + ".part"
        for size in [1, 70_000, 150_000] {
            let run = try home.run(
                script: """
                    export JIMMY_DOWNLOADS=\(home.folder)/audio
                    jimmy download "Part 1" & id=$!
                    while kill -0 $id && [ "$(stat -c %s '\(part)' 2>/dev/null || echo 0)" -lt \(size) ]; do :; done
                    kill -9 $id; wait $id
                    """)
            #expect(run.status == 137)
        }
        serve(home)
        home.server.forgetRequests()
        #expect(try jimmy.run("download", "Part 1").status == 0)
        #expect(home.server.requests.first?["Range"] != nil)
        #expect(bytes(goal(home)) == Self.content)
    }

    @Test func `a limit of 0 is told to download nothing`() throws {
        let (home, jimmy) = try home()
        let note = "A limit of 0 downloads nothing.\n"
        #expect(try jimmy.run("download", "--limit", "0").errors == note)
        let some = try jimmy.run("download", "--limit", "0", "Part 1")
        #expect(some.errors == "1 more; '--limit N' downloads more.\n" + note)
        #expect(some.status == 0)
        let none = try jimmy.run("download", "--limit", "0", "--query", "xylophone")
        #expect(none.errors == note)
        #expect(none.status == 1)
        #expect(home.server.requests(to: "/1.bin").isEmpty)
    }

    @Test func `limits hold, and names do not collide`() throws {
        let home = try Home()
        let items = ["A/B: <c>", "a/b: <C>", "CON", "..", "Cafe\u{301}", "Caf\u{E9}"].enumerated().map { number, title in
            let title = title.replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            return """
                <item><title>\(title)</title><guid>\(number)</guid>
                <enclosure url="\(home.server.url)/x.m4a?\(number)" type="audio/x-m4a" length="3000"/></item>
                """
        }
        home.server.on("/feed", .feed("<rss version=\"2.0\"><channel><title>Cast.</title>\(items.joined())</channel></rss>"))
        home.server.on("/x.m4a", Reply(body: [UInt8](repeating: 1, count: 3_000)))
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_DOWNLOADS"] = home.folder + "/audio"
        _ = try jimmy.run("subscribe", home.server.url + "/feed")
        let limited = try jimmy.run("download", "--query", "podcast:cast", "--max-total", "7000")
        #expect(limited.status == 1)
        #expect(limited.lines.count { $0.hasPrefix("downloaded") } == 2)
        #expect(
            try jimmy.run("download", "--query", "podcast:cast", "--limit", "1").lines.count { $0.hasPrefix("downloaded") } == 1)
        #expect(try jimmy.run("download", "--query", "podcast:cast").status == 0)
        let names = try home.run(script: "ls -A audio/Cast").lines
        #expect(names.count == 6, "\(names)")
        #expect(Set(names.map { $0.lowercased() }).count == 6)
        #expect(names.contains("_CON.m4a"))
        #expect(names.allSatisfy { name in name.hasSuffix(".m4a") && !"<>:\"|?*".contains { name.contains($0) } })
        for template in ["../{title}", "/x/{title}", "{nope}", "{title"] {
            #expect(try jimmy.run("--set", "name=\(template)", "download", "Part 1").status == 64, "\(template)")
        }
    }
}
