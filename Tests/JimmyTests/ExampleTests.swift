import Glibc
import LoopbackServer
import Testing

/// Every example in help, man pages (which are made from help) and the README files runs as printed.
///
/// They run in a home with a library, with example.com served by this machine, and with stand-ins for programs that play,
/// mail or notify. The stand-ins are as strict as the real ones about their arguments.
@Suite struct ExampleTests {
    @Test func `every example in help runs`() throws {
        let home = try Home(withExamples: ())
        let pages = try home.helpPages()
        let examples = pages.flatMap(\.examples)
        #expect(examples.count > 50)
        for example in examples {
            #expect(example.count <= 76, "wider than a terminal of 80 columns: \(example)")
            try home.check(example)
        }
    }

    /// README of the repository, and those of targets.
    private static let readmes: [String] = {
        let root = #filePath.prefix(upTo: #filePath.firstRange(of: "/Tests/")?.lowerBound ?? #filePath.endIndex)
        var files = glob_t()
        defer { globfree(&files) }
        guard glob("\(root)/Sources/*/README.md", 0, nil, &files) == 0 else { return [] }
        return ["\(root)/README.md"] + (0..<Int(files.gl_pathc)).compactMap { files.gl_pathv[$0].map { String(cString: $0) } }
    }()

    @Test func `every example in README files runs`() throws {
        #expect(Self.readmes.count > 3)
        let home = try Home(withExamples: ())
        let readme = try Self.readmes.map { try String(reading: $0) }.joined(separator: "\n")
        var isCode = false
        var examples: [String] = []
        for line in readme.split(separator: "\n") {
            if line.hasPrefix("```") { isCode.toggle() }
            let command = line.hasPrefix("$ ") ? line.dropFirst(2) : line
            if isCode, let example = command.example { examples.append(example) }
        }
        #expect(examples.count > 20)
        for example in examples { try home.check(example) }
    }

    @Test func `help names every command and topic, in plain words`() throws {
        let home = try Home()
        let pages = try home.helpPages()
        #expect(pages[0].contains("EVERYDAY COMMANDS:\n"))
        #expect(pages[0].contains("\nTROUBLESHOOTING:\n"))
        for page in pages {
            for words in ["SUBCOMMAND", "subcommand", " told", "so many", "begin so", "anew", "as set,", "is no ", "where it is"]
            {
                #expect(!page.contains(words), "\(words) in \(page)")
            }
        }
    }

    @Test func `help on help is help`() throws {
        let jimmy = try Home().jimmy
        #expect(try jimmy.run("help", "help").output == jimmy.run("help").output)
    }

    @Test(arguments: [30, 40, 80, 200])
    func `help breaks no word, at any width`(columns: Int) throws {
        var home = try Home().jimmy
        home.environment["COLUMNS"] = "\(columns)"
        for topic in ["search", "tags", "cron", "formats", "settings", "exit-codes"] {
            for line in try home.run("help", topic).lines where line.count > columns {
                #expect(line.split(separator: " ").contains { $0.count > columns - 20 }, "\(line)")
            }
        }
    }
}

extension Home {
    /// With a library in the usual place, in which every example finds what it asks for.
    fileprivate convenience init(withExamples: Void) throws {
        try self.init()
        func item(_ title: String, _ extra: String = "") -> String {
            """
            <item><title>\(title)</title><guid>\(title)</guid><pubDate>Sun, 05 May 2024 08:00:00 GMT</pubDate>
            <description>Night radio about a lighthouse, and the timetable of a storm.</description>
            <itunes:duration>40:00</itunes:duration>\(extra)
            <enclosure url="\(server.url)/1.mp3" type="audio/mpeg" length="1000"/></item>
            """
        }
        func feed(_ title: String, _ items: [String]) -> Reply {
            .feed(
                """
                <rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
                  xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><title>\(title)</title>\(items.joined())
                </channel></rss>
                """)
        }
        let lamps = "<itunes:summary>Granite towers, tallow and paraffin.</itunes:summary>"
        let texts =
            "<podcast:transcript url=\"\(server.url)/1.vtt\" type=\"text/vtt\"/>"
            + "<podcast:chapters url=\"\(server.url)/1.json\" type=\"application/json+chapters\"/>"
        server.on(
            "/harbor.xml",
            feed(
                "Harbor Radio",
                [item("Lighthouse keepers", texts + lamps), item("Storm and deep sea"), item("Café, 古い地図")]))
        server.on("/feed.xml", feed("Night Radio", [item("Green tea", lamps + "<itunes:season>2</itunes:season>")]))
        server.on("/day.xml", feed("Day Radio", [item("Morning"), item("It's a \"long\" day")]))
        server.on(
            "/1.vtt",
            Reply(
                body: Array("WEBVTT\n\n00:12:34.000 --> 00:12:40.000\nThe last keeper left the reactor and its clockwork.\n".utf8)
            ))
        server.on(
            "/1.json",
            Reply(body: Array(#"{"chapters":[{"startTime":0,"title":"Fog"},{"startTime":90,"title":"An interview"}]}"#.utf8)))
        server.on("/1.mp3", Reply(headers: [("Content-Type", "audio/wav")], body: NumberedAudio.wav(seconds: 1)))
        server.on(
            "/search",
            Reply(body: Array(#"{"resultCount":1,"results":[{"collectionName":"N","feedUrl":"http://a.example/"}]}"#.utf8)))
        try write(
            #"<opml><body><outline text="A" xmlUrl="http://127.0.0.1:9/a"/></body></opml>"#, to: "subscriptions.opml")
        try write("\(server.url)/harbor.xml\n\(server.url)/day.xml\n", to: "urls.txt")
        try write("sesame\n", to: "password.txt")
        mkdir(folder + "/bin", 0o700)
        for (name, script) in [
            (
                "mpv",
                "while case $1 in --*) true ;; *) false ;; esac; do shift; done; case $1 in http* | /*) ;; *) exit 2 ;; esac"
            ),
            ("mail", "grep -q ."),
            ("whisper-cli", "printf 'WEBVTT\\n\\n00:01.000 --> 00:02.000\\nHello.\\n'"),
            ("systemctl", ":"), ("wget", ":"),
            // Like notify-send: a summary, and perhaps a body.
            ("notify-send", "[ $# -ge 1 ] && [ $# -le 2 ] && [ \"$1\" != - ]"),
        ] {
            try write("#!/bin/sh\n" + script + "\n", to: "bin/" + name)
            chmod(folder + "/bin/" + name, 0o755)
        }
        let prepared = try run(
            script: """
                set -e
                unset JIMMY_LIBRARY
                jimmy subscribe \(server.url)/harbor.xml \(server.url)/feed.xml
                jimmy refresh --all --transcripts --chapters
                jimmy queue add "Lighthouse keepers" "Green tea"
                jimmy tag +later "Green tea"
                echo 'position=90 heard=2024-05-06T08:00:00Z -- \(server.url)/harbor.xml Lighthouse keepers' | jimmy tag --restore
                jimmy mark "Lighthouse keepers" 12:34
                mkdir gPodder
                /usr/bin/python3 -c 'import sqlite3
                c = sqlite3.connect("gPodder/Database")
                c.execute("CREATE TABLE podcast (id INTEGER, title TEXT, url TEXT)")
                c.execute("CREATE TABLE episode (id INTEGER, podcast_id INTEGER)")
                c.commit()'
                """)
        #expect(prepared.status == 0, "\(prepared.errors)")
        server.on(
            "/feed.xml",
            feed("Night Radio", [item("Green tea", lamps + "<itunes:season>2</itunes:season>"), item("News at night")]))
        let refreshed = try run(
            script: """
                set -e
                unset JIMMY_LIBRARY
                cp -a .local/share/jimmy copy
                jimmy refresh --all --record night.rec
                jimmy subscribe --no-fetch \(server.url)/day.xml
                cp -a .local/share/jimmy prepared
                """)
        #expect(refreshed.status == 0, "\(refreshed.errors)")
    }

    fileprivate func helpPages() throws -> [String] {
        var jimmy = jimmy
        jimmy.environment["COLUMNS"] = "80"
        func commands(_ page: String) -> [String] {
            let start = page.firstRange(of: "COMMANDS:\n")?.upperBound ?? page.endIndex
            return page[start...].split(separator: "\n").filter {
                $0.hasPrefix("  ") && !$0.hasPrefix("   ") && !$0.contains("See '")
            }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
        }
        var pages = [try jimmy.run("--help").output]
        for command in commands(pages[0]) {
            let page = try jimmy.run(command, "--help").output
            pages.append(page)
            for part in commands(page) { pages.append(try jimmy.run(command, part, "--help").output) }
        }
        return try pages
            + ["search", "tags", "cron", "formats", "settings", "exit-codes"].map { try jimmy.run("help", $0).output }
    }

    /// Runs an example in the prepared library.
    fileprivate func check(_ example: String) throws {
        let command = example.replacing("https://example.com", with: server.url).replacing(
            "pcast://example.com", with: server.url
        )
        .replacing("b0awzdwc3c7va-v8g5a8stg7pdy", with: "Lighthouse keepers".quoted).replacing(
            "b0awzdwc-v8g5", with: "Lighthouse keepers".quoted
        )
        // The recording that other examples read exists already, and is not overwritten.
        .replacing("--record night.rec", with: "--record another.rec")
        let run = try run(
            script: """
                unset JIMMY_LIBRARY
                export JIMMY_TRANSCRIBER='whisper-cli {audio}'
                export JIMMY_DIRECTORY=\(server.url)/search
                rm -rf .local/share/jimmy .config/jimmy && cp -a prepared .local/share/jimmy
                set -o pipefail
                \(command.hasPrefix("jimmy serve") ? Self.serving(command) : command)
                """)
        #expect(run.status == 0, "\(example): \(run.errors)")
        #expect(!run.errors.contains("jimmy: "), "\(example): \(run.errors)")
    }

    /// A server ends when it is asked to, once it listens, on a port that is free.
    private static func serving(_ command: String) -> String {
        guard Program.hasServer else { return ":" }
        let command = String(command.prefix { $0 != "#" })
        if command.contains("--set-password") { return "echo 'a long password' | \(command)" }
        return """
            coproc { exec \(command) --listen 127.0.0.1:0; }
            server=$COPROC_PID
            read -r listening <&"${COPROC[0]}"
            kill -TERM $server
            wait $server
            """
    }
}

extension String {
    fileprivate var quoted: String { "'\(self)'" }

    /// The commands in a help page: indented by two columns, and before the usage.
    fileprivate var examples: [String] {
        let text = self[..<(firstRange(of: "\nUSAGE:")?.lowerBound ?? endIndex)]
        return text.split(separator: "\n").filter { $0.hasPrefix("  ") }.compactMap(\.example)
    }
}

extension Substring {
    /// The command on this line; nil if there is none, or only the form of one.
    fileprivate var example: String? {
        var line = drop { $0 == " " }
        if line.hasPrefix("*/5 * * * *") { line = line.dropFirst(11).drop { $0 == " " } }
        line = line.replacing("$HOME/.local/bin/jimmy", with: "jimmy")[...]
        let programs = ["jimmy ", "JIMMY_", "curl ", "mpv ", "eval ", "systemctl ", "grep "]
        let isCommand = line == "jimmy" || programs.contains(where: line.hasPrefix)
        return isCommand && !line.contains("…") && !line.contains("  finds ") ? String(line) : nil
    }
}
