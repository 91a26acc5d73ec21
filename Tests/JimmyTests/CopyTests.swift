import DatabaseServer
import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// `jimmy library copy`: a folder into a database, and back.
@Suite(.enabled(if: PostgresServer.shared != nil || PostgresServer.isRequired, "PostgreSQL is not installed"))
struct CopyTests {
    private func database() throws -> String { try #require(PostgresServer.shared).newLibrary() }

    /// A home with a library in a folder that has a bit of everything.
    private func home() throws -> Home {
        let home = try Home(database: nil)
        let (server, jimmy) = (home.server, home.jimmy)
        func serve(_ path: String, _ feed: String) {
            server.on(path) { request in
                request["If-None-Match"] == "\"\(feed.count)\""
                    ? Reply(304) : Reply(headers: [("ETag", "\"\(feed.count)\"")], body: Array(feed.utf8))
            }
        }
        let transcript = #"<p:transcript url="\#(server.url)/talk.vtt" type="text/vtt"/>"#
        server.on("/talk.vtt", .feed("WEBVTT\n\n00:01.000 --> 00:04.000\n<v Ada>The reactor hummed.\n", type: "text/vtt"))
        serve("/radio", Home.feed("Night Radio", episodes: 3))
        serve("/sea", Home.feed("Deep Sea", episodes: 2))
        serve("/left", Home.feed("Left Behind", episodes: 2))
        serve("/gone", Home.feed("All Gone", episodes: 1))
        serve(
            "/talks",
            """
            <rss xmlns:p="https://podcastindex.org/namespace/1.0"><channel><title>Talks \u{1D11E}</title><item><title>Talk 1</title>
            <guid>1</guid><pubDate>01 May 2024 08:00:00 GMT</pubDate>\(transcript)</item></channel></rss>
            """)
        for path in ["radio", "sea", "left", "gone", "talks"] {
            #expect(try jimmy.run("subscribe", "\(server.url)/\(path)").status == 0)
        }
        #expect(try jimmy.run("subscribe", "--no-fetch", "http://me:s3cret@127.0.0.1:1/private").status == 0)
        // One episode is withdrawn, another is edited.
        serve(
            "/radio",
            Home.feed("Night Radio", episodes: 4).replacing("Night Radio-1<", with: "Night Radio-9<").replacing(
                "All about Night Radio", with: "More about Night Radio"))
        for command in [
            ["refresh", "--all"], ["refresh", "--transcripts"], ["tag", "+starred", "night radio/2"],
            ["queue", "add", "night radio/3", "deep sea/1"], ["edit", "Deep Sea", "--title", "Deeper", "--pause"],
            ["mark", "night radio/2", "1:30", "the bell"], ["unsubscribe", "--keep-episodes", "Left Behind"],
            ["tag", "+loved", "all gone/1"], ["unsubscribe", "All Gone"],
        ] {
            let run = try jimmy.run(command)
            #expect(run.status == 0 || command[0] == "refresh", "\(command): \(run.errors)")
        }
        let heard = "position=90/1000 heard=2024-05-06T08:00:00Z -- \(server.url)/radio Night Radio-3\n"
        #expect(try jimmy.run(["tag", "--restore"], input: heard).status == 0)
        #expect(try jimmy.run("next", "Night Radio").records.map { $0[3] } == ["Night Radio 3"])
        return home
    }

    /// Names, modes and contents of all files that count, and what the commands print of the library.
    private static let functions = """
        tree() { (cd "$1" && find . -type f -size +0 ! -path ./lock -printf '%P %m\\n' | sort && find . -type f -size +0 ! -path ./lock | sort | xargs sha256sum); }
        view() {
            for command in 'podcasts --json' 'episodes --json' 'tag --dump' 'queue --json' 'marks --json' 'next radio' 'opml export' 'search reactor' \\
                'show left' 'explain radio' 'config library'; do
                case $command in config*) continue;; esac
                echo "# $command"; jimmy --library "$1" $command 2>&1
            done | sed 's/"revision":[0-9]*//g; s/"\\(contentRevision\\|transcript\\)":[^,}]*//g'
        }
        fail() { echo "$*"; exit 1; }

        """

    private func run(_ script: String, _ home: Home) throws {
        let run = try home.run(script: Self.functions + script)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
    }

    @Test func `a folder that was in a database has the same bytes again`() throws {
        let (home, address) = (try home(), try database())
        try run(
            """
            tree library > before; view library > said
            jimmy library copy library '\(address)' || fail "into the database"
            view '\(address)' > said-there; diff said said-there || fail "the database says something else"
            jimmy library copy '\(address)' back || fail "out of the database"
            tree library > after; diff before after || fail "the source changed"
            tree back > after; diff before after || fail "the copy differs"
            view back > said-there; diff said said-there || fail "the copy says something else"
            jimmy --library back verify || fail verify
            """, home)
        let requests = home.server.requests.count
        _ = try home.jimmy.run("--library", address, "refresh", "--all")
        #expect(home.server.requests.count == requests + 2)
        #expect(home.server.requests.dropFirst(requests).allSatisfy { $0["If-None-Match"] != nil })
    }

    @Test func `a library goes from database to database, and to another server`() throws {
        let (home, first, second) = (try home(), try database(), try database())
        let server = try PostgresServer(hasPooler: false)
        let (third, requests) = (server.newLibrary(), home.server.requests.count)
        try run(
            """
            tree library > before; view library > said
            jimmy library copy library '\(first)' || fail "into the database"
            jimmy library copy '\(first)' '\(second)' || fail "to a database of the same server"
            jimmy library copy '\(second)' '\(third)' || fail "to another server"
            jimmy --library '\(third)' verify || fail verify
            view '\(third)' > said-there; diff said said-there || fail "the copy says something else"
            jimmy library copy '\(third)' back || fail "out of the database"
            tree back > after; diff before after || fail "the folder differs"
            """, home)
        _ = try home.jimmy.run("--library", third, "refresh", "--all")
        #expect(home.server.requests.count == requests + 2)
        #expect(home.server.requests.dropFirst(requests).allSatisfy { $0["If-None-Match"] != nil })
        withExtendedLifetime(server) {}
    }

    @Test func `what changed in the database is in the folder`() throws {
        let (home, address) = (try home(), try database())
        try run("jimmy library copy library '\(address)' || fail copy", home)
        home.server.on("/sea", .feed(Home.feed("Deep Sea", episodes: 5)))
        try run(
            """
            export JIMMY_LIBRARY='\(address)'
            jimmy edit Deeper --resume; jimmy refresh --all > refreshed; jimmy tag +new-tag 'night radio/2'; jimmy queue clear
            jimmy unsubscribe Talks || fail unsubscribe
            jimmy library copy "$JIMMY_LIBRARY" back || fail copy
            view "$JIMMY_LIBRARY" > there; view back > here; diff there here || fail "the copy says something else"
            grep -q 'Deep Sea 5' here || fail "nothing is new"
            jimmy --library back verify || fail verify
            """, home)
    }

    @Test func `a copy that is killed goes on, and nobody uses half of one`() throws {
        let (home, address, other) = (try home(), try database(), try database())
        try run(
            """
            tree library > before
            copy() {
                delay=2
                while :; do
                    timeout -s KILL 0.$(printf %03d $delay) jimmy library copy "$1" "$2" > said 2>&1
                    status=$?
                    [ $status -eq 0 ] && return
                    [ $status -eq 137 ] || fail "copy exits $status: $(cat said)"
                    jimmy --library "$2" podcasts > said 2>&1
                    case $? in
                        66) ;;
                        65) jimmy --library "$2" subscribe --no-fetch http://127.0.0.1:1/x 2> said && fail "written to half of it" ;;
                        0) return ;;
                        *) fail "half of it: $? $(cat said)" ;;
                    esac
                    delay=$((delay + delay / 3 + 1))
                    [ $delay -gt 999 ] && { jimmy library copy "$1" "$2" || fail "the last copy"; return; }
                done
            }
            copy library '\(address)'
            copy '\(address)' '\(other)'
            copy '\(other)' back
            tree back > after; diff before after || fail "the copy differs"
            """, home)
    }

    @Test func `a place that is taken is left as it is`() throws {
        let (home, address, other) = (try home(), try database(), try database())
        try run(
            """
            mkdir other notes; echo mine > notes/file
            jimmy --library other subscribe --no-fetch http://127.0.0.1:1/x > said 2>&1
            jimmy --library '\(other)' subscribe --no-fetch http://127.0.0.1:1/x > said 2>&1
            tree other > before
            refused() {
                jimmy library copy "$2" "$3" > said 2>&1; status=$?
                [ $status -eq $1 ] || fail "$2 to $3 exits $status, not $1: $(cat said)"
            }
            refused 65 library other; refused 65 library notes; refused 65 library '\(other)'; refused 65 library library
            refused 66 missing new; refused 66 '\(address)' new; refused 64 library
            [ -e new ] && fail "made something"
            tree other > after; diff before after || fail changed
            [ "$(jimmy --library '\(other)' podcasts | wc -l)" = 1 ] || fail "the database changed"
            mkdir new.part; printf /elsewhere > new.part/copying
            refused 65 library new
            [ "$(ls new.part)" = copying ] || fail "the other copy changed"
            """, home)
    }
}
