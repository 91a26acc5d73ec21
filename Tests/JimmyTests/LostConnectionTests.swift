import DatabaseServer
import Glibc
import LoopbackServer
import ProgramSupport
import Synchronization
import Testing

/// A database that goes away, and connections that break.
@Suite(.enabled(if: PostgresServer.shared != nil || PostgresServer.isRequired, "PostgreSQL is not installed"))
struct LostConnectionTests {
    @Test func `a connection that is cut anywhere changes nothing about a command's end`() throws {
        let server = try #require(PostgresServer.shared)
        let proxy = try DatabaseProxy(to: server.port)
        let library = server.newLibrary()
        let fleet = try Fleet(hosts: 2, feedsPerHost: 2, address: library)
        let jimmy = fleet.home.jimmy.with("JIMMY_LIBRARY", proxy.address(of: library, server: server))
        // Each packet needs long; by default some of them.
        let step = variable("JIMMY_CUT_ALL") != nil ? 1 : 4
        var episodes = 1
        for cut in [DatabaseProxy.Cut.request, DatabaseProxy.Cut.halfRequest, DatabaseProxy.Cut.reply] {
            var number = Int.random(in: 1...step)
            while true {
                episodes += 1
                fleet.publish(episodes % 28 + 1)
                proxy.reset(cut: cut(number))
                let run = try jimmy.run("refresh", "--all", "--json")
                #expect(run.status == 0, "\(cut(number)): \(run.errors)")
                guard proxy.hasCut else { break }
                let outcomes = run.lines.count { $0.contains(#""outcome":"updated""#) || $0.contains(#""outcome":"skipped""#) }
                #expect(outcomes == fleet.feeds, "\(cut(number)): \(run.output)")
                number += step
            }
            #expect(number > 10)
        }
        try fleet.expectWhole(episodes: 28)
        proxy.reset()
        let id = String(
            try fleet.home.jimmy.run("episodes", "--json").output.split(separator: #""id":""#)[1].prefix { $0 != "\"" })
        for command in [["tag", "+starred", "--query", "all"], ["queue", "add", id], ["episodes"], ["status"]] {
            for cut in [DatabaseProxy.Cut.request(3), .halfRequest(3), .reply(3), .reply(4)] {
                proxy.reset(cut: cut)
                let run = try jimmy.run(command)
                #expect(run.status == 0, "\(command) \(cut): \(run.errors)")
            }
        }
    }

    @Test func `refreshes ride out a restart of the database`() throws {
        let server = try PostgresServer(hasPooler: false)
        let fleet = try Fleet(hosts: 10, feedsPerHost: 4, address: server.newLibrary())
        fleet.delay.withLock { $0 = 0.2 }
        let workers = try (0..<3).map { _ in try fleet.home.jimmy.start(["refresh"]) }
        try fleet.home.eventually { fleet.counts.count > 5 }
        server.restart()
        for worker in workers {
            let run = try worker.end()
            #expect(run.status == 0, "\(run.errors)")
        }
        #expect(fleet.maxAtOnce <= 2)
        #expect(try fleet.home.jimmy.run("refresh").status == 0)
        try fleet.expectWhole(episodes: 1)
    }

    @Test func `a refresh whose database stays away tells what it could not store`() throws {
        let server = try PostgresServer(hasPooler: false)
        let fleet = try Fleet(hosts: 10, feedsPerHost: 4, settings: ["JIMMY_PATIENCE": "2"], address: server.newLibrary())
        fleet.delay.withLock { $0 = 0.2 }
        let worker = try fleet.home.jimmy.start(["refresh", "--json"])
        try fleet.home.eventually { fleet.counts.count > 5 }
        server.stop()
        let run = try worker.end()
        #expect(run.status == 69 && run.errorLines.count == 1, "\(run.errors)")
        #expect(run.lines.contains { $0.contains(#""code":"storage""#) })
        #expect(run.lines.last?.contains(#""type":"summary""#) ?? false)
        let reader = try fleet.home.jimmy.run("podcasts")
        #expect(reader.status == 69 && reader.errorLines.count == 1)
        server.restart()
        #expect(try fleet.home.jimmy.with("JIMMY_LEASE", "1").run("refresh", "--all").status == 0)
    }

    @Test func `a worker that keeps running waits for its database`() throws {
        let server = try PostgresServer(hasPooler: false)
        let settings = ["JIMMY_PATIENCE": "1", "JIMMY_POLL": "1", "JIMMY_LEASE": "2"]
        let fleet = try Fleet(hosts: 3, feedsPerHost: 3, settings: settings, address: server.newLibrary())
        let worker = try fleet.home.jimmy.start(["refresh", "--keep-running", "--json"])
        try fleet.home.eventually { fleet.counts.count == fleet.feeds }
        server.stop()
        usleep(3_000_000)
        server.restart()
        fleet.home.server.on("/new", .feed(Home.feed("New", episodes: 1)))
        #expect(try fleet.home.jimmy.run("subscribe", "--no-fetch", fleet.home.server.url + "/new").status == 0)
        try fleet.home.eventually { !fleet.home.server.requests(to: "/new").isEmpty }
        worker.signal(SIGTERM)
        let run = try worker.end()
        #expect(run.status == 0)
        #expect(try fleet.home.jimmy.run("episodes").lines.count == fleet.feeds + 1, "\(run)")
    }

    @Test(arguments: [false, true]) func `a large refresh needs few round trips`(hasNews: Bool) throws {
        let server = try #require(PostgresServer.shared)
        let proxy = try DatabaseProxy(to: server.port)
        let library = server.newLibrary()
        let fleet = try Fleet(hosts: 30, feedsPerHost: 34, address: library)
        fleet.delay.withLock { $0 = 0 }
        #expect(try fleet.home.jimmy.run("refresh").status == 0)
        if hasNews { fleet.publish(2) }
        let before = try fleet.changesThatAreNotHOT(library)
        proxy.reset()
        let jimmy = fleet.home.jimmy.with("JIMMY_LIBRARY", proxy.address(of: library, server: server))
        let run = try jimmy.run("refresh", "--all", "--json")
        let outcome = #""\#(hasNews ? "updated" : "notModified")":\#(fleet.feeds)"#
        #expect(run.status == 0 && run.lines.last?.contains(outcome) ?? false, "\(run.lines.last ?? "")")
        #expect(proxy.roundTrips <= (hasNews ? 4 : 0) * fleet.feeds + 100, "\(proxy.roundTrips) round trips")
        guard !hasNews else { return }
        let changes = try fleet.changesThatAreNotHOT(library) - before
        #expect(changes <= 100)
    }

    @Test func `reads that do not need each other share a round trip`() throws {
        let server = try #require(PostgresServer.shared)
        let proxy = try DatabaseProxy(to: server.port)
        let library = server.newLibrary(port: server.port)
        let fleet = try Fleet(hosts: 2, feedsPerHost: 10, address: library)
        fleet.delay.withLock { $0 = 0 }
        #expect(try fleet.home.jimmy.run("refresh").status == 0)
        let jimmy = fleet.home.jimmy.with("JIMMY_LIBRARY", proxy.address(of: library, server: server))
        let id = try #require(try jimmy.run("search", "--limit", "50", "sea").records.first?.first)
        #expect(try jimmy.run("queue", "add", id).status == 0)
        let commands = [
            ([], 1), (["queue"], 2), (["podcasts"], 2), (["episodes", "--new"], 2), (["show", id], 5),
            (["search", "--limit", "50", "sea"], 2),
        ]
        for (command, asked) in commands {
            proxy.reset()
            #expect(try jimmy.run(command).status == 0)
            // And three times more: encryption, login, and the library's version.
            #expect(proxy.roundTrips <= asked + 3, "\(command): \(proxy.roundTrips) round trips")
        }
    }
}

extension Program {
    func with(_ name: String, _ value: String) -> Program {
        var program = self
        program.environment[name] = value
        return program
    }
}

extension Fleet {
    /// Rows of the library that were written with entries of indexes.
    fileprivate func changesThatAreNotHOT(_ library: String) throws -> Int {
        let schema = PostgresServer.schema(of: library)
        let run = try home.run(
            script: """
                sleep 1.5  # the server's statistics come late
                psql -At '\(library.prefix { $0 != "?" })' -c "SELECT sum(n_tup_ins + n_tup_del + n_tup_upd - n_tup_hot_upd)
                    FROM pg_stat_user_tables WHERE schemaname = '\(schema)'"
                """)
        guard let count = Int(run.output.prefix { $0 != "\n" }) else { throw TestFailure(run.errors) }
        return count
    }
}
