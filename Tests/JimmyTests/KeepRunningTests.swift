import DatabaseServer
import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// `refresh --keep-running`, on both kinds of library.
struct KeepRunningTests {
    /// Without a database server its case is left out, unless it is required.
    static let homes = PostgresServer.shared != nil || PostgresServer.isRequired ? [false, true] : [false]

    private func home(_ isDatabase: Bool) throws -> Home {
        try Home(
            database: isDatabase ? #require(PostgresServer.shared).newLibrary() : nil,
            settings: ["JIMMY_POLL": "1", "JIMMY_LEASE": "3"])
    }

    @Test(arguments: homes) func `a worker fetches what comes, holds nothing while idle, and ends when it is told to`(
        isDatabase: Bool
    ) throws {
        let home = try home(isDatabase)
        home.server.on("*") { .feed(Home.feed($0.path, episodes: 2)) }
        func subscribe(_ path: String) throws {
            #expect(try home.jimmy.run("subscribe", "--no-fetch", home.server.url + path).status == 0)
        }
        try subscribe("/one")
        let worker = try home.jimmy.start(["refresh", "--keep-running", "--json"])
        // Lines come while it runs.
        #expect(worker.nextLine()?.contains(#""outcome":"updated""#) ?? false)
        try subscribe("/two")
        #expect(worker.nextLine()?.contains("/two") ?? false)
        // Nothing is locked between two runs.
        #expect(try home.jimmy.run("refresh", "--all").status == 0)
        if isDatabase {
            // The worker may be about to give back the lease of its last run.
            try home.eventually {
                let status = try home.jimmy.run("status", "--json").output
                return status.contains(#""workers":[{"name":""#) && status.contains(#""leases":0"#)
            }
        }
        worker.signal(SIGTERM)
        let run = try worker.end()
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines.count == 1 && run.lines[0].contains(#""type":"summary","podcasts":2"#), "\(run.output)")
        if isDatabase { #expect(try !home.jimmy.run("status", "--json").output.contains(#""workers""#)) }
    }

    @Test(.enabled(if: PostgresServer.shared != nil || PostgresServer.isRequired))
    func `a worker that is told to follow keeps the index of its machine current`() throws {
        let home = try home(true)
        home.server.on("*") { .feed(Home.feed($0.path, episodes: 2)) }
        #expect(try home.jimmy.run("subscribe", "--no-fetch", home.server.url + "/one").status == 0)
        let worker = try home.jimmy.start(["refresh", "--keep-running", "--json", "--set", "follow=on"])
        try home.eventually { try home.jimmy.run("status", "--json").output.contains(#""episodes":2"#) }
        try home.eventually { try home.jimmy.run("status", "--json").output.contains(#""index":"current""#) }
        worker.signal(SIGTERM)
        #expect(try worker.end().status == 0)
    }

    @Test(.enabled(if: PostgresServer.shared != nil || PostgresServer.isRequired))
    func `an idle worker asks its database once each time that it looks`() throws {
        let server = try #require(PostgresServer.shared)
        let proxy = try DatabaseProxy(to: server.port)
        // Not behind a pooler, of which the proxy would not know.
        let library = server.newLibrary(port: server.port)
        let home = try Home(database: library, settings: ["JIMMY_POLL": "1"])
        home.server.on("*") { .feed(Home.feed($0.path, episodes: 2)) }
        func subscribe(_ path: String, _ options: String...) throws {
            #expect(try home.jimmy.run(["subscribe", "--no-fetch", home.server.url + path] + options).status == 0)
        }
        try subscribe("/one")
        let worker = try home.jimmy.with("JIMMY_LIBRARY", proxy.address(of: library, server: server))
            .start(["refresh", "--keep-running", "--json"])
        #expect(worker.nextLine()?.contains(#""outcome":"updated""#) ?? false)
        // The first round trips belong to the run that fetched it.
        let times = try (0..<3).map { _ in
            proxy.reset()
            let start = ContinuousClock.now
            try home.eventually { proxy.roundTrips >= 6 }
            return ContinuousClock.now - start
        }
        #expect(times.last ?? .zero > .seconds(4))
        // It still sees at once what others change.
        try subscribe("/two")
        #expect(worker.nextLine()?.contains("/two") ?? false)
        worker.signal(SIGTERM)
        #expect(try worker.end().status == 0)
    }

    @Test(arguments: homes) func `what is under way when it is told to end may end`(isDatabase: Bool) throws {
        let home = try home(isDatabase)
        home.server.on("*") { .feed(Home.feed($0.path, episodes: 1)).with { $0.delay = 1 } }
        let urls = (1...6).map { "\(home.server.url)/\($0)" }
        #expect(try home.jimmy.run(["subscribe", "--no-fetch"] + urls).status == 0)
        let worker = try home.jimmy.start(["refresh", "--keep-running"])
        try home.eventually { !home.server.requests.isEmpty }
        worker.signal(SIGTERM)
        #expect(try worker.end().status == 0)
        let asked = home.server.requests.count
        #expect(asked < 6)
        #expect(try home.jimmy.run("episodes").lines.count == asked)
        // The others can be had at once.
        #expect(try home.jimmy.run("refresh").status == 0)
        #expect(home.server.requests.count == 6)
    }

    @Test(arguments: homes) func `undo knows what a worker brought, and not that nothing came`(isDatabase: Bool) throws {
        let home = try home(isDatabase)
        let jimmy = home.jimmy
        try home.subscribe("Wire")
        home.server.on("/empty", .feed("<rss version=\"2.0\"><channel><title>Empty</title></channel></rss>"))
        home.server.on("/harbor", .feed(Home.feed("Harbor", episodes: 2)))
        /// Subscribes to a feed, gives a tag, and lets a worker fetch the feed.
        func work(_ path: String, _ tag: String) throws {
            #expect(try jimmy.run("subscribe", "--no-fetch", home.server.url + path).status == 0)
            #expect(try jimmy.run("tag", "+" + tag, "Wire 1").status == 0)
            let worker = try jimmy.start(["refresh", "--keep-running"])
            try home.eventually { !home.server.requests(to: path).isEmpty }
            worker.signal(SIGTERM)
            #expect(try worker.end().status == 0)
        }
        try work("/empty", "a")
        #expect(try jimmy.run("undo").output == "tag\t-a: 1 episode\n")
        try work("/harbor", "b")
        #expect(try jimmy.run("episodes", "Harbor").lines.count == 2)
        let refused = try jimmy.run("undo")
        #expect(refused.status == 1)
        #expect(
            refused.errors.hasPrefix("jimmy: undo: the last change cannot be taken back: jimmy refresh, "), "\(refused.errors)")
        #expect(try jimmy.run("search", "tag:b").lines.count == 1)
        let number = try #require(try jimmy.run("undo", "--list").records.first?.first)
        #expect(try jimmy.run("undo", number).output == "tag\t-b: 1 episode\n")
    }

    @Test func `it takes no podcasts and no other kinds of refresh`() throws {
        for words in [["--all"], ["--force"], ["Night Radio"], ["--record", "x"]] {
            #expect(try Home().jimmy.run(["refresh", "--keep-running"] + words).status == 64)
        }
    }
}
