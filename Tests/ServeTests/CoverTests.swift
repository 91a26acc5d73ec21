import Domain
import Glibc
import LoopbackServer
import ProgramSupport
import Synchronization
import Testing

@testable import jimmy_serve

/// Covers are fetched once and made small elsewhere; whatever pictures hold, the server goes on.
@Suite(.enabled(if: access("/usr/bin/vipsthumbnail", X_OK) == 0, "Debian's libvips-tools are not installed."))
struct CoverTests {
    private func served(picture: [UInt8], type: String = "image/png") throws -> (Served, podcast: String) {
        let home = try Home()
        home.server.on("/cover", Reply(200, headers: [("Content-Type", type)], body: picture))
        let image = "<image><url>\(home.server.url)/cover</url></image>"
        home.server.on("/harbor", .feed(Home.feed("Harbor", episodes: 1, extra: image)))
        let id = try #require(try home.jimmy.run("subscribe", home.server.url + "/harbor").records.first?.first)
        return (try Served(home), id)
    }

    /// A black picture by libvips, the quickest way to any size.
    private func picture(_ width: Int, _ height: Int) throws -> [UInt8] {
        let home = try Home()
        let run = try home.run(script: "vips black black.png \(width) \(height) --bands 3")
        #expect(run.status == 0, "\(run.errors)")
        guard let file = fopen(home.folder + "/black.png", "r") else { throw TestFailure("no picture") }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 8 << 20)
        return Array(bytes[..<fread(&bytes, 1, bytes.count, file)])
    }

    @Test func `a cover is fetched once and kept in two sizes`() throws {
        let (site, podcast) = try served(picture: try picture(900, 600))
        for path in ["/covers/\(podcast)", "/covers/\(podcast)?size=large", "/covers/\(podcast)"] {
            let answer = try site.client.get(path)
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "image/webp")
            #expect(answer.body.starts(with: Array("RIFF".utf8)))
            #expect(answer.body.count < 100_000)
        }
        #expect(site.home.server.requests(to: "/cover").count == 1)
    }

    @Test(arguments: [
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"><script>alert(1)</script></svg>", "not a picture", "",
        "\u{89}PNG\r\n\u{1A}\n broken",
    ])
    func `what is no picture is replaced by a drawing`(_ text: String) throws {
        let (site, podcast) = try served(picture: Array(text.utf8), type: "image/svg+xml")
        let answer = try site.client.get("/covers/\(podcast)")
        #expect(answer.headers["content-type"]?.hasPrefix("image/svg+xml") ?? false)
        #expect(answer.text.contains(">H</text>"))
        #expect(!answer.text.contains("script"))
        #expect(answer.headers["content-security-policy"]?.contains("sandbox") ?? false)
        // It is not asked for again at once.
        _ = try site.client.get("/covers/\(podcast)")
        #expect(site.home.server.requests(to: "/cover").count == 1)
    }

    @Test func `many covers at once wait for each other, and none becomes a letter`() throws {
        let home = try Home()
        let picture = try picture(300, 300)
        for number in 1...12 {
            home.server.on("/cover\(number)", Reply(200, headers: [("Content-Type", "image/png")], body: picture))
            let image = "<image><url>\(home.server.url)/cover\(number)</url></image>"
            home.server.on("/feed\(number)", .feed(Home.feed("Feed \(number)", episodes: 1, extra: image)))
        }
        _ = try home.jimmy.run(["subscribe"] + (1...12).map { "\(home.server.url)/feed\($0)" })
        let site = try Served(home)
        let page = try site.client.get("/podcasts").text
        let paths = page.matches(of: /src="(\/covers\/[^"]+)"/).map { String($0.1).replacing("&amp;", with: "&") }
        #expect(paths.count == 12)
        let answers = try site.client.getAll(paths)
        for answer in answers {
            // A letter says that the cover is coming; asking again brings it.
            #expect(answer.headers["content-type"] == "image/webp" || answer.text.contains("width=\"99\""))
        }
        for path in paths {
            var type = ""
            for _ in 0..<200 where type != "image/webp" { type = try site.client.get(path).headers["content-type"] ?? "" }
            #expect(type == "image/webp", "\(path)")
        }
        for number in 1...12 { #expect(site.home.server.requests(to: "/cover\(number)").count == 1) }
    }

    @Test func `a cover that changes in the feed has a new address, and a letter is not kept`() throws {
        let home = try Home()
        home.server.on("/harbor", .feed(Home.feed("Harbor", episodes: 1)))
        let id = try #require(try home.jimmy.run("subscribe", home.server.url + "/harbor").records.first?.first)
        let site = try Served(home)
        func path() throws -> String {
            let page = try site.client.get("/podcasts/\(id)").text
            let match = try #require(page.firstMatch(of: /src="(\/covers\/[^"]+)"/))
            return String(match.1).replacing("&amp;", with: "&")
        }
        let before = try path()
        let letter = try site.client.get(before)
        #expect(letter.headers["content-type"]?.hasPrefix("image/svg") ?? false)
        #expect(letter.headers["cache-control"] == "private, no-cache")
        home.server.on("/cover", Reply(200, headers: [("Content-Type", "image/png")], body: try picture(300, 300)))
        let image = "<image><url>\(home.server.url)/cover</url></image>"
        home.server.on("/harbor", .feed(Home.feed("Harbor", episodes: 1, extra: image)))
        _ = try home.jimmy.run("refresh", "--force")
        let after = try path()
        #expect(after != before)
        let cover = try site.client.get(after)
        #expect(cover.headers["content-type"] == "image/webp")
        #expect(cover.headers["cache-control"]?.contains("immutable") ?? false)
    }

    @Test func `a server that could not be reached is asked for its picture a minute later, others after hours`() async throws {
        let home = try Home()
        let (covers, now) = (Covers(folder: home.folder + "/covers"), Timestamp(seconds: 1_700_000_000))
        let asked = Mutex(0)
        let bytes = try picture(300, 300)
        func cover(_ seconds: Int64, _ url: String, _ picture: Covers.Picture) async -> Covers.Cover {
            await covers.cover(of: "podcast", url: url, .small, now: now + seconds) {
                asked.withLock { $0 += 1 }
                return picture
            }
        }
        func asksAgain(_ seconds: Int64, _ url: String, _ picture: Covers.Picture) async -> Bool {
            let before = asked.withLock { $0 }
            _ = await cover(seconds, url, picture)
            return asked.withLock { $0 } > before
        }
        guard case .coming = await cover(0, "away", .later) else { throw TestFailure("a letter that stays") }
        #expect(await !asksAgain(59, "away", .later))
        guard case .file = await cover(60, "away", .bytes(bytes)) else { throw TestFailure("no cover") }
        #expect(await !asksAgain(61, "away", .none))
        guard case .none = await cover(0, "broken", .none) else { throw TestFailure("a letter that is asked for again") }
        #expect(await !asksAgain(6 * 3_600 - 1, "broken", .none))
        #expect(await asksAgain(6 * 3_600, "broken", .none))
    }

    @Test func `servers that could not be reached are forgotten with the run`() {
        let begin = { @Sendable in Politeness(slotsPerHost: 1) { Timestamp(seconds: 1_700_000_000) } }
        let (long, short) = (PoliteRuns(begin), PoliteRuns(lifetime: .zero, begin))
        #expect(long.current === long.current)
        #expect(short.current !== short.current)
    }

    @Test func `an enormous picture harms nothing`() throws {
        let (site, podcast) = try served(picture: try picture(20_000, 20_000))
        #expect(try site.client.get("/covers/\(podcast)").status == 200)
        #expect(try site.client.get("/healthz").text == "ok\n")
    }
}
