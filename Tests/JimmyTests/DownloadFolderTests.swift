import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// The folder of downloads: where it is, what is already in it, and what is written into files.
@Suite struct DownloadFolderTests {
    private static let body = [UInt8](repeating: 7, count: 50_000)

    /// - Parameter length: what the feed says.
    private func home(length: Int = 0, episodes: Int = 2, extra: String = "") throws -> (home: Home, jimmy: Program) {
        let home = try Home()
        let items = (1...episodes).map { number in
            """
            <item><title>Part \(number)</title><guid>\(number)</guid><pubDate>Mon, 02 Jun 2025 0\(number):00:00 GMT</pubDate>\(extra)
            <enclosure url="\(home.server.url)/\(number).mp3" type="audio/mpeg" length="\(length)"/></item>
            """
        }
        home.server.on(
            "/feed",
            .feed(
                """
                <rss version="2.0" xmlns:psc="http://podlove.org/simple-chapters" \
                xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Cast</title>
                <itunes:image href="\(home.server.url)/cover.jpg"/>\(items.joined())</channel></rss>
                """))
        for number in 1...episodes { home.server.on("/\(number).mp3", Reply(body: Self.body)) }
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_DOWNLOADS"] = home.folder + "/audio"
        jimmy.environment["PATH"] = Program.searchPath
        #expect(try jimmy.run("subscribe", home.server.url + "/feed").status == 0)
        home.server.forgetRequests()
        return (home, jimmy)
    }

    @Test func `a folder that moves takes its files along, for every command`() throws {
        let (home, jimmy) = try home()
        #expect(try jimmy.run("download", "Part 1").status == 0)
        _ = try home.run(script: "mv audio elsewhere")
        var moved = jimmy
        moved.environment["JIMMY_DOWNLOADS"] = home.folder + "/elsewhere"
        let path = home.folder + "/elsewhere/Cast/2025-06-02 Part 1.mp3"
        #expect(try moved.run("downloads").records.first?.suffix(1) == [path])
        #expect(try moved.run("show", "Part 1").output.contains(path))
        moved.environment["JIMMY_PLAYER"] = "cp {file} '\(home.folder)/played'"
        #expect(try moved.run("play", "Part 1").status == 0)
        #expect(access(home.folder + "/played", F_OK) == 0)
        #expect(try moved.run("verify").status == 0)
    }

    @Test func `a path is printed as it is, with all of its blanks`() throws {
        let home = try Home()
        home.server.on("/1.mp3", Reply(body: Self.body))
        let items = """
            <item><title>One -  two</title><guid>1</guid><enclosure url="\(home.server.url)/1.mp3" type="audio/mpeg"/></item>
            """
        home.server.on("/feed", .feed("<rss version=\"2.0\"><channel><title>A&#9; B</title>\(items)</channel></rss>"))
        var jimmy = home.jimmy
        jimmy.environment["JIMMY_DOWNLOADS"] = home.folder + "/my  audio"
        _ = try jimmy.run("subscribe", home.server.url + "/feed")
        let path = try #require(try jimmy.run("download", "One two").records.first?.last)
        #expect(path == home.folder + "/my  audio/A  B/One -  two.mp3")
        #expect(access(path, F_OK) == 0)
        #expect(try jimmy.run("downloads").records.first?.last == path)
        #expect(try jimmy.run("show", "One two").output.contains(path))
        #expect(try jimmy.run("config", "downloads").output == home.folder + "/my  audio\n")
        #expect(try jimmy.run("config").records.contains { $0[1] == home.folder + "/my  audio" })
    }

    @Test func `a file stays known when its podcast is left and subscribed to again`() throws {
        let (home, jimmy) = try home()
        _ = try jimmy.run("download", "Part 1")
        _ = try jimmy.run("tag", "+starred", "Part 1")
        let downloaded = try jimmy.run("episodes", "--query", "is:downloaded").output
        #expect(!downloaded.isEmpty)
        _ = try jimmy.run("unsubscribe", "Cast")
        #expect(try jimmy.run("tag").output == "downloaded\t1\n")
        #expect(try jimmy.run("tag", "--dump").errors == "")
        #expect(try jimmy.run("subscribe", home.server.url + "/feed").status == 0)
        #expect(try jimmy.run("episodes", "--query", "is:downloaded is:starred").output == downloaded)
        #expect(try jimmy.run("downloads", "remove", "--query", "is:downloaded").errors.hasPrefix("Deleted 1 file"))
        #expect(try jimmy.run("tag").output == "starred\t1\n")
    }

    @Test(arguments: [50_000, 5]) func `a new library adopts the files of an earlier one`(length: Int) throws {
        let (home, jimmy) = try home(length: length)
        #expect(try jimmy.run("download", "Part 1").status == 0)
        _ = try home.run(script: "rm -r library cache")
        #expect(try jimmy.run("subscribe", home.server.url + "/feed").status == 0)
        let run = try jimmy.run("download", "Part 1")
        #expect(run.status == 0 && run.output.hasPrefix("present\t"), "\(run.output)\(run.errors)")
        #expect(try home.run(script: "ls -A audio/Cast").output == "2025-06-02 Part 1.mp3\n")
        #expect(try jimmy.run("downloads").lines.count == 1)
    }

    @Test func `a file of that name and another size stays, and the episode gets one beside it`() throws {
        let (home, jimmy) = try home(length: 50_000)
        _ = try home.run(script: "mkdir -p audio/Cast && echo mine > 'audio/Cast/2025-06-02 Part 1.mp3'")
        #expect(try jimmy.run("download", "Part 1").output.hasPrefix("downloaded\t"))
        #expect(try home.text("audio/Cast/2025-06-02 Part 1.mp3") == "mine\n")
        #expect(try home.run(script: "ls -A audio/Cast").lines.count == 2)
    }

    @Test func `a folder that had files and is empty stops downloads`() throws {
        let (home, jimmy) = try home()
        #expect(try jimmy.run("download", "Part 1").status == 0)
        #expect(try jimmy.run("edit", "Cast", "--download", "on", "--keep", "1").status == 0)
        #expect(try jimmy.run("tag", "+new", "Part 2").status == 0)
        #expect(try jimmy.run("tag", "+played", "Part 1").status == 0)
        for script in ["mv audio disk", "mkdir -p audio/lost+found"] {
            _ = try home.run(script: script)
            home.server.forgetRequests()
            for command in [["download", "Part 2"], ["download"], ["refresh", "--download"]] {
                let run = try jimmy.run(command)
                #expect(run.status == 74, "\(command)")
                let line = "jimmy: \(home.folder)/audio: empty, though it had a downloaded file; is its disk mounted?"
                #expect(run.errorLines.contains { $0.hasPrefix(line) }, "\(run.errors)")
            }
            #expect(home.server.requests(to: "/2.mp3").isEmpty)
            #expect(try jimmy.run("downloads").lines.count == 1)
        }
        _ = try home.run(script: "rm -r audio; mv disk audio")
        #expect(try jimmy.run("download", "Part 2").status == 0)
        // Its owner may have deleted everything.
        _ = try home.run(script: "rm -r audio")
        #expect(try jimmy.run("download", "Part 1").status == 74)
        #expect(try jimmy.run("downloads", "remove", "--query", "is:downloaded").status == 0)
        #expect(try jimmy.run("download", "Part 1").output.hasPrefix("downloaded\t"))
    }

    @Test(.enabled(if: Self.canMount)) func `another disk in the folder's place stops downloads`() throws {
        let (home, jimmy) = try home()
        #expect(try jimmy.run("download", "Part 1").status == 0)
        let run = try home.run(
            script: """
                exec unshare -rm sh -c '
                    export JIMMY_DOWNLOADS=$PWD/audio
                    mount -t tmpfs none audio && mkdir audio/photos || exit 1
                    jimmy download "Part 2"; echo $?
                '
                """)
        #expect(run.lines == ["74"], "\(run.output)")
        #expect(run.errors.contains("/audio: on another disk than before, though it had a downloaded file"), "\(run.errors)")
    }

    private static let canMount = (try? Program(prelude: "exec unshare -rm mount -t tmpfs none /mnt").run().status) == 0

    @Test func `a command gets the downloaded files`() throws {
        let (home, jimmy) = try home()
        let hook = "cat > '\(home.folder)/got'"
        #expect(try jimmy.run("download", "Part 1", "--on-download", hook).status == 0)
        let got = try home.text("got")
        #expect(got.hasPrefix(#"{"path":"\#(home.folder)/audio/Cast/2025-06-02 Part 1.mp3","id":""#), "\(got)")
        #expect(got.contains(#""title":"Part 1""#))
        // Files that exist are not reported again.
        #expect(try jimmy.run("download", "Part 1", "--on-download", "exit 3").status == 0)
        var failing = jimmy
        failing.environment["JIMMY_ON_DOWNLOAD"] = "cat > /dev/null; exit 3"
        let run = try failing.run("download", "Part 2")
        #expect(run.status == 1)
        #expect(run.errors.contains("jimmy: on-download: exited with 3"))
    }

    private static let hasFFmpeg = Program.find("ffmpeg") != nil && Program.find("ffprobe") != nil

    @Test(.enabled(if: Self.hasFFmpeg)) func `title, podcast, date, cover and chapters are written into files`() throws {
        let chapters = """
            <psc:chapters><psc:chapter start="00:00:00" title="Fog; =#1"/><psc:chapter start="00:00:01" title="Two"/></psc:chapters>
            """
        let (home, jimmy) = try home(episodes: 3, extra: chapters)
        _ = try home.run(
            script: """
                ffmpeg -v error -f lavfi -i sine=d=2 1.mp3; ffmpeg -v error -f lavfi -i sine=d=2 2.m4a
                ffmpeg -v error -f lavfi -i color=red:s=32x32 -frames:v 1 cover.jpg
                """)
        func bytes(_ name: String) throws -> [UInt8] {
            guard let file = fopen("\(home.folder)/\(name)", "r") else { throw TestFailure(name) }
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            return Array(bytes[..<fread(&bytes, 1, bytes.count, file)])
        }
        home.server.on("/1.mp3", Reply(headers: [("Content-Type", "audio/mpeg")], body: try bytes("1.mp3")))
        home.server.on("/2.mp3", Reply(headers: [("Content-Type", "audio/mp4")], body: try bytes("2.m4a")))
        // It has the signature of audio, but ffmpeg cannot read it.
        let damaged = Array("fLaC".utf8) + [UInt8](repeating: 9, count: 500)
        home.server.on("/3.mp3", Reply(headers: [("Content-Type", "audio/flac")], body: damaged))
        home.server.on("/cover.jpg", Reply(headers: [("Content-Type", "image/jpeg")], body: try bytes("cover.jpg")))
        #expect(try jimmy.run("config", "set", "tags", "on").status == 0)
        for (number, ext) in [(1, "mp3"), (2, "m4a")] {
            #expect(try jimmy.run("download", "Part \(number)").status == 0)
            let probe = try home.run(
                script: """
                    ffprobe -v error -show_chapters -show_entries format_tags:chapter:stream_disposition=attached_pic \
                    -of flat 'audio/Cast/2025-06-02 Part \(number).\(ext)'
                    """)
            for line in [
                #"format.tags.title="Part \#(number)""#, #"format.tags.album="Cast""#, #"format.tags.date="2025-06-02""#,
                #"chapters.chapter.0.tags.title="Fog; =#1""#, #"chapters.chapter.1.start_time="1.000000""#, "attached_pic=1",
            ] {
                #expect(probe.output.contains(line), "\(ext) \(line): \(probe.output)\(probe.errors)")
            }
        }
        let run = try jimmy.run("download", "Part 3")
        #expect(run.status == 0 && run.errors.contains("no tags written: ffmpeg exited with "), "\(run.errors)")
        #expect(try bytes("audio/Cast/2025-06-02 Part 3.flac") == damaged)
        // A tagged file is the one that jimmy wrote.
        #expect(try home.run(script: "ls -A audio/Cast | grep -c jimmy").output == "0\n")
        #expect(home.server.requests(to: "/cover.jpg").count == 3)
        #expect(try jimmy.run("downloads", "remove", "Part 1").status == 0)
    }
}
