import DatabaseServer
import Glibc
import LoopbackServer
import ProgramSupport
import Synchronization
import Testing

/// Several refreshes at once, of one library in a database.
@Suite(.enabled(if: PostgresServer.shared != nil || PostgresServer.isRequired, "PostgreSQL is not installed"))
struct WorkerTests {
    @Test(arguments: [false, true])
    func `eight workers fetch each feed once, and no host gets more requests at once than its limit`(inTwoDatabases: Bool) throws
    {
        let address = inTwoDatabases ? try #require(DatabaseRouter.shared).newLibrary() : nil
        let fleet = try Fleet(hosts: 30, feedsPerHost: 7, large: inTwoDatabases ? 50 : 200, address: address)
        // No answer before there are more questions than three workers may ask.
        fleet.isHeld.withLock { $0 = { [weak fleet] in (fleet?.counts.count ?? .max) <= 3 * 6 } }
        let runs = try fleet.refresh(8, "refresh", "--json", "--concurrency", "6")
        for run in runs { #expect(run.status == 0, "\(run.errors)") }
        #expect(try fleet.home.jimmy.run("refresh").status == 0)
        #expect(fleet.counts.values.allSatisfy { $0 == 1 } && fleet.counts.count == fleet.feeds)
        #expect(fleet.maxAtOnce <= 2)
        let settled = runs.map { run in run.lines.count { $0.contains(#""outcome":"updated""#) } }
        #expect(settled.reduce(0, +) <= fleet.feeds && settled.count { $0 > 0 } > 3, "\(settled)")
        for run in runs { #expect(run.lines.last?.contains(#""leased":"#) ?? false) }
        try fleet.expectWhole(episodes: 1)
    }

    @Test func `a refresh of all fetches what nobody has fetched since it began`() throws {
        let fleet = try Fleet(hosts: 20, feedsPerHost: 3)
        #expect(try fleet.home.jimmy.run("refresh").status == 0)
        fleet.forget()
        for run in try fleet.refresh(4, "refresh", "--all") { #expect(run.status == 0, "\(run.errors)") }
        // They did not begin at the same moment: one that began later may have to ask again.
        #expect(fleet.counts.count == fleet.feeds)
        #expect(fleet.maxAtOnce <= 2)
    }

    @Test func `workers that are killed lose nothing and double nothing`() async throws {
        let fleet = try Fleet(hosts: 10, feedsPerHost: 6, settings: ["JIMMY_LEASE": "2"])
        let rounds = Int(variable("JIMMY_KILL_ROUNDS") ?? "") ?? 5
        for round in 1...rounds {
            fleet.publish(round)
            let workers = try (0..<3).map { _ in try fleet.home.jimmy.start(["refresh", "--all"]) }
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...1_200)))
            for worker in workers { worker.signal(SIGKILL) }
            for worker in workers { _ = try worker.end() }
        }
        // The leases of the killed end.
        try fleet.home.eventually { try fleet.home.jimmy.run("status", "--json").output.contains(#""leases":0"#) }
        let last = try fleet.home.jimmy.run("refresh", "--all", "--json")
        #expect(last.status == 0 && last.lines.last?.contains(#""leased":0"#) ?? false, "\(last.errors)")
        try fleet.expectWhole(episodes: rounds)
    }

    @Test func `a worker that was stopped for longer than its lease writes nothing late`() async throws {
        let fleet = try Fleet(hosts: 4, feedsPerHost: 3, settings: ["JIMMY_LEASE": "2"])
        fleet.delay.withLock { $0 = 0.3 }
        let stopped = try fleet.home.jimmy.start(["refresh", "--json"])
        try fleet.home.eventually { !fleet.counts.isEmpty }
        stopped.signal(SIGSTOP)
        fleet.delay.withLock { $0 = 0 }
        // Others take over what it had.
        try fleet.home.eventually {
            #expect(try fleet.home.jimmy.run("refresh").status == 0)
            return try fleet.home.jimmy.run("status", "--json").output.contains(#""episodes":\#(fleet.feeds)"#)
        }
        let before = try fleet.home.jimmy.run("episodes", "--json").output
        stopped.signal(SIGCONT)
        let run = try stopped.end()
        #expect(run.status == 0, "\(run.errors)")
        #expect(try fleet.home.jimmy.run("episodes", "--json").output == before)
        for line in run.lines.dropLast() where line.contains(#""outcome":"failed""#) {
            #expect(line.contains(#""code":"cancelled""#), "\(line)")
        }
        try fleet.expectWhole(episodes: 1)
    }

    @Test func `a host that asks for a pause is left alone by all`() throws {
        for feeds in [40, 130] {
            let fleet = try Fleet(hosts: 1, feedsPerHost: feeds)
            fleet.reply.withLock { $0 = Reply(429, headers: [("Retry-After", "600")]) }
            for run in try fleet.refresh(4, "refresh") { #expect(run.status == 0 || run.status == 69, "\(run.errors)") }
            let asked = fleet.counts.count
            if feeds <= 50 { #expect(asked <= 2) } else { #expect(asked < feeds) }
            for run in try fleet.refresh(2, "refresh", "--all") { #expect(run.status == 0, "\(run.errors)") }
            #expect(fleet.counts.values.reduce(0, +) == asked)
        }
    }

    @Test func `a feed that is gone is asked for no more`() throws {
        let fleet = try Fleet(hosts: 5, feedsPerHost: 2)
        fleet.reply.withLock { $0 = Reply(410) }
        for _ in 1...2 { _ = try fleet.refresh(4, "refresh", "--all") }
        #expect(fleet.counts.values.allSatisfy { $0 == 1 } && fleet.counts.count == fleet.feeds)
    }

    @Test func `a refresh that is terminated gives back what it has`() async throws {
        let fleet = try Fleet(hosts: 4, feedsPerHost: 5)
        fleet.delay.withLock { $0 = 1 }
        let run = try fleet.home.jimmy.start(["refresh"])
        try fleet.home.eventually { !fleet.counts.isEmpty }
        run.signal(SIGTERM)
        #expect(try run.end().status == 143)
        fleet.delay.withLock { $0 = 0 }
        let next = try fleet.home.jimmy.run("refresh", "--json")
        #expect(next.status == 0 && next.lines.last?.contains(#""leased":0"#) ?? false)
        try fleet.expectWhole(episodes: 1)
    }
}

/// A library in a database, and the servers of its feeds, each with an address of its own.
final class Fleet: Sendable {
    let home: Home
    let feeds: Int
    /// Seconds before each answer.
    let delay = Mutex(0.02)
    /// Answers wait while it returns true.
    let isHeld = Mutex<@Sendable () -> Bool>({ false })
    /// What all servers answer; nil for feeds.
    let reply = Mutex<Reply?>(nil)
    private let episodes = Mutex(1)
    private let servers: [LoopbackServer]

    /// - Parameters:
    ///   - large: feeds of one more host.
    ///   - address: of the library; nil for a new one.
    init(hosts: Int, feedsPerHost: Int, large: Int = 0, settings: [String: String] = [:], address: String? = nil) throws {
        let database = try #require(PostgresServer.shared)
        home = try Home(database: address ?? database.newLibrary(), settings: settings)
        servers = try (0..<hosts).map { try LoopbackServer(address: "127.0.3.\($0 + 1)") }
        var urls: [String] = []
        for (number, server) in servers.enumerated() {
            for feed in 0..<(number == 0 && large > 0 ? large : feedsPerHost) { urls.append("\(server.url)/\(feed)") }
        }
        feeds = urls.count
        for server in servers {
            server.on("*") { [weak self] request in
                guard let self else { return Reply(404) }
                let isHeld = isHeld.withLock { $0 }
                try? home.eventually { !isHeld() }
                var reply =
                    reply.withLock { $0 }
                    ?? .feed(Home.feed(request.path, episodes: episodes.withLock { $0 })).conditional(
                        on: request, etag: "\"\(episodes.withLock { $0 })\"")
                reply.delay = delay.withLock { $0 }
                return reply
            }
        }
        let run = try home.jimmy.run(["subscribe", "--no-fetch"] + urls)
        guard run.status == 0 else { throw TestFailure(run.errors) }
    }

    /// Every feed has that many episodes now.
    func publish(_ count: Int) { episodes.withLock { $0 = count } }

    /// Requests for each feed.
    var counts: [String: Int] {
        var counts: [String: Int] = [:]
        for server in servers { for request in server.requests { counts[server.url + request.path, default: 0] += 1 } }
        return counts
    }

    func forget() { for server in servers { server.forgetRequests() } }
    var maxAtOnce: Int { servers.map(\.maxAtOnce).max() ?? 0 }

    /// Runs that many processes at once. None waits for its output to be read.
    func refresh(_ count: Int, _ arguments: String...) throws -> [Run] {
        let started = try (0..<count).map { number in
            try home.write("", to: "output\(number)")
            return try home.jimmy.start(arguments, output: .file("\(home.folder)/output\(number)"))
        }
        return try started.enumerated().map { number, process in
            var run = try process.end(seconds: 120)
            run.output = try home.text("output\(number)")
            return run
        }
    }

    /// Each feed has each of its episodes once, and the library is undamaged.
    func expectWhole(episodes: Int) throws {
        let ids = try home.jimmy.run("episodes", "--json").lines.compactMap { line in
            line.split(separator: #""id":""#, maxSplits: 1).dropFirst().first?.prefix { $0 != "\"" }
        }
        #expect(ids.count == feeds * episodes && Set(ids).count == ids.count)
        #expect(try home.jimmy.run("verify").status == 0)
    }
}

extension Home {
    /// Waits until the condition is true, for a minute at most.
    func eventually(_ condition: () throws -> Bool) throws {
        for _ in 0..<600 {
            if try condition() { return }
            usleep(100_000)
        }
        throw TestFailure("it does not come about")
    }
}
