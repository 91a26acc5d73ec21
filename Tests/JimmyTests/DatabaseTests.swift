import DatabaseServer
import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// Libraries in a database: the commands do and print what they do with a folder.
@Suite(.enabled(if: PostgresServer.shared != nil || PostgresServer.isRequired, "PostgreSQL is not installed"))
struct DatabaseTests {
    private func home() throws -> Home { try Home(database: try #require(PostgresServer.shared).newLibrary()) }

    @Test func `what a day brings is found, tagged, queued, taken back and exported`() throws {
        let home = try home()
        let jimmy = home.jimmy
        _ = try home.subscribe("Night Radio", episodes: 3)
        #expect(try jimmy.run("subscribe", "--no-fetch", home.server.url + "/harbor").status == 0)
        home.server.on("/harbor", .feed(Home.feed("Harbor", episodes: 2)))
        let refresh = try jimmy.run("refresh", "--json")
        #expect(refresh.status == 0 && refresh.output.contains(#""outcome":"updated""#))
        #expect(try jimmy.run("search", "title:harbor").lines.count >= 2)
        #expect(try jimmy.run("episodes").lines.count == 5)
        #expect(try jimmy.run("tag", "+starred", "Harbor 1").status == 0)
        #expect(try jimmy.run("queue", "add", "Night Radio 2").status == 0)
        let before = try jimmy.run("episodes", "--json").output
        #expect(try jimmy.run("unsubscribe", "Night Radio").status == 0)
        #expect(try jimmy.run("episodes").lines.count == 2)
        #expect(try jimmy.run("undo").status == 0)
        #expect(try jimmy.run("episodes", "--json").output == before)
        #expect(try jimmy.run("queue").lines.count == 1)
        #expect(try jimmy.run("tag").output == "starred\t1\n")
        #expect(try jimmy.run("opml", "export").output.contains("/harbor"))
        #expect(try jimmy.run("export", "csv", "harbor").lines.count == 3)
        #expect(try jimmy.run("show", "Harbor").status == 0)
        #expect(try jimmy.run("status", "--json").output.contains(#""podcasts":2"#))
        #expect(try jimmy.run("verify").status == 0)
        let again = try jimmy.run("refresh", "--all", "--json")
        #expect(again.lines.count == 3 && again.status == 0)
    }

    @Test func `a database library writes no file`() throws {
        let home = try home()
        _ = try home.subscribe("Night Radio", episodes: 1)
        for command in [["refresh", "--all"], ["search", "night"], ["status"]] { _ = try home.jimmy.run(command) }
        #expect(try home.run(script: "find . -newer script -type f | grep -v '^./script$'").output == "")
    }

    @Test func `what is not there is told by its exit code, and no password is shown`() throws {
        let server = try #require(PostgresServer.shared)
        func run(_ address: String, _ arguments: String...) throws -> Run {
            try Home(database: address).jimmy.run(arguments)
        }
        #expect(try run(server.newLibrary(), "podcasts").status == 66)
        #expect(try run(server.newLibrary(), "refresh").status == 66)
        #expect(try run("postgresql://jimmy:s3cret@127.0.0.1:\(server.port)/nowhere", "podcasts").status == 69)
        for address in [
            "postgresql://me:s3cret@127.0.0.1:1/x", "postgresql://me:s3cret@[::1/x", "postgresql://me:s3cret@h/x?nonsense=1",
            "postgresql://me:s3cret@127.0.0.1:\(server.port)/library?schema=",
        ] {
            let run = try run(address, "podcasts")
            #expect(run.status == (address.contains("127.0.0.1:1/x") ? 69 : 64), "\(address)")
            #expect(run.errorLines.count == 1 && !run.errors.contains("s3cret"), "\(run.errors)")
        }
        #expect(try run("postgresql://me:s3cret@127.0.0.1:1/x", "config").output.contains("postgresql://me@127.0.0.1:1/x"))
    }

    @Test func `eight first runs at once begin one library`() async throws {
        let home = try home()
        for number in 1...8 { home.server.on("/\(number)", .feed(Home.feed("Radio \(number)", episodes: 2))) }
        try await withThrowingTaskGroup(of: Run.self) { group in
            for number in 1...8 {
                group.addTask { try home.jimmy.run("subscribe", "\(home.server.url)/\(number)", "\(home.server.url)/1") }
            }
            for try await run in group { #expect(run.status == 0, "\(run.errors)") }
        }
        #expect(try home.jimmy.run("podcasts").lines.count == 8)
        #expect(try home.jimmy.run("episodes").lines.count == 16)
        #expect(try home.jimmy.run("verify").status == 0)
    }

    @Test func `a library of a newer program is left alone`() throws {
        let home = try home()
        _ = try home.subscribe("Night Radio", episodes: 1)
        let address = try #require(home.jimmy.environment["JIMMY_LIBRARY"])
        let schema = try #require(address.split(separator: "schema=").last).prefix { $0 != "&" }
        let plain = address.prefix { $0 != "?" }
        #expect(try home.run(script: "psql -q '\(plain)' -c 'UPDATE \(schema).version SET version = 99'").status == 0)
        for command in ["podcasts", "refresh", "verify", "status"] {
            let run = try home.jimmy.run(command)
            #expect(run.status == 65 && run.errors.contains("99"), "\(command): \(run.errors)")
        }
    }
}
