import Glibc
import LoopbackServer
import Testing

/// Transcripts as users meet them: refresh, search, show.
@Suite struct TranscriptTests {
    private let home: Home

    init() throws { home = try Home() }

    /// Subscribes to a podcast of that many episodes, each with a WebVTT transcript at `/t/NUMBER.vtt`.
    private func subscribe(_ count: Int, serving: Bool = true) throws {
        let items = (1...count).map { number in
            """
            <item><title>Talk \(number)</title><guid>\(number)</guid><pubDate>\(number < 10 ? "0" : "")\(number) May 2024 08:00:00 GMT</pubDate>
            <p:transcript url="\(home.server.url)/t/\(number).vtt" type="text/vtt" language="en"/></item>
            """
        }
        home.server.on(
            "/talks",
            .feed(
                "<rss xmlns:p=\"https://podcastindex.org/namespace/1.0\"><channel><title>Talks</title>\(items.joined())</channel></rss>"
            ))
        if serving { for number in 1...count { home.server.on("/t/\(number).vtt", Self.transcript(number)) } }
        guard try home.jimmy.run("subscribe", home.server.url + "/talks").status == 0 else { throw TestFailure("subscribe") }
    }

    private static func transcript(_ number: Int) -> Reply {
        .feed(
            "WEBVTT\n\n00:01.000 --> 00:04.000\n<v Ada>Hello.\n\n00:12:34.000 --> 00:12:40.000\n<v Bob>The reactor number\(number) hummed.\n",
            type: "text/vtt")
    }

    @Test func `refresh search show`() throws {
        try subscribe(2)
        #expect(try home.jimmy.run("refresh", "--all").errors.contains("ranscript") == false)
        let refresh = try home.jimmy.run("refresh", "--transcripts")
        #expect(refresh.status == 0)
        #expect(refresh.errors.contains("2 transcripts fetched."), "\(refresh.errors)")

        let search = try home.jimmy.run("search", "number2")
        #expect(search.records.first?.last == "00:12:34 The reactor ‹number2› hummed.", "\(search.output)")
        let id = try #require(search.records.first?.first)
        let json = try home.jimmy.run("search", "--json", "transcript:number2").output
        #expect(json.contains("\"field\":\"transcript\"") && json.contains("\"start\":754"), "\(json)")
        #expect(try home.jimmy.run("search", "has:transcript").lines.count == 2)

        let shown = try home.jimmy.run("show", id)
        #expect(shown.output.contains("\(home.library)/transcripts/") || Home.usesDatabase)
        #expect(
            try home.jimmy.run("show", "--transcript", id).lines == [
                "00:00:01\tAda\tHello.", "00:12:34\tBob\tThe reactor number2 hummed.",
            ])
        #expect(
            try home.jimmy.run("show", "--transcript", "--json", id).lines.first
                == #"{"start":1,"speaker":"Ada","text":"Hello."}"#)
        #expect(
            try home.jimmy.run("show", "--json", id).output.contains(
                "\"keptTranscript\":{\(Home.usesDatabase ? "" : "\"file\":")"))
    }

    @Test func `the setting does what the option does`() throws {
        try subscribe(1)
        #expect(try home.jimmy.run("edit", "Talks", "--transcripts", "on").status == 0)
        #expect(try home.jimmy.run("refresh").errors.contains("1 transcript fetched."))
        #expect(try home.jimmy.run("edit", "Talks", "--transcripts", "off").status == 0)
        #expect(try !home.jimmy.run("refresh", "--transcripts").errors.contains("ranscript"))
    }

    @Test func `failures change no exit code and no counts`() throws {
        try subscribe(2, serving: false)
        let run = try home.jimmy.run("refresh", "--transcripts", "--all", "--json", "--strict")
        #expect(run.status == 0)
        #expect(run.lines.last?.contains("\"failed\":0,") == true, "\(run.output)")
        #expect(
            run.lines.last?.contains("\"transcripts\":{\"added\":0,\"replaced\":0,\"unchanged\":0,\"failed\":2,\"waiting\":0}")
                == true, "\(run.output)")
        let id = try #require(try home.jimmy.run("episodes").records.first?.first)
        #expect(try home.jimmy.run("show", "--transcript", id).status == 1)
    }

    /// Transcripts fetched before the signal are stored (a killed run may have stored fewer), and the next run fetches the
    /// remaining ones.
    @Test(arguments: [SIGINT, SIGKILL]) func `an interrupted run is gone on with`(signal: Int32) throws {
        try subscribe(6)
        let waiting = Gate()
        home.server.on("/t/1.vtt") { _ in
            waiting.open()
            return .hanging
        }
        let process = try home.jimmy.start(["refresh", "--transcripts"])
        waiting.wait()
        process.signal(signal)
        let run = try process.end()
        #expect(run.status == (signal == SIGINT ? 130 : -SIGKILL))
        let matchCount = try home.jimmy.run("search", "reactor", "--limit", "10").lines.count
        #expect(signal == SIGKILL || matchCount >= 4)
        #expect(try home.jimmy.run("verify").status == 0)
        home.server.on("/t/1.vtt", Self.transcript(1))
        #expect(try home.jimmy.run("refresh", "--transcripts").status == 0)
        #expect(try home.jimmy.run("search", "reactor", "--limit", "10").lines.count == 6)
        #expect(try home.jimmy.run("refresh", "--transcripts").errors.contains("ranscript") == false)
    }

    @Test(.foldersOnly("it looks into the library's files")) func `a damaged transcript is found and fetched again`() throws {
        try subscribe(2)
        _ = try home.jimmy.run("refresh", "--transcripts")
        let id = try #require(try home.jimmy.run("search", "number1").records.first?.first)
        let file = "\(home.library)/transcripts/\(id.prefix { $0 != "-" })/\(id).jsonl"
        #expect(truncate(file, 300) == 0)
        let verify = try home.jimmy.run("verify")
        #expect(verify.status == 65)
        #expect(verify.output.contains(id))
        #expect(try home.jimmy.run("verify", "--repair").status == 1)
        #expect(try home.jimmy.run("verify").status == 0)
        #expect(try home.jimmy.run("search", "number1").status == 1)
        #expect(try home.jimmy.run("search", "number2").status == 0)
        _ = try home.jimmy.run("refresh", "--transcripts")
        #expect(try home.jimmy.run("search", "number1").status == 0)
    }

    @Test func `a lost index is made anew with transcripts`() throws {
        try subscribe(2)
        _ = try home.jimmy.run("refresh", "--transcripts")
        var elsewhere = home.jimmy
        elsewhere.environment["XDG_CACHE_HOME"] = home.folder + "/another-cache"
        #expect(try elsewhere.run("search", "number1").records.first?.last?.hasPrefix("00:12:34 ") == true)
    }
}

/// Something a test waits for.
private final class Gate: @unchecked Sendable {  // a semaphore is made for several threads
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    init() { sem_init(semaphore, 0, 0) }
    deinit { semaphore.deallocate() }
    func open() { sem_post(semaphore) }
    func wait() { sem_wait(semaphore) }
}
