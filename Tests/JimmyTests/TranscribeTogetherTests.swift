import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// Runs of `jimmy transcribe` on one library at the same time, of one machine or of two.
@Suite(.enabled(if: Program.find("ffmpeg") != nil, "ffmpeg is not installed"))
struct TranscribeTogetherTests {
    private let home: Home

    init() throws {
        home = try Home()
        try NumberedAudio.install(in: home)
    }

    /// The program on another machine: with a cache of its own.
    private func machine(_ number: Int, lease: Int? = nil) -> Program {
        var jimmy = home.jimmy
        jimmy.environment["XDG_CACHE_HOME"] = "\(home.folder)/cache\(number)"
        if let lease { jimmy.environment["JIMMY_LEASE"] = String(lease) }
        return jimmy
    }

    private func begun() -> [String] { ((try? home.text("begun")) ?? "").split(separator: "\n").map(String.init) }

    @Test(.timeLimit(.minutes(10)), arguments: [1, 2]) func `four runs that begin at once do nothing twice`(machines: Int) throws
    {
        let rounds = 50
        let ids = try home.subscribe("Numbers", audio: (0..<rounds).map { NumberedAudio.wav(seconds: 2, from: 10 * $0) })
        for (round, id) in ids.enumerated() {
            let runs = try (0..<4).map { try machine($0 % machines).start(["transcribe", id]) }
            let ended = try runs.map { try $0.end() }
            #expect(ended.allSatisfy { $0.status == 0 && !$0.errors.contains("jimmy: ") }, "\(ended)")
            let outcomes = ended.compactMap { $0.records.first?.first }
            #expect(outcomes.count { $0 == "transcribed" } == 1, "\(ended)")
            #expect(outcomes.allSatisfy { ["transcribed", "present", "skipped"].contains($0) }, "\(outcomes)")
            #expect(begun().count == round + 1)
            #expect(try home.transcript(id) == NumberedAudio.words((10 * round)..<(10 * round + 2)))
        }
        #expect(try home.jimmy.run("verify").status == 0)
        for number in 0..<machines {
            let cache = "\(home.folder)/cache\(number)/jimmy"
            for library in try Scripts.names(in: cache) {
                let unfinished = try Scripts.names(in: "\(cache)/\(library)/transcribing")
                #expect(unfinished.allSatisfy { $0 == "holder" }, "\(unfinished)")
            }
        }
    }

    @Test func `two machines share the episodes`() throws {
        let ids = try home.subscribe("Numbers", audio: (0..<6).map { NumberedAudio.wav(seconds: 30, from: 100 * $0) })
        try home.write("0.3", to: "pace")
        let runs = try (0..<2).map { try machine($0).start(["transcribe"] + ids) }
        let ended = try runs.map { try $0.end() }
        #expect(ended.allSatisfy { $0.status == 0 }, "\(ended)")
        #expect(Set(begun()).count == begun().count, "\(begun())")
        for (index, id) in ids.enumerated() {
            #expect(try home.transcript(id) == NumberedAudio.words((100 * index)..<(100 * index + 30)))
        }
    }

    @Test func `what a machine works on is left alone until the machine is gone`() throws {
        let id = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 60)])[0]
        try home.write("hang", to: "mode")
        try home.write("30", to: "bad")
        let first = try machine(1, lease: 2).start(["transcribe", id])
        _ = try Scripts.wait { begun().count == 2 ? true : nil }
        // Longer than the claim lasts without a renewal.
        for _ in 0..<6 {
            #expect(try machine(2, lease: 2).run("transcribe", id).records.first?.first == "skipped")
            usleep(500_000)
        }
        first.signal(SIGKILL)
        _ = try first.end()
        try home.write("", to: "mode")
        _ = try Scripts.wait { try machine(2, lease: 2).run("transcribe", id).records.first?.first == "transcribed" ? true : nil }
        #expect(try home.transcript(id) == NumberedAudio.words(0..<60))
        // What the first machine had begun is not needed.
        #expect(try machine(1).run("transcribe", id).records.first?.first == "present")
    }

    // MARK: Expired URLs

    private func feed(_ file: String) -> Reply {
        .feed(
            """
            <rss version="2.0"><channel><title>Numbers</title><language>en</language><item><title>Numbers 1</title>
            <guid>Numbers-0</guid><pubDate>1 May 2024 0:00:00 GMT</pubDate>
            <enclosure url="\(home.server.url)/\(file).wav?token=\(file)" type="audio/wav" length="9"/></item></channel></rss>
            """)
    }

    @Test(arguments: [403, 404, 410]) func `an expired media URL is read anew from the feed, once`(status: Int) throws {
        let id = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 5)])[0]
        home.server.on("/numbers/0.wav", Reply(status))
        // The feed names the same URL: nothing else is asked.
        let refused = try home.jimmy.run("transcribe", id)
        #expect(refused.status != 0)
        #expect(refused.errors.contains("its feed, read again, names no other address"), "\(refused.errors)")
        #expect(home.server.requests(to: "/numbers/0.wav").count == 1)
        home.server.on("/numbers", feed("fresh"))
        home.server.on(
            "/fresh.wav",
            Reply(200, headers: [("Content-Type", "audio/wav")], body: NumberedAudio.wav(seconds: 5)))
        let renewed = try home.jimmy.run("transcribe", id)
        #expect(renewed.records.first?.first == "transcribed", "\(renewed.output) \(renewed.errors)")
        #expect(try home.transcript(id) == NumberedAudio.words(0..<5))
        #expect(home.server.requests(to: "/numbers/0.wav").count == 2)
    }

    // MARK: Trying again

    /// What failed on one machine waits on the others too.
    @Test(arguments: ["", "50"]) func `a failure is tried again at the same time on all machines`(bad: String) throws {
        let id = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 100)])[0]
        try home.write("fail", to: "mode")
        try home.write(bad, to: "bad")
        func outcome(_ number: Int, _ arguments: String...) throws -> String {
            let run = try machine(number).run(["transcribe", "--set", "transcribe=all"] + arguments)
            return run.records.first?.first ?? (run.errors.contains("Nothing to transcribe") ? "nothing" : run.errors)
        }
        #expect(try outcome(1) == (bad.isEmpty ? "failed" : "transcribed"))
        let begun = begun().count
        #expect(try outcome(2) == "nothing")
        #expect(try outcome(1) == "nothing")
        #expect(self.begun().count == begun)
        // Named, it does not wait.
        try home.write("", to: "mode")
        #expect(try outcome(2, id) == "transcribed")
        #expect(try home.transcript(id) == NumberedAudio.words(0..<100))
        #expect(try outcome(1) == "nothing")
    }
}
