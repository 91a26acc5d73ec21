import Glibc
import LoopbackServer
import Testing

/// Random refreshes, recorded and replayed with other settings, in another time zone and on another day: the library is the
/// same, byte for byte.
///
/// `JIMMY_RANDOM_RUNS` asks for that many, and a fifth of them are killed. One in twenty of these may differ: it was killed
/// between a write and the record that tells of it, which no recording can know.
@Suite struct RandomRunTests {
    private static let asked = getenv("JIMMY_RANDOM_RUNS").flatMap { Int(String(cString: $0)) }
    private static let runs = asked ?? 8

    @Test(arguments: 0..<runs) func aReplayGivesTheSameLibrary(seed: Int) throws {
        var dice = Dice(seed: UInt64(seed))
        let home = try Home()
        let count = 1 + dice.roll(40)
        for number in 0..<count { home.server.on("/\(number)", Self.reply(number, of: count, &dice)) }
        _ = try home.jimmy.run(["subscribe", "--no-fetch"] + (0..<count).map { "\(home.server.url)/\($0)" })
        if dice.roll(2) == 0 {
            _ = try home.jimmy.run("refresh")
            for number in 0..<count where dice.roll(3) == 0 { home.server.on("/\(number)", Self.reply(number, of: count, &dice)) }
        }
        let options = [["--all"], ["--force"], []][dice.roll(3)] + ["--concurrency", "\(1 + dice.roll(64))"]
        let isKilled = dice.roll(5) == 0 && Self.asked != nil
        let command = "jimmy refresh --record run.rec --per-host 8 --timeout 2 \(options.joined(separator: " "))"
        let milliseconds = 20 + dice.roll(400)
        let replays = [("one", "concurrency=1", "Asia/Tokyo"), ("two", "concurrency=64", "America/Lima")]
        let run = try home.run(
            script: """
                cp -a library one && cp -a library two
                \(command) >/dev/null 2>&1 & pid=$!
                \(isKilled ? "sleep 0.\(milliseconds < 100 ? "0" : "")\(milliseconds); kill -9 $pid 2>/dev/null" : "")
                wait $pid 2>/dev/null
                [ -s run.rec ] || exit 0
                later=$(ls /usr/lib/*/faketime/libfaketime.so.1 2>/dev/null)
                """
                    + replays.map { copy, setting, zone in
                        """

                        env TZ=\(zone) ${later:+LD_PRELOAD=$later FAKETIME=+3d} \
                        jimmy refresh --replay run.rec --library \(copy) --set \(setting) >/dev/null 2>\(copy).errors
                        diff -r -x lock -x refresh.lock library \(copy) >&2 || cat \(copy).errors >&2
                        """
                    }.joined())
        #expect(run.errors.isEmpty, "\(command), \(isKilled ? "killed after \(milliseconds) ms" : "to its end"): \(run.errors)")
    }

    private static func reply(_ number: Int, of count: Int, _ dice: inout Dice) -> Reply {
        let feed = Reply.feed(
            Home.feed("Feed \(number)", episodes: 1 + dice.roll(25)), headers: [("ETag", "\"\(dice.roll(3))\"")])
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
