import Glibc
import LoopbackServer
import ProgramSupport
import SeededNumbers
import Testing

/// `jimmy transcribe` with a recogniser that hears everything, and one that is broken.
@Suite(.enabled(if: Program.find("ffmpeg") != nil, "ffmpeg is not installed"))
struct TranscribeTests {
    private let home: Home
    private var jimmy: Program { home.jimmy }

    init() throws {
        home = try Home()
        try NumberedAudio.install(in: home)
    }

    /// The seconds with which the recogniser was given pieces, in order.
    private func begun() -> [String] { ((try? home.text("begun")) ?? "").split(separator: "\n").map(String.init) }

    private var work: String {
        get throws {
            let cache = home.folder + "/.cache/jimmy"
            let libraries = try Scripts.names(in: cache)
            guard let own = libraries.first else { throw TestFailure("no cache") }
            return "\(cache)/\(own)/transcribing"
        }
    }

    private func unfinished() -> [String] { ((try? Scripts.names(in: work)) ?? []).filter { $0 != "holder" } }

    @Test func `what was said is found, with its second and its source`() throws {
        let ids = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 70)])
        #expect(try jimmy.run("search", "w65").status == 1)
        let run = try jimmy.run("transcribe", ids[0])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.records.first?.prefix(2) == ["transcribed", ids[0]], "\(run.output)")
        #expect(run.errors.contains("1 transcribed ("), "\(run.errors)")
        // The words in the overlaps stand once.
        #expect(try home.transcript(ids[0]) == NumberedAudio.words(0..<70))
        let found = try jimmy.run("search", "w65")
        // Words with a time each are stored as sentences.
        #expect(found.records.first?.last?.hasPrefix("00:01:0") == true, "\(found.output)")
        #expect(found.records.first?.last?.contains("‹w65›") == true)
        #expect(try jimmy.run("search", "said:w65 source:home").records.count == 1)
        #expect(try jimmy.run("search", "said:numbers").status == 1)
        #expect(try jimmy.run("search", "w65 source:published").status == 1)
        let status = try jimmy.run("status").output
        #expect(status.contains("what is said in 1 episode (100 %); 1 of the transcripts was made here"), "\(status)")
        #expect(try jimmy.run("status", "--json").output.contains("\"transcripts\":1,\"homemadeTranscripts\":1"))
        let shown = try jimmy.run("show", ids[0]).output
        #expect(shown.contains("by recognizer,") && !shown.contains("may be off"), "\(shown)")
        let json = try jimmy.run("show", "--json", ids[0]).output
        #expect(json.contains("\"source\":\"recognizer\"") && json.contains("\"timesMayBeOff\":false"), "\(json)")
        // What was fetched is gone, and nothing is fetched or recognised twice.
        #expect(unfinished().isEmpty)
        let count = begun().count
        #expect(try jimmy.run("transcribe", ids[0]).records.first?.first == "present")
        #expect(begun().count == count)
        #expect(try jimmy.run("verify").status == 0)
        #expect(try jimmy.run("transcribe", ids[0], "--again").records.first?.first == "transcribed")
        #expect(begun().count == 2 * count)
    }

    @Test func `without a recogniser one line says what to set`() throws {
        let ids = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 2)])
        try home.settings([])
        let unset = try jimmy.run("transcribe", ids[0])
        #expect(unset.status == 66)
        #expect(unset.errorLines.count == 1)
        #expect(unset.errors.hasPrefix("jimmy: transcriber: no speech recogniser is set; 'jimmy config set transcriber "))
        try home.settings(["transcriber = whisper-that-is-nowhere {audio}"])
        let missing = try jimmy.run("transcribe", ids[0])
        #expect(missing.status == 66)
        #expect(missing.errorLines.count == 1)
        #expect(missing.errors.hasPrefix("jimmy: whisper-that-is-nowhere: no such program; install it, or set"))
        #expect(try jimmy.run("config", "set", "transcriber", "whisper-cli").status != 0)
    }

    @Test func `new episodes of podcasts that are turned on are transcribed, the queue first`() throws {
        let audio = (0..<3).map { NumberedAudio.wav(seconds: 5, from: 100 * $0) }
        let ids = try home.subscribe("Numbers", audio: audio)
        #expect(try jimmy.run("transcribe").errors.contains("Nothing to transcribe"))
        #expect(try jimmy.run("edit", "Numbers", "--transcribe", "on").errors.contains("transcribe: default → on"))
        #expect(try jimmy.run(["tag", "+new"] + ids).status == 0)
        #expect(try jimmy.run("queue", "add", ids[1]).status == 0)
        let run = try jimmy.run("transcribe")
        #expect(
            run.records.map { $0.prefix(2) } == [["transcribed", ids[1]], ["transcribed", ids[2]], ["transcribed", ids[0]]])
        #expect(try jimmy.run("transcribe").errors.contains("Nothing to transcribe"))
    }

    @Test func `the setting names whole libraries, and a podcast may be left out`() throws {
        _ = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 3)])
        _ = try home.subscribe("Others", audio: [NumberedAudio.wav(seconds: 3, from: 50)])
        #expect(try jimmy.run("edit", "Others", "--transcribe", "off").status == 0)
        #expect(try jimmy.run("transcribe", "--set", "transcribe=new").errors.contains("Nothing to transcribe"))
        #expect(try jimmy.run("transcribe", "--set", "transcribe=all").records.count == 1)
    }

    @Test func `a published transcript wins, and replaces one made at home`() throws {
        let ids = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 5)])
        #expect(try jimmy.run("transcribe", ids[0]).status == 0)
        home.server.on("/t.vtt", .feed("WEBVTT\n\n00:01.000 --> 00:04.000\nPublished words.\n", type: "text/vtt"))
        home.server.on(
            "/numbers",
            .feed(
                """
                <rss xmlns:p="https://podcastindex.org/namespace/1.0"><channel><title>Numbers</title><item><title>Numbers 1</title>
                <guid>Numbers-0</guid><enclosure url="\(home.server.url)/numbers/0.wav" type="audio/wav" length="9"/>
                <p:transcript url="\(home.server.url)/t.vtt" type="text/vtt"/></item></channel></rss>
                """))
        #expect(try jimmy.run("refresh", "--all").status == 0)
        #expect(try jimmy.run("show", ids[0]).output.contains("times may be off"))
        #expect(try jimmy.run("transcribe", ids[0], "--again").records.first?.first == "offered")
        #expect(try jimmy.run("refresh", "--all", "--transcripts").errors.contains("1 replaced"))
        #expect(try home.transcript(ids[0]) == "Published words.")
        #expect(try jimmy.run("show", "--json", ids[0]).output.contains("\"source\":\"published\""))
        #expect(try jimmy.run("transcribe", ids[0], "--again").records.first?.first == "present")
        #expect(try jimmy.run("search", "w3").status == 1)
        #expect(try jimmy.run("search", "source:published -source:home").records.count == 1)
    }

    @Test func `a refresh makes transcripts, once or all the time`() throws {
        _ = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 5)])
        #expect(try jimmy.run("edit", "Numbers", "--transcribe", "on").status == 0)
        home.server.on("/numbers", .feed(feed(2)))
        let run = try jimmy.run("refresh", "--all", "--transcribe")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.contains("1 transcribed"), "\(run.errors)")
        #expect(try jimmy.run("refresh", "--transcribe").errors.contains("transcribed") == false)
        let id = try #require(try jimmy.run("search", "w102").records.first?.first)
        // One that keeps running does it beside its refreshes.
        #expect(try jimmy.run("tag", "+new", "Numbers 1").status == 0)
        let worker = try jimmy.start(["refresh", "--keep-running", "--transcribe"])
        _ = try Scripts.wait { try jimmy.run("search", "w3").status == 0 ? true : nil }
        worker.signal(SIGTERM)
        #expect(try worker.end().status == 0)
        try home.settings([])
        #expect(try jimmy.run("refresh", "--transcribe").status == 66)
        #expect(try jimmy.run("play", "\(id)@nonsense").status == 66)
    }

    /// The feed with one episode more.
    private func feed(_ episodes: Int) -> String {
        let file = NumberedAudio.wav(seconds: 5, from: 100)
        home.server.on("/numbers/1.wav", Reply(200, headers: [("Content-Type", "audio/wav")], body: file))
        let items = (0..<episodes).map { index in
            """
            <item><title>Numbers \(index + 1)</title><guid>Numbers-\(index)</guid><pubDate>0\(index + 1) May 2024 08:00:00 GMT</pubDate>
            <enclosure url="\(home.server.url)/numbers/\(index).wav" type="audio/wav" length="\(file.count)"/></item>
            """
        }
        return "<rss version=\"2.0\"><channel><title>Numbers</title>\(items.joined())</channel></rss>"
    }

    @Test func `a downloaded file is used, and stays`() throws {
        let ids = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 5)])
        let file = try #require(try jimmy.run("download", ids[0]).records.first?.last)
        let requests = home.server.requests(to: "/numbers/0.wav").count
        #expect(try jimmy.run("transcribe", ids[0]).status == 0)
        #expect(home.server.requests(to: "/numbers/0.wav").count == requests)
        #expect(access(file, F_OK) == 0)
    }

    // MARK: A recogniser that fails

    @Test(arguments: ["fail", "rubbish", "repeat"]) func `a bad piece is marked, and the others stand`(mode: String) throws {
        let ids = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 100)])
        try home.write(mode, to: "mode")
        try home.write("50", to: "bad")
        let run = try jimmy.run("transcribe", ids[0])
        #expect(run.status == 0)
        #expect(run.records.first?.last?.contains("failed on 1 piece") == true, "\(run.output)")
        let words = try home.transcript(ids[0]).split(separator: " ")
        #expect(words.contains("w10") && words.contains("w90") && !words.contains("w50"))
        #expect(try jimmy.run("show", ids[0]).output.contains("1 piece failed"))
        // Not before its time, unless it is named; then only the bad piece is recognised.
        #expect(try jimmy.run("transcribe", "--query", "numbers").records.first?.first == "skipped")
        try home.write("", to: "mode")
        let count = begun().count
        #expect(try jimmy.run("transcribe", ids[0]).records.first?.first == "transcribed")
        #expect(begun().count == count + 1)
        #expect(try home.transcript(ids[0]) == NumberedAudio.words(0..<100))
        #expect(unfinished().isEmpty)
    }

    @Test func `a broken recogniser costs three pieces of three episodes, and says why`() throws {
        let audio = (0..<5).map { NumberedAudio.wav(seconds: 100, from: 100 * $0) }
        let ids = try home.subscribe("Numbers", audio: audio)
        try home.write("fail", to: "mode")
        let run = try jimmy.run(["transcribe"] + ids)
        #expect(run.status == 1)
        #expect(run.records.map(\.first) == ["failed", "failed", "failed"])
        #expect(run.errors.contains("the recogniser exited with 3: cannot load the model"), "\(run.errors)")
        #expect(run.errors.contains("check the setting transcriber"))
        #expect(begun().count == 9)
        #expect(try jimmy.run("show", "--transcript", ids[0]).status == 1)
    }

    @Test func `an interrupt ends the recogniser, and the next run goes on`() throws {
        let ids = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 100)])
        try interrupt(ids[0], atPiece: 3)
        #expect(try jimmy.run("transcribe", ids[0]).records.first?.first == "transcribed")
        #expect(begun().count == 6, "\(begun())")
        #expect(try home.transcript(ids[0]) == NumberedAudio.words(0..<100))
    }

    @Test func `a recogniser that hangs is ended at the end of the time`() throws {
        let ids = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 100)])
        try home.write("hang", to: "mode")
        try home.write("50", to: "bad")
        let run = try jimmy.run("transcribe", ids[0], "--for", "15s")
        #expect(run.status == 0)
        #expect(run.records.first?.first == "interrupted", "\(run.output)")
        try awaitNoProcess()
        #expect(unfinished() == ids)
    }

    /// The clock runs twenty times as fast.
    @Test(
        .foldersOnly("a database has a clock of its own"),
        .enabled(if: Program.find("faketime") != nil, "faketime is not installed"))
    func `a piece on which the recogniser hangs is marked in the end, and the others stand`() throws {
        let ids = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 100)])
        try home.write("hang", to: "mode")
        try home.write("50", to: "bad")
        var hurried = jimmy
        hurried.prelude = "exec faketime -f '+0 x20' \(Program.path) transcribe \(ids[0])"
        let run = try hurried.run()
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.records.first?.last?.contains("failed on 1 piece") == true, "\(run.output)")
        try awaitNoProcess()
        let words = try home.transcript(ids[0]).split(separator: " ")
        #expect(words.contains("w10") && words.contains("w90") && !words.contains("w50"))
    }

    /// Interrupts a run while it is at that piece of 20 seconds, on which the recogniser hangs, and mends the recogniser.
    private func interrupt(_ id: String, atPiece number: Int) throws {
        try home.write("hang", to: "mode")
        try home.write("\(20 * number - 10)", to: "bad")
        let process = try jimmy.start(["transcribe", id])
        _ = try Scripts.wait { begun().count == number ? true : nil }
        process.signal(SIGINT)
        #expect(try process.end().status == 130)
        try awaitNoProcess()
        try home.write("", to: "mode")
    }

    /// The recogniser of a run that was killed ends soon after it, and may note a piece meanwhile.
    private func awaitNoProcess() throws {
        _ = try Scripts.wait { try Scripts.processes(ofHome: home.folder).isEmpty ? true : nil }
    }

    // MARK: Kills, and files that change

    /// However often it is killed, no piece that was finished is recognised again, and the transcript is whole.
    @Test(.timeLimit(.minutes(5))) func `fifty kills lose no finished piece`() throws {
        var random = SplitMix(seed: 50)
        var (kills, episode) = (0, 0)
        try home.write("0.05", to: "pace")
        let audio = NumberedAudio.wav(seconds: 600)
        while kills < 50 {
            let id = try home.subscribe("Numbers\(episode)", audio: [audio])[0]
            episode += 1
            while true {
                let process = try jimmy.start(["transcribe", id])
                usleep(UInt32.random(in: 20_000...900_000, using: &random))
                let before = pieces(of: id)
                process.signal(SIGKILL)
                let run = try process.end()
                let kept = pieces(of: id)
                #expect(before.isSubset(of: kept) || run.status == 0)
                try awaitNoProcess()
                let count = begun().count
                if run.status == 0 { break }
                kills += 1
                if kept.count >= 20 || kills >= 50 {
                    #expect(try jimmy.run("transcribe", id).status == 0)
                    // Those that were kept were not recognised again.
                    #expect(begun().count - count == 30 - kept.count)
                    break
                }
            }
            #expect(try home.transcript(id) == NumberedAudio.words(0..<600))
            #expect(unfinished().isEmpty)
        }
        #expect(try jimmy.run("verify").status == 0)
    }

    /// The finished pieces of an episode.
    private func pieces(of id: String) -> Set<String> {
        Set(((try? Scripts.names(in: "\(try work)/\(id)")) ?? []).filter { $0.hasPrefix("piece-") && !$0.hasSuffix(".new") })
    }

    @Test func `pieces of another file are not used`() throws {
        let ids = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 100)])
        try interrupt(ids[0], atPiece: 3)
        #expect(pieces(of: ids[0]).count == 2)
        // The fetched file is the new one, as if the first had been deleted.
        for name in try Scripts.names(in: "\(try work)/\(ids[0])") where name.hasPrefix("audio") {
            unlink("\(try work)/\(ids[0])/\(name)")
        }
        home.server.on(
            "/numbers/0.wav",
            Reply(200, headers: [("Content-Type", "audio/wav")], body: NumberedAudio.wav(seconds: 100, from: 300)))
        #expect(try jimmy.run("transcribe", ids[0]).status == 0)
        #expect(try home.transcript(ids[0]) == NumberedAudio.words(300..<400))
    }

    @Test func `two runs at once do nothing twice`() throws {
        let ids = try home.subscribe(
            "Numbers", audio: [NumberedAudio.wav(seconds: 60), NumberedAudio.wav(seconds: 60, from: 100)])
        try home.write("0.2", to: "pace")
        let runs = try (0..<2).map { _ in try jimmy.start(["transcribe"] + ids) }
        let ended = try runs.map { try $0.end() }
        #expect(ended.allSatisfy { $0.status == 0 }, "\(ended.map { ($0.status, $0.errors) })")
        #expect(begun().count == 6 && Set(begun()).count == 6, "\(begun())")
        for (index, id) in ids.enumerated() {
            #expect(try home.transcript(id) == NumberedAudio.words((100 * index)..<(100 * index + 60)))
        }
    }

    @Test func `unfinished work of an unsubscribed podcast is removed`() throws {
        let ids = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 60)])
        try interrupt(ids[0], atPiece: 1)
        #expect(unfinished() == ids)
        #expect(try jimmy.run("unsubscribe", "Numbers").status == 0)
        #expect(unfinished().isEmpty)
    }

    @Test func `at a limit of the disk it ends in order, and goes on later`() throws {
        let ids = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 60)])
        var limited = jimmy
        // No file may be larger than a megabyte: the fetched audio is.
        limited.prelude = "ulimit -f 1024"
        let run = try limited.run("transcribe", ids[0])
        #expect(run.status == 74, "\(run.errors)")
        #expect(run.errorLines.filter { $0.hasPrefix("jimmy: ") }.count == 1, "\(run.errors)")
        #expect(try jimmy.run("transcribe", ids[0]).status == 0)
        #expect(try home.transcript(ids[0]) == NumberedAudio.words(0..<60))
    }

    @Test func `what is no audio fails in one line`() throws {
        let ids = try home.subscribe("Numbers", audio: [Array("ID3".utf8) + [UInt8](repeating: 7, count: 5_000)])
        let run = try jimmy.run("transcribe", ids[0])
        #expect(run.status == 1)
        #expect(run.records.first?.last?.hasPrefix("its file has no audio that ffmpeg can decode") == true, "\(run.output)")
        #expect(try jimmy.run("transcribe", "--query", "numbers").records.first?.first == "skipped")
    }
}

/// Debian's recogniser hears a voice of Debian's.
@Suite(
    .enabled(
        if: ["ffmpeg", "flite", "pocketsphinx_continuous", "python3"].allSatisfy { Program.find($0) != nil }
            && access("/usr/share/pocketsphinx/model/en-us/en-us.lm.bin", F_OK) == 0,
        "flite or pocketsphinx is not installed"))
struct RecognizedSpeechTests {
    @Test(.timeLimit(.minutes(5))) func `speech is found by its words`() throws {
        let home = try Home()
        let text = """
            The keeper of the lighthouse went up the stairs in the evening, and nobody saw him again. The next morning a boat \
            came into the harbor. The captain asked for the keeper, but the door was open and the lamp was cold.
            """
        try home.write(text, to: "text")
        let spoken = try home.run(script: "flite -voice slt -f text -o speech.wav")
        #expect(spoken.status == 0, "\(spoken.errors)")
        let audio = try bytes(of: home.folder + "/speech.wav")
        let ids = try home.subscribe("Harbor", audio: [audio])
        try home.settings([
            "transcriber = \(Scripts.root)/scripts/pocketsphinx-vtt {audio}", "transcriber-piece = 10s", "transcriber-nice = 0",
        ])
        let run = try home.jimmy.run("transcribe", ids[0])
        #expect(run.records.first?.first == "transcribed", "\(run.errors)")
        let heard = try home.transcript(ids[0])
        let rate = WordErrors.rate(heard, of: text)
        #expect(rate < 0.4, "\(rate): \(heard)")
        let found = try home.jimmy.run("search", "\"nobody saw him again\"")
        #expect(found.records.first?.first == ids[0], "\(heard)")
    }

    private func bytes(of path: String) throws -> [UInt8] {
        guard let file = fopen(path, "r") else { throw TestFailure("\(path): \(errno)") }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4 << 20)
        return Array(bytes[..<fread(&bytes, 1, bytes.count, file)])
    }
}

/// The share of words that were heard wrongly.
enum WordErrors {
    /// Words that are missing, added or replaced, as a share of those that were said.
    static func rate(_ heard: String, of said: String) -> Double {
        let (a, b) = (words(said), words(heard))
        var row = Array(0...b.count)
        for (i, word) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in b.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, diagonal + (word == other ? 0 : 1))
                diagonal = above
            }
        }
        return Double(row[b.count]) / Double(max(a.count, 1))
    }

    private static func words(_ text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }
}
