import DatabaseServer
import Glibc
import LoopbackServer
import ProgramSupport
import Synchronization
import Testing

/// Libraries in a database: the commands do and print what they do with a folder.
@Suite(.enabled(if: PostgresServer.shared != nil || PostgresServer.isRequired, "PostgreSQL is not installed"))
struct DatabaseTests {
    private func home() throws -> Home { try Home(database: try #require(PostgresServer.shared).newLibrary()) }

    @Test(arguments: [false, true]) func `what a day brings is found, tagged, queued, taken back and exported`(
        inTwoDatabases: Bool
    ) throws {
        let home = inTwoDatabases ? try Home(database: try #require(DatabaseRouter.shared).newLibrary()) : try home()
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

    @Test func `a database library writes no file but its search index`() throws {
        let home = try home()
        _ = try home.subscribe("Night Radio", episodes: 1)
        for command in [["refresh", "--all"], ["search", "night"], ["status"]] { _ = try home.jimmy.run(command) }
        #expect(
            try home.run(
                script: "find . -newer script -type f | grep -Ev '^./(script$|.cache/jimmy/[0-9a-z]*/(library$|index/))'"
            ).output == "")
    }

    @Test func `what is not there is told by its exit code, and no password is shown`() throws {
        let server = try #require(PostgresServer.shared)
        func run(_ address: String, _ arguments: String...) throws -> Run {
            try Home(database: address).jimmy.run(arguments)
        }
        #expect(try run(server.newLibrary(), "podcasts").status == 66)
        #expect(try run(server.newLibrary(), "refresh").status == 66)
        #expect(try run("postgresql://jimmy:s3cret@127.0.0.1:\(server.port)/nowhere", "podcasts").status == 69)
        // Without a socket there is nothing to wait for, and libpq names the reason.
        for (options, reason) in [("host=/nowhere", "No such file"), ("host=127.0.0.1&port=99999", "invalid port number")] {
            let run = try run("postgresql://me:s3cret@/x?\(options)", "podcasts")
            #expect(run.status == 69 && run.errors.contains(reason) && !run.errors.contains("s3cret"), "\(run.errors)")
        }
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

    @Test func `many write at once, and nothing is lost`() async throws {
        let home = try home()
        _ = try home.subscribe("Night Radio", episodes: 8)
        let episodes = try home.jimmy.run("episodes").records.map { $0[0] }
        for number in 1...8 { home.server.on("/\(number)", .feed(Home.feed("Radio \(number)", episodes: 2))) }
        home.server.on("/same", .feed(Home.feed("Same", episodes: 1)))
        try await withThrowingTaskGroup(of: (Int, Run).self) { group in
            for number in 1...8 {
                let episode = episodes[number - 1]
                for command in [
                    ["tag", "+word\(number)", "+common", episodes[0]], ["queue", "add", episode],
                    ["subscribe", "\(home.server.url)/\(number)", "\(home.server.url)/same"],
                ] { group.addTask { (number, try home.jimmy.run(command)) } }
            }
            for try await (number, run) in group { #expect(run.status == 0, "\(number): \(run.errors)") }
        }
        let tags = Dictionary(uniqueKeysWithValues: try home.jimmy.run("tag").records.map { ($0[0], $0[1]) })
        #expect(tags == Dictionary(uniqueKeysWithValues: (1...8).map { ("word\($0)", "1") } + [("common", "1")]))
        #expect(Set(try home.jimmy.run("queue").records.map { $0[1] }) == Set(episodes))
        #expect(try home.jimmy.run("podcasts").lines.count == 10)
        #expect(try home.jimmy.run("episodes").lines.count == 8 + 16 + 1)
        #expect(try home.jimmy.run("verify").status == 0)
    }

    @Test func `verify beside refreshes finds no damage`() throws {
        let home = try home()
        let count = Mutex(1)
        for number in 1...4 {
            home.server.on("/\(number)") { _ in
                let episodes = count.withLock { count in
                    count = count % 200 + 1
                    return count
                }
                return .feed(Home.feed("Radio \(number)", episodes: episodes))
            }
            #expect(try home.jimmy.run("subscribe", "\(home.server.url)/\(number)").status == 0)
        }
        let run = try home.run(
            script: """
                for worker in 1 2 3; do
                    (for run in 1 2 3 4 5; do jimmy refresh --force > "out$worker" 2>&1; done) & workers="$workers $!"
                done
                while kill -0 $workers 2> errors; do jimmy verify || exit 1; done
                """)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
    }

    @Test func `a pause in a database ends when its host answers`() throws {
        let home = try home()
        let id = try home.subscribe("Night Radio", episodes: 1)
        home.server.on("/night-radio", Reply(429, headers: [("Retry-After", "86400")]))
        _ = try home.jimmy.run("refresh", "--all")
        home.server.forgetRequests()
        _ = try home.jimmy.run("refresh", "--all")
        #expect(home.server.requests.isEmpty)
        home.server.on("/night-radio", .feed(Home.feed("Night Radio", episodes: 2)))
        #expect(try home.jimmy.run("refresh", "--force", id).status == 0)
        home.server.forgetRequests()
        _ = try home.jimmy.run("refresh", "--all")
        #expect(home.server.requests.count == 1)
    }

    @Test func `a library of a newer program is left alone`() throws {
        let home = try home()
        _ = try home.subscribe("Night Radio", episodes: 1)
        let address = try #require(home.jimmy.environment["JIMMY_LIBRARY"])
        let schema = PostgresServer.schema(of: address)
        let plain = address.prefix { $0 != "?" }
        #expect(try home.run(script: "psql -q '\(plain)' -c 'UPDATE \(schema).version SET version = 99'").status == 0)
        for command in ["podcasts", "refresh", "verify", "status"] {
            let run = try home.jimmy.run(command)
            #expect(run.status == 65 && run.errors.contains("99"), "\(command): \(run.errors)")
        }
    }

    @Test func `a library of an earlier program is refused and left alone`() throws {
        let home = try home()
        _ = try home.subscribe("Night Radio", episodes: 1)
        let address = try #require(home.jimmy.environment["JIMMY_LIBRARY"])
        let schema = PostgresServer.schema(of: address)
        let psql = "psql -qAtX '\(address.prefix { $0 != "?" })' -c"
        #expect(try home.run(script: "\(psql) 'UPDATE \(schema).version SET version = 3'").status == 0)
        for command in [["podcasts"], ["refresh"], ["verify"], ["search", "night"], ["subscribe", home.server.url + "/x"]] {
            let run = try home.jimmy.run(command)
            #expect(run.status == 65 && run.errors.contains("made by an earlier version of jimmy (format 3)"), "\(run.errors)")
        }
        #expect(try home.run(script: "\(psql) 'SELECT version FROM \(schema).version'").output == "3\n")
    }

    @Test func `who follows the changes misses none`() throws {
        let address = try #require(PostgresServer.shared).newLibrary()
        let fleet = try Fleet(hosts: 8, feedsPerHost: 5, address: address)
        fleet.delay.withLock { $0 = 0 }
        // As the README of Sources/Database says.
        let functions = """
            export PGOPTIONS='-c search_path=\(PostgresServer.schema(of: address)),public'
            sql() { psql -qAtX -v ON_ERROR_STOP=1 '\(address.prefix { $0 != "?" })'; }
            follow() {
                sql <<'END' || echo failed
            UPDATE seen AS s SET next = (SELECT revision FROM shards AS h WHERE h.shard = s.shard);
            SELECT 'changed', convert_from(id, 'UTF8'), (SELECT count(*) FROM episodes AS e WHERE e.shard = p.shard AND e.podcast = p.id)
                FROM podcasts AS p JOIN seen AS s ON s.shard = p.shard WHERE p.content > s.revision;
            SELECT 'removed', convert_from(id, 'UTF8'), ''
                FROM removals AS r JOIN seen AS s ON s.shard = r.shard WHERE r.content > s.revision;
            UPDATE seen SET revision = next;
            END
            }
            nothing() { follow > more; [ ! -s more ] || { echo "more changes"; cat more; exit 1; }; }

            """
        func run(_ script: String) throws {
            let run = try fleet.home.run(script: functions + script)
            #expect(run.status == 0, "\(run.output)\(run.errors)")
        }
        try run(
            """
            jimmy refresh > output || exit 1
            echo 'DROP TABLE IF EXISTS public.seen;
                CREATE TABLE public.seen AS SELECT shard, 0::int8 AS revision, 0::int8 AS next FROM shards' | sql || exit 1
            follow > changes
            [ "$(grep -c '^changed|.*|1$' changes)" = \(fleet.feeds) ] || { cat changes; exit 1; }
            nothing
            """)
        fleet.publish(2)
        try run(
            """
            workers=; : > changes
            for number in 1 2 3; do jimmy refresh --all > "output$number" 2>&1 & workers="$workers $!"; done
            while kill -0 $workers 2> errors; do follow >> changes; done
            follow >> changes
            awk -F '|' '{ last[$2] = $3 } END { for (id in last) { n++; if (last[id] != 2) exit 1 } exit n != \(fleet.feeds) }' changes || {
                echo "missed some"; cat changes; exit 1
            }
            id=$(head -1 changes | cut -d '|' -f 2)
            jimmy unsubscribe "$id" > output || exit 1
            follow > changes; grep -qx "removed|$id|" changes || { cat changes; exit 1; }
            jimmy undo > output || exit 1
            follow > changes; grep -qx "changed|$id|2" changes || { cat changes; exit 1; }
            nothing
            """)
    }
}
