import Glibc
import LoopbackServer
import Testing

/// Random refreshes, recorded and replayed with other settings, in another time zone and on another day: the library is the
/// same, byte for byte.
///
/// `JIMMY_RANDOM_RUNS` asks for that many. A fifth of them are killed: then the library is that of the replay, or that of a
/// replay which ends before the last write. If the run was killed within that write, each file is as in the one or as in the
/// other, or a log that has got some of its new lines; and `library.json`, which says how far the others are, is between.
@Suite(.foldersOnly("recordings are of folders")) struct RandomRunTests {
    private static let runs = getenv("JIMMY_RANDOM_RUNS").flatMap { Int(String(cString: $0)) } ?? 8

    /// Prints each file of a killed run's library that differs from what its recording allows.
    private static let fits = """
        fits() {
            zstd -dcq run.rec > plain 2>/dev/null
            writes='committing|finishing|done|texts|textsEnded|page|archiveEnded|downloads|downloadsEnded|hooked'
            last=$(grep -aboE '\\{"record":"('"$writes"')"' plain | tail -1 | cut -d: -f1)
            # Without any, the run was killed before its first write.
            if [ -n "$last" ]; then head -c $((last - 12)) plain | zstd -q -o before.rec; else cp run.rec before.rec; fi
            jimmy refresh --replay before.rec --library before > /dev/null 2> before.errors
            diff -r $same library before > /dev/null && return
            for file in $(cd library && find . -type f ! -name '*lock' ! -name library.json ! -path './new/*'); do
                cmp -s library/$file one/$file || cmp -s library/$file before/$file && continue
                old=$(stat -c %s before/$file) && new=$(stat -c %s library/$file) &&
                    cmp -s -n $old library/$file before/$file && cmp -s -n $new library/$file one/$file ||
                    echo "$file is neither"
            done
            for file in $(cd before && find . -type f ! -name '*lock'); do
                [ -e library/$file ] || [ ! -e one/$file ] || echo "$file is missing"
            done
        }
        """

    @Test(arguments: 0..<runs) func `a replay gives the same library`(seed: Int) throws {
        var dice = Dice(seed: UInt64(seed))
        let home = try Home()
        let count = 1 + dice.roll(40)
        let world = World(home.server.url)
        for number in 0..<count { world.serve(number, of: count, on: home.server, &dice) }
        world.serveFiles(on: home.server, seed: seed)
        _ = try home.jimmy.run(["subscribe", "--no-fetch"] + (0..<count).map { "\(home.server.url)/\($0)" })
        if dice.roll(2) == 0 {
            _ = try home.jimmy.run("refresh")
            for number in 0..<count where dice.roll(3) == 0 { world.serve(number, of: count, on: home.server, &dice) }
        }
        var options = [["--all"], ["--force"], []][dice.roll(3)] + ["--concurrency", "\(1 + dice.roll(64))"]
        options += [["--transcripts"], ["--chapters"], ["--transcripts", "--chapters"], []][dice.roll(4)]
        if dice.roll(3) == 0 { options += ["--archive", "--max-pages", "\(1 + dice.roll(3))", "$(cat some)"] }
        if dice.roll(3) == 0 { options += ["--download", "--set", "new-on-subscribe=2"] }
        let isKilled = dice.roll(5) == 0
        let command = "jimmy refresh --record run.rec --per-host 8 --timeout 2 \(options.joined(separator: " "))"
        let milliseconds = 20 + dice.roll(600)
        let replays = [("one", "concurrency=1", "Asia/Tokyo"), ("two", "concurrency=64", "America/Lima")]
        let run = try home.run(
            script: """
                jimmy podcasts | cut -f 1 | head -\(1 + dice.roll(4)) > some
                for podcast in $(cat some); do jimmy edit "$podcast" --download on --keep 1 >/dev/null 2>&1; done
                cp -a library one && cp -a library two && cp -a library before
                exec 3>&2 2>/dev/null
                \(command) >/dev/null & pid=$!
                \(isKilled ? "sleep 0.\(milliseconds < 100 ? "0" : "")\(milliseconds); kill -9 $pid" : "")
                wait $pid
                exec 2>&3
                [ -s run.rec ] || exit 0
                same='-x lock -x refresh.lock -x new'
                \(Self.fits)
                later=$(ls /usr/lib/*/faketime/libfaketime.so.1 2>/dev/null)
                """
                    + replays.map { copy, setting, zone in
                        """

                        env TZ=\(zone) ${later:+LD_PRELOAD=$later FAKETIME=+3d} \
                        jimmy refresh --replay run.rec --library \(copy) --set \(setting) >/dev/null 2>\(copy).errors
                        """
                    }.joined()
                        + """

                        diff -r $same one two >&2 || cat one.errors two.errors >&2
                        diff -r $same library one > differs || \(isKilled ? "fits" : "cat differs one.errors") >&2
                        """)
        #expect(run.errors.isEmpty, "\(command), \(isKilled ? "killed after \(milliseconds) ms" : "to its end"): \(run.errors)")
    }
}

/// Feeds with everything that a refresh follows, from a server that is often odd.
private struct World {
    let server: String

    init(_ server: String) { self.server = server }

    func serve(_ number: Int, of count: Int, on server: LoopbackServer, _ dice: inout Dice) {
        let reply = reply(number, of: count, &dice)
        let pages = (2...4).map { page in
            Reply.feed(feed(number, episodes: 2, from: 100 * page, next: page < 4 ? "/\(number)?page=\(page + 1)" : nil))
        }
        server.on("/\(number)") { request in
            guard let page = request.target.split(separator: "=").last.flatMap({ Int($0) }) else { return reply }
            return pages[page - 2]
        }
    }

    /// Transcripts, chapters and media: which of them are odd depends on their names.
    func serveFiles(on server: LoopbackServer, seed: Int) {
        @Sendable func odd(_ request: Request, or reply: Reply) -> Reply {
            var dice = Dice(seed: request.target.utf8.reduce(UInt64(seed)) { $0 &* 31 &+ UInt64($1) })
            switch dice.roll(12) {
            case 0: return Reply(404)
            case 1: return Reply(429, headers: [("Retry-After", "\(1 + dice.roll(900))")])
            case 2: return Reply(200, headers: [("Content-Type", "text/html")], body: Array("<html><body>".utf8))
            case 3: return reply.with { $0.cutAfter = dice.roll($0.body.count) }
            case 4: return .redirect(302, to: request.target + "0")
            case 5: return reply.with { $0.delay = Double(dice.roll(20)) / 100 }
            default: return reply
            }
        }
        let words = Array("WEBVTT\n\n00:01.000 --> 00:02.000\nHello.\n".utf8)
        server.on("/text") { odd($0, or: Reply(headers: [("ETag", "\"1\"")], body: words)) }
        server.on("/chapters") { request in
            odd(request, or: Reply(body: Array(#"{"version":"1.2","chapters":[{"startTime":3,"title":"Tides"}]}"#.utf8)))
        }
        server.on("/media") { request in
            odd(request, or: Reply(headers: [("Content-Type", "audio/mpeg")], body: [UInt8](repeating: 7, count: 30_000)))
        }
    }

    private func feed(_ number: Int, episodes: Int, from first: Int = 0, next: String?) -> String {
        let items = (first..<first + episodes).reversed().map { episode in
            let name = "\(number)-\(episode)"
            return """
                <item><title>Part \(name)</title><guid>\(name)</guid>
                <pubDate>\(1 + episode % 28) May \(2025 - episode / 28) 08:00:00 GMT</pubDate>
                <podcast:transcript url="\(server)/text?\(name)" type="text/vtt"/>
                <podcast:chapters url="\(server)/chapters?\(name)" type="application/json+chapters"/>
                <enclosure url="\(server)/media?\(name)" type="audio/mpeg" length="1000"/></item>
                """
        }
        let link = next.map { "<atom:link rel=\"next\" href=\"\($0)\"/>" } ?? ""
        return """
            <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:podcast="https://podcastindex.org/namespace/1.0">
            <channel><title>Feed \(number)</title>\(link)\(items.joined())</channel></rss>
            """
    }

    private func reply(_ number: Int, of count: Int, _ dice: inout Dice) -> Reply {
        let text = feed(number, episodes: 1 + dice.roll(25), next: dice.roll(2) == 0 ? "/\(number)?page=2" : nil)
        let feed = Reply.feed(text, headers: [("ETag", "\"\(dice.roll(3))\"")])
        switch dice.roll(14) {
        case 0: return Reply(404)
        case 1: return Reply(410)
        case 2: return Reply(503, headers: [("Retry-After", "\(dice.roll(900))")])
        case 3: return .redirect(301, to: "/\(dice.roll(count))")
        case 4: return .redirect(302, to: "/\(dice.roll(count))")
        case 5: return feed.with { $0.cutAfter = dice.roll($0.body.count) }
        case 6: return Reply(200, headers: [("Content-Type", "text/html")], body: Array("<html><body>".utf8))
        case 7: return .raw("HTTP/1.1 200 OK\r\nContent-Length: 10, 20\r\n\r\n0123456789")
        case 8: return feed.with { $0.framing = .chunked }
        case 9: return feed.with { $0.drip = (2_000, 0.02) }
        case 10: return feed.with { $0.delay = Double(dice.roll(30)) / 100 }
        default: return feed
        }
    }
}

private struct Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func roll(_ sides: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % sides
    }
}
