import DatabaseServer
import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// A server of a library in a database keeps the search index of its machine current, though others change the library.
@Suite(.enabled(if: PostgresServer.shared != nil || PostgresServer.isRequired, "PostgreSQL is not installed"))
struct FollowingTests {
    @Test func `what another machine adds is indexed before anybody searches`() throws {
        let home = try Home(database: try #require(PostgresServer.shared).newLibrary(), settings: ["JIMMY_POLL": "1"])
        var other = home.jimmy
        other.environment["XDG_CACHE_HOME"] = home.folder + "/other"
        for (path, title) in [("/one", "Night Radio"), ("/two", "Deep Sea")] {
            home.server.on(path, .feed(Home.feed(title, episodes: 2)))
        }
        #expect(try other.run("subscribe", home.server.url + "/one").status == 0)
        let served = try Served(home)
        func isCurrent() throws -> Bool { try home.jimmy.run("status", "--json").output.contains(#""index":"current""#) }
        for _ in 0..<200 where try !isCurrent() { usleep(50_000) }
        #expect(try isCurrent())
        #expect(try other.run("subscribe", home.server.url + "/two").status == 0)
        for _ in 0..<200 where try !isCurrent() { usleep(50_000) }
        #expect(try isCurrent() && served.client.get("/search?q=sea").text.contains("Deep Sea 2"))
    }
}
