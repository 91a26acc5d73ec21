import Glibc
import LoopbackServer
import Testing

/// What podcasts download automatically, which files they keep, and how a file is checked.
@Suite struct KeptDownloadTests {
    private struct Part {
        var number: Int
        var extra = ""
        var path: String?
    }

    private func feed(_ home: Home, _ parts: [Part]) -> Reply {
        let items = parts.map { part in
            """
            <item><title>Part \(part.number)</title><guid>\(part.number)</guid>
            <pubDate>Mon, 02 Jun 2025 0\(part.number):00:00 GMT</pubDate>
            <enclosure url="\(home.server.url)/\(part.path ?? "\(part.number).mp3")" type="audio/mpeg" length="5"/>\(part.extra)</item>
            """
        }
        return .feed(
            "<rss version=\"2.0\" xmlns:podcast=\"https://podcastindex.org/namespace/1.0\"><channel><title>Cast</title>"
                + items.joined() + "</channel></rss>")
    }

    private func home(_ parts: [Part]) throws -> (home: Home, jimmy: Program) {
        let home = try Home()
        home.server.on("/feed", feed(home, parts))
        home.server.on("*") { request in
            request.path.hasSuffix(".mp3") ? Reply(body: Array("\u{1}audio\(request.path)".utf8)) : Reply(404)
        }
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_DOWNLOADS"] = home.folder + "/audio"
        #expect(try jimmy.run("subscribe", home.server.url + "/feed").status == 0)
        home.server.forgetRequests()
        return (home, jimmy)
    }

    private func names(_ home: Home) throws -> [String] {
        try home.run(script: "ls -A audio/Cast 2>/dev/null || true").lines
    }

    @Test func `a refresh downloads what podcasts set to download have new, and nothing else`() throws {
        let (home, jimmy) = try home([Part(number: 1)])
        home.server.on("/other", .feed(Home.feed("Other", episodes: 1)))
        _ = try jimmy.run("subscribe", home.server.url + "/other")
        #expect(try jimmy.run("edit", "Cast", "--download", "on").errors.contains("download: off → on"))
        home.server.on("/feed", feed(home, [Part(number: 2), Part(number: 1)]))
        home.server.on("/other", .feed(Home.feed("Other", episodes: 2)))
        #expect(try jimmy.run("refresh", "--all").status == 0)
        #expect(try names(home) == [])
        let run = try jimmy.run("refresh", "--all", "--download", "--json")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines.count { $0.contains(#""type":"file""#) } == 1)
        #expect(run.lines.last?.contains(#""type":"summary""#) == true)
        #expect(try names(home) == ["2025-06-02 Part 2.mp3"])
        #expect(try jimmy.run("episodes", "--new").lines.count == 2)
        // Named, or without arguments: nothing is fetched again.
        home.server.forgetRequests()
        #expect(try jimmy.run("download").output.hasPrefix("present\t"))
        #expect(home.server.requests.isEmpty)
        _ = try jimmy.run("edit", "Cast", "--download", "off")
        #expect(try jimmy.run("download").errors.hasPrefix("Nothing new to download; "))
    }

    @Test func `a failed download alone makes a refresh exit 1, and a later one tries again`() throws {
        let (home, jimmy) = try home([Part(number: 1)])
        _ = try jimmy.run("edit", "Cast", "--download", "on")
        _ = try jimmy.run("tag", "+new", "Part 1")
        home.server.on("/1.mp3", Reply(404))
        let run = try jimmy.run("refresh", "--all", "--download", "--json")
        #expect(run.status == 1)
        #expect(run.lines.contains { $0.contains(#""outcome":"failed""#) && $0.contains(#""type":"file""#) })
        #expect(try home.run(script: "ls -A audio/Cast").output == "")
        #expect(try jimmy.run("refresh", "--all").status == 0)
        #expect(try jimmy.run("download", "Part 1").status == 69)
    }

    @Test func `keep deletes only what was played, is not starred and not changed, beyond the newest`() throws {
        let (home, jimmy) = try home((1...6).reversed().map { Part(number: $0) })
        #expect(try jimmy.run("download", "--query", "part").status == 0)
        _ = try jimmy.run("tag", "+played", "--query", "part")
        _ = try jimmy.run("tag", "-played", "Part 1")
        _ = try jimmy.run("tag", "+starred", "Part 2")
        #expect(try home.run(script: "echo more >> 'audio/Cast/2025-06-02 Part 3.mp3'; touch audio/Cast/mine.mp3").status == 0)
        _ = try jimmy.run("edit", "Cast", "--keep", "2")
        #expect(try names(home).count == 7)
        let run = try jimmy.run("download")
        #expect(run.status == 0)
        #expect(run.errors.contains("Deleted 1 played file"))
        #expect(try names(home) == [1, 2, 3, 5, 6].map { "2025-06-02 Part \($0).mp3" } + ["mine.mp3"])
        #expect(try jimmy.run("search", "is:downloaded").lines.count == 5)
        // It does not come back by itself; its owner may ask for it.
        _ = try jimmy.run("edit", "Cast", "--download", "on")
        _ = try jimmy.run("tag", "+new", "Part 4")
        #expect(try jimmy.run("download").status == 0)
        #expect(try names(home).count == 6)
        _ = try jimmy.run("tag", "-played", "Part 4")
        #expect(try jimmy.run("download", "Part 4").status == 0)
        #expect(try names(home).count == 7)
        #expect(try jimmy.run("verify").status == 0)
    }

    @Test func `a file whose checksum is not the feed's is refused`() throws {
        func alternate(_ home: Home, _ number: Int, _ digest: String, isDefault: Bool = false) -> String {
            """
            <podcast:alternateEnclosure type="audio/mpeg" \(isDefault ? "default=\"true\"" : "")>
            <podcast:source uri="\(isDefault ? "https://else.example/a" : "\(home.server.url)/\(number).mp3")"/>
            <podcast:integrity type="sri" value="\(digest)"/></podcast:alternateEnclosure>
            """
        }
        let (home, jimmy) = try home([])
        let good = try home.run(script: "printf '\\001audio/1.mp3' | openssl dgst -sha384 -binary | base64 -w0").output
        let weak = try home.run(script: "printf '\\001audio/4.mp3' | openssl dgst -sha256 -binary | base64 -w0").output
        let wrong = "sha384-" + String(repeating: "A", count: 64)
        home.server.on(
            "/feed",
            feed(
                home,
                [
                    Part(number: 1, extra: alternate(home, 1, "sha384-\(good)")),
                    Part(number: 2, extra: alternate(home, 2, wrong)),
                    Part(number: 3, extra: alternate(home, 3, wrong, isDefault: true)),
                    Part(number: 4, extra: alternate(home, 4, "md5-AAAA sha256-\(weak)?x")),
                    Part(number: 5, extra: alternate(home, 9, wrong)),
                ]))
        #expect(try jimmy.run("refresh", "--all").status == 0)
        let run = try jimmy.run("download", "--query", "part")
        #expect(run.status == 1)
        #expect(try names(home) == ["2025-06-02 Part 1.mp3", "2025-06-02 Part 4.mp3", "2025-06-02 Part 5.mp3"])
        #expect(run.records.filter { $0[0] == "failed" }.allSatisfy { $0[3].contains("checksum differs") })
    }

    @Test func `what a run may fetch is counted in the bytes that come`() throws {
        let (home, jimmy) = try home((1...8).map { Part(number: $0) })
        let body = [UInt8](repeating: 7, count: 50_000)
        home.server.on("*") { request in
            // One server says how long its files are, the other does not.
            request.path.hasSuffix(".mp3") ? Reply(body: body).with { $0.framing = .chunked } : Reply(404)
        }
        let run = try jimmy.run("download", "--query", "part", "--max-total", "120k", "--concurrency", "1", "--json")
        #expect(run.status == 1)
        #expect(run.lines.count { $0.contains(#""outcome":"downloaded""#) } == 2)
        #expect(home.server.requests.count <= 5)
        #expect(try jimmy.run("download", "--query", "part", "--max-total", "1G").status == 0)
    }

    @Test func `a run that ended before it could report a file does not make the next one fetch it again`() throws {
        let (home, jimmy) = try home([Part(number: 1)])
        #expect(try home.run(script: "cp -a library before").status == 0)
        let body = Array("audio".utf8)
        home.server.on("/1.mp3", Reply(body: body).with { $0.cutAfter = 2 })
        #expect(try jimmy.run("download", "Part 1").status == 69)
        #expect(try home.run(script: "cp -a audio/Cast noted; rm noted/*").status == 0)
        home.server.on("/1.mp3", Reply(body: body))
        #expect(try jimmy.run("download", "Part 1").status == 0)
        let script = "rm -r library && mv before library && cp noted/.jimmy-* audio/Cast"
        #expect(try home.run(script: script).status == 0)
        home.server.forgetRequests()
        #expect(try jimmy.run("download", "Part 1").output.hasPrefix("present\t"))
        #expect(home.server.requests.isEmpty)
        #expect(try names(home) == ["2025-06-02 Part 1.mp3"])
    }

    @Test(.enabled(if: Self.canMount)) func `a full disk leaves a part, and the next run goes on with it`() throws {
        let (home, jimmy) = try home([Part(number: 1), Part(number: 2)])
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        home.server.on("/1.mp3") { request in
            let headers = [("ETag", "\"a\"")]
            guard let range = request["Range"], let first = Int(range.dropFirst("bytes=".count).dropLast()), first < body.count
            else { return Reply(headers: headers, body: body) }
            let content = ("Content-Range", "bytes \(first)-\(body.count - 1)/\(body.count)")
            return Reply(206, headers: headers + [content], body: Array(body[first...]))
        }
        home.server.on("/whole.mp3", Reply(body: body))
        let run = try home.run(
            script: """
                mkdir -p audio
                exec unshare -rm sh -c '
                    export JIMMY_DOWNLOADS=$PWD/audio
                    mount -t tmpfs -o size=160k none audio || exit 1
                    jimmy download "Part 1"; echo $?
                    ls -A audio/Cast | grep -v jimmy
                    jimmy refresh --all > /dev/null 2>&1; echo $?
                    mount -o remount,size=1M audio
                    jimmy download "Part 1"; echo $?
                    curl -s \(home.server.url)/whole.mp3 | cmp - "audio/Cast/2025-06-02 Part 1.mp3" && echo same
                '
                """)
        #expect(run.errors.contains("no space is left"), "\(run.errors)")
        let lines = run.lines.filter { !$0.contains("\t") }
        #expect(lines == ["74", "2025-06-02 Part 1.mp3.part", "0", "0", "same"], "\(run.output)\(run.errors)")
        #expect(home.server.requests(to: "/1.mp3").last?["Range"] != nil)
        #expect(try jimmy.run("verify").status == 0)
    }

    /// False where nobody may mount a file system of his own.
    private static let canMount =
        (try? Program(prelude: "exec unshare -rm mount -t tmpfs none /mnt").run().status) == 0
        && Program.find("curl") != nil

    @Test(.foldersOnly("it looks into the library's files")) func `many downloads cost a line each`() throws {
        let (home, jimmy) = try home((1...9).map { Part(number: $0) })
        #expect(try jimmy.run("download", "--query", "part").status == 0)
        #expect(try home.text("library/tags.jsonl").split(separator: "\n").count == 10)
        #expect(access(home.library + "/downloads.json", F_OK) != 0)
        #expect(try jimmy.run("downloads").lines.count == 9)
    }

    @Test func `a terminal shows the file, its size, speed and the time left`() throws {
        guard Program.hasTerminals else { return }
        let (home, jimmy) = try home([Part(number: 1)])
        let body = [UInt8](repeating: 7, count: 3_000_000)
        home.server.on("/1.mp3") { _ in Reply(body: body).with { $0.drip = (100_000, 0.05) } }
        let run = try jimmy.onTerminal("download", "Part 1")
        #expect(run.status == 0)
        #expect(run.output.contains("Part 1  "))
        #expect(run.output.contains(" of 3.0 MB  "))
        #expect(run.output.contains("MB/s  "))
        #expect(run.output.contains(" s left"))
    }
}
