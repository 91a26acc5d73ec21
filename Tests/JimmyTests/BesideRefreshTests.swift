import Glibc
import LoopbackServer
import Synchronization
import Testing

/// While a refresh waits for a slow server, all other commands work, and their changes win over its own.
@Suite struct BesideRefreshTests {
    let home: Home
    let gate = AnswerGate()

    /// Feeds whose servers answer at once the first time, and from then on when the gate is open.
    private var feeds: [String: String] { ["/radio": "Radio", "/talk": "Talk"] }

    init() throws {
        home = try Home()
        for (path, title) in feeds {
            home.server.on(path, .feed(Home.feed(title, episodes: 1)))
            #expect(try home.jimmy.run("subscribe", home.server.url + path).status == 0)
            home.server.on(path) { [gate] _ in
                gate.wait()
                return .feed(Home.feed(title, episodes: 2))
            }
        }
        home.server.forgetRequests()
    }

    private func startRefresh(_ options: String...) throws -> RunningProgram {
        let run = try home.jimmy.start(["refresh", "--all", "--json"] + options)
        while home.server.requests.isEmpty { usleep(1_000) }
        return run
    }

    @Test func `everything else works while a refresh waits`() throws {
        home.server.on("/new", .feed(Home.feed("New", episodes: 1)))
        let list = home.folder + "/list.opml"
        try write("<opml><body><outline xmlUrl='\(home.server.url)/listed'/></body></opml>", to: list)
        let episodes = try home.jimmy.run("episodes", "Radio").records.map { $0[0] }
        let refresh = try startRefresh()
        for command in [
            ["queue", "add", episodes[0]], ["queue", "move", episodes[0], "1"], ["subscribe", home.server.url + "/new"],
            ["opml", "import", list], ["edit", "Radio", "--title", "Mine"], ["tag", "+later", episodes[0]], ["undo"],
            ["tag", "+starred", episodes[0]], ["play", "--set", "player=true", "Talk/1"], ["seen"], ["unsubscribe", "Talk"],
        ] {
            let run = try home.jimmy.run(command)
            #expect(run.status == 0, "\(command): \(run.errors)")
        }
        gate.open()
        #expect(try refresh.end().status == 0)
        #expect(Set(try home.jimmy.run("podcasts").records.map { $0[1] }) == ["Mine", "New", home.server.url + "/listed"])
        #expect(try home.jimmy.run("queue").lines.count == 1)
        #expect(try home.jimmy.run("tag").lines == ["new\t1", "starred\t1"])
        #expect(try home.jimmy.run("verify").status == 0)
    }

    @Test(.foldersOnly("a refresh of a database indexes nothing"))
    func `the index is free while a refresh waits for a slow server`() throws {
        home.server.on("/radio", .feed(Home.feed("Radio", episodes: 2)))
        let refresh = try startRefresh()
        // The quick feed is stored and indexed, and the slow one is waited for.
        while try home.jimmy.run("episodes", "Radio").lines.count < 2 { usleep(1_000) }
        let index = try #require(try home.run(script: "find . -name lock -path '*index*' | head -1").lines.first)
        let deadline = ContinuousClock.now + .seconds(4)
        while try home.run(script: "flock -n '\(index)' true").status != 0, ContinuousClock.now < deadline { usleep(10_000) }
        #expect(try home.run(script: "flock -n '\(index)' true").status == 0)
        let run = try home.jimmy.run("tag", "+later", "--query", "radio")
        #expect(run.status == 0, "\(run.errors)")
        gate.open()
        #expect(try refresh.end().status == 0)
        // The podcast, and both of its episodes.
        let search = try home.jimmy.run("search", "talk")
        #expect(search.lines.count == 3, "\(search.output) \(search.errors)")
    }

    @Test(arguments: [[], ["--keep-episodes"]])
    func `a podcast that was unsubscribed meanwhile does not come back`(options: [String]) throws {
        let refresh = try startRefresh()
        let id = try #require(try home.jimmy.run(["unsubscribe", "Talk"] + options).records.first?.first)
        gate.open()
        let end = try refresh.end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(try home.jimmy.run("podcasts").records.map { $0[1] } == ["Radio"])
        #expect(access("\(home.library)/podcasts/\(id).jsonl", F_OK) != 0)
        #expect(try home.jimmy.run("search", "sea").records.map { $0[2] } == ["Radio", "Radio"])
        #expect(try home.jimmy.run("verify").status == 0)
    }

    @Test func `an edit that was made meanwhile is not overwritten, and the news are stored`() throws {
        let refresh = try startRefresh()
        #expect(try home.jimmy.run("edit", "Talk", "--title", "Mine", "--tag", "one").status == 0)
        gate.open()
        #expect(try refresh.end().status == 0)
        #expect(Set(try home.jimmy.run("podcasts").records.map { $0[1] }) == ["Mine", "Radio"])
        #expect(try home.jimmy.run("episodes", "Mine").lines.count == 2)
        #expect(try home.jimmy.run("search", "podcast:mine").lines.count == 2)
    }

    @Test func `a podcast that moved meanwhile keeps its new address`() throws {
        let refresh = try startRefresh()
        let url = home.server.url + "/elsewhere"
        #expect(try home.jimmy.run("edit", "Talk", "--feed-url", url).status == 0)
        gate.open()
        #expect(try refresh.end().status == 0)
        #expect(try home.jimmy.run("podcasts").records.contains { $0[4] == url })
    }

    @Test(.foldersOnly("a shared library is asked again after five seconds"))
    func `a podcast that was paused meanwhile is not fetched any more`() throws {
        let refresh = try startRefresh("--concurrency", "1")
        let first = try #require(home.server.requests.first?.path)
        let second = try #require(feeds.keys.first { $0 != first })
        #expect(try home.jimmy.run("edit", try #require(feeds[second]), "--pause").status == 0)
        gate.open()
        #expect(try refresh.end().status == 0)
        #expect(home.server.requests.map(\.path) == [first])
    }

    @Test(.foldersOnly("refreshes share a database")) func `a second refresh exits 75`() throws {
        let refresh = try startRefresh()
        let second = try home.jimmy.run("refresh")
        #expect(second.status == 75)
        #expect(second.errors.hasPrefix("jimmy: refresh: another jimmy (process \(refresh.id)) is refreshing this library"))
        gate.open()
        #expect(try refresh.end().status == 0)
        #expect(try home.jimmy.run("refresh").status == 0)
    }

    @Test(.enabled(if: access("/usr/bin/flock", X_OK) == 0), .foldersOnly("nothing is locked in a database"))
    func `a writer waits for another, then exits 75`() throws {
        var holder = Program(prelude: "exec /usr/bin/flock '\(home.library)/lock' cat")
        holder.environment = ["PATH": "/usr/bin:/bin"]
        let held = try holder.start([])
        defer { held.signal(SIGKILL) }
        var run = try home.jimmy.run("queue", "clear")
        while run.status == 0 { run = try home.jimmy.run("queue", "clear") }
        #expect(run.status == 75)
        #expect(try home.jimmy.run("podcasts").lines.count == 2)
    }

    private func write(_ text: String, to path: String) throws {
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
    }
}

/// Holds threads back until it is opened.
final class AnswerGate: Sendable {
    private let isOpen = Mutex(false)

    func open() { isOpen.withLock { $0 = true } }
    func wait() { while !isOpen.withLock({ $0 }) { usleep(1_000) } }
}
