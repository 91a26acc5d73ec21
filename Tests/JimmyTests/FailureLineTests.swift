import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// Each command that fails says so in one line that begins with `jimmy: `, and prints no result.
@Suite struct FailureLineTests {
    private static let huge = "99999999999999999999"

    /// Arguments, and the exit code.
    private static let mistakes: [(arguments: [String], status: Int32)] = [
        (["opml"], 64), (["library"], 64), (["opml", "exprt"], 64), (["queue", "ad"], 64), (["serach"], 64), (["--bogus"], 64),
        (["episodes", "--bogus"], 64), (["episodes", "--limit"], 64), (["episodes", "--limit", "-1"], 64),
        (["episodes", "--limit", huge], 64), (["episodes", "--since", "whenever"], 64), (["episodes", "Nobody"], 66),
        (["episodes", "--sort", "size"], 64), (["search", "--limit", huge, "x"], 64), (["search", "--bogus", "x"], 64),
        (["show"], 64), (["show", "Nobody"], 66), (["show", "--transcript", "Harbor"], 64),
        (["show", "--transcript", "Harbor 1"], 1),
        (["explain"], 64), (["explain", "Nobody"], 66), (["refresh", "Nobody"], 66), (["refresh", "--per-host", "0"], 64),
        (["refresh", "--timeout", huge], 64), (["refresh", "--max-size", huge], 64), (["refresh", "--concurrency", huge], 64),
        (["subscribe"], 64), (["subscribe", "mailto:a@b"], 64), (["subscribe", "/no/such/file"], 66),
        (["unsubscribe"], 64), (["unsubscribe", "Nobody"], 66), (["edit", "Nobody", "--pause"], 66), (["edit", "Harbor"], 64),
        (["edit", "Harbor", "--keep", huge], 64), (["edit", "Harbor", "--speed", "nan"], 64),
        (["edit", "Harbor", "--skip-intro", huge], 64), (["edit", "Harbor", "--min-interval", huge + "d"], 64),
        (["edit", "Harbor", "--only", "is:nwe"], 64), (["queue", "add"], 64), (["queue", "add", "Nobody"], 66),
        (["queue", "add", "Harbor"], 64), (["queue", "move", "Harbor 1", huge], 64), (["queue", "move", "Harbor 1", "1"], 1),
        (["queue", "remove", "Nobody"], 1), (["tag", "+a"], 64), (["tag", "+a/b", "Harbor 1"], 64),
        (["tag", "+a", "Nobody"], 66),
        (["tag", "--restore", "/no/such/file"], 66), (["star"], 64), (["star", "Nobody"], 66), (["seen", "Nobody"], 66),
        (["download", "Nobody"], 66), (["download", "--limit", huge], 64), (["download", "--max-total", huge], 64),
        (["download", "Harbor 1"], 69), (["downloads", "remove"], 64), (["downloads", "remove", "Nobody"], 66),
        (["play", "Nobody"], 66), (["play", "Harbor 1", "--at", "x"], 64), (["play", "Harbor 1", "--at", huge], 64),
        (["play", "Harbor 1", "--chapter", huge], 64), (["play", "Harbor 1", "--chapter", "9223372036854775807"], 1),
        (["play", "Harbor 1", "--transcript", "x"], 1), (["next", "Nobody"], 66), (["history", "Nobody"], 66),
        (["history", "--since", huge], 64), (["mark", "Nobody"], 66), (["mark", "Harbor 1"], 1), (["marks", "Nobody"], 66),
        (["similar"], 64), (["similar", "Nobody"], 66), (["suggest", "--limit", huge], 64), (["chart", "--weeks", "0"], 64),
        (["chart", "--weeks", huge], 64), (["export"], 64), (["export", "pdf"], 64), (["export", "csv", "is:nwe"], 64),
        (["export", "csv", "--limit", huge], 64), (["parse"], 64), (["parse", "/no/such/file"], 66), (["import"], 64),
        (["import", "/no/such/file"], 66), (["opml", "import", "/no/such/file"], 66), (["undo", huge], 64), (["undo", "0"], 64),
        (["config", "nonsense"], 64), (["config", "set", "concurrency", huge], 64), (["config", "set", "query.a", "is:nwe"], 64),
        (["config", "set"], 64), (["--set", "concurrency=x", "podcasts"], 64), (["discover", "--limit", huge, "x"], 64),
        (["help", "nonsense"], 64), (["library", "copy", "/no/such/folder", "/tmp"], 66),
        (["serve", "--listen", "nonsense"], 64), (["transcribe", "Nobody"], 66), (["completions", "tcsh"], 64),
    ]

    @Test func `each mistake is one line, and prints no result`() throws {
        let home = try Home()
        try home.subscribe("Harbor", episodes: 2)
        home.server.on("/1.mp3", Reply(404))
        for (arguments, status) in Self.mistakes where arguments[0] != "serve" || Program.hasServer {
            let run = try home.jimmy.run(arguments)
            #expect(run.status == status, "\(arguments): \(run.errors)")
            // A file that failed is a row of the result, too.
            #expect(run.output == "" || arguments.first == "download", "\(arguments)")
            #expect(run.errorLines.count { $0.hasPrefix("jimmy: ") } == 1, "\(arguments): \(run.errors)")
        }
    }

    @Test(arguments: [["unsubscribe", "Harbor"], ["refresh"], ["tag", "+later", "Harbor"], ["search", "harbor"], ["podcasts"]])
    func `a database that refuses connections is named, without its password`(arguments: [String]) throws {
        let home = try Home()
        // No server has port 1.
        let run = try home.jimmy.run(["--library", "postgresql://listener:S3cret@127.0.0.1:1/none"] + arguments)
        #expect(run.status == 69)
        #expect(run.output == "")
        #expect(run.errorLines.count == 1, "\(run.errors)")
        #expect(run.errors.hasPrefix("jimmy: library: the database cannot be reached: "), "\(run.errors)")
        #expect(!run.errors.contains("S3cret"))
    }

    @Test func `numbers at their limits are numbers`() throws {
        let home = try Home()
        try home.subscribe("Harbor", episodes: 2)
        let most = "9223372036854775807"
        for arguments in [
            ["episodes", "--limit", most], ["episodes", "--limit", "0"], ["search", "--limit", most, "harbor"],
            ["export", "csv", "--limit", most], ["export", "csv", "harbor", "--limit", most], ["suggest", "--limit", most],
            ["similar", "Harbor 1", "--limit", most], ["queue", "add", "Harbor 1"], ["queue", "move", "Harbor 1", most],
            ["episodes", "--query", "longer:\(most)h"], ["episodes", "--query", "season:\(most)"],
            ["episodes", "--query", "added:\(most)d"], ["episodes", "--since", "\(most)d"],
            ["edit", "Harbor", "--keep", most], ["podcasts"], ["downloads"], ["undo", most],
        ] {
            let run = try home.jimmy.run(arguments)
            #expect([0, 1, 64].contains(run.status), "\(arguments): \(run.status) \(run.errors)")
        }
    }
}
