import Glibc
import LoopbackServer
import ProgramSupport
import Testing

/// The setting `transcriber`: what recognisers may write, where, and what they are given.
@Suite(.enabled(if: Program.find("ffmpeg") != nil, "ffmpeg is not installed"))
struct TranscriberTests {
    private let home: Home
    private var jimmy: Program { home.jimmy }

    init() throws { home = try Home() }

    /// A recogniser of one line of shell, with `audio`, `language` and `output` as its first arguments.
    private func recognizer(_ line: String, settings: [String] = []) throws {
        try Scripts.write("#!/bin/sh\naudio=$1 language=$2 output=$3\n\(line)\n", to: home.folder + "/recognizer")
        try home.settings(
            ["transcriber = \(home.folder)/recognizer {audio} {language} {output}", "transcriber-nice = 0"] + settings)
    }

    static let written = [
        "WebVTT": "WEBVTT\n\n00:00:01.500 --> 00:00:03.000\nthe lamp is lit\n",
        "SubRip": "1\n00:00:01,500 --> 00:00:03,000\nthe lamp is lit\n",
        "JSON of Whisper":
            #"{"text": " the lamp is lit", "segments": [{"id": 0, "start": 1.5, "end": 3.0, "text": " the lamp is lit"}], "language": "en"}"#,
        "JSON of whisper.cpp":
            #"{"transcription": [{"timestamps": {"from": "00:00:01,500", "to": "00:00:03,000"}, "offsets": {"from": 1500, "to": 3000}, "text": " the lamp is lit"}]}"#,
    ]

    @Test(arguments: written.keys.sorted(), ["", ".vtt", ".srt", ".json", ".wav.vtt", "-"])
    func `each form is read, wherever it is written`(form: String, place: String) throws {
        let id = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 4)])[0]
        try home.write(Self.written[form] ?? "", to: "form")
        try recognizer(place == "-" ? "cat '\(home.folder)/form'" : "cp '\(home.folder)/form' \"$output\(place)\"")
        let run = try jimmy.run("transcribe", id)
        #expect(run.records.first?.first == "transcribed", "\(run.output) \(run.errors)")
        #expect(
            try jimmy.run("show", "--transcript", id).records.map { [$0.first, $0.last] } == [["00:00:01", "the lamp is lit"]])
        #expect(try jimmy.run("search", "said:lamp").records.first?.last?.hasPrefix("00:00:01") == true)
    }

    @Test func `a recogniser is given the podcast's language and the priority that is set`() throws {
        let id = try home.subscribe("Zahlen", audio: [NumberedAudio.wav(seconds: 4)], language: "de-AT")[0]
        let write = "echo \"$language $(nice)\" >'\(home.folder)/given'; printf 'WEBVTT\\n\\n00:01.000 --> 00:02.000\\neins\\n'"
        try recognizer(write, settings: ["transcriber-nice = 7"])
        #expect(try jimmy.run("transcribe", id).records.first?.first == "transcribed")
        #expect(try home.text("given") == "de 7\n")
    }

    @Test func `the queue, a query and times of day say what is transcribed`() throws {
        let ids = try home.subscribe("Numbers", audio: (0..<3).map { NumberedAudio.wav(seconds: 3, from: 10 * $0) })
        try recognizer("printf 'WEBVTT\\n\\n00:01.000 --> 00:02.000\\none\\n'")
        #expect(try jimmy.run("queue", "add", ids[1], ids[0]).status == 0)
        #expect(try jimmy.run("transcribe", "--queue").records.map { $0[1] } == [ids[1], ids[0]])
        // A minute that is nearly a day away.
        #expect(
            try jimmy.run("transcribe", "--query", "title:\"Numbers 3\"", "--until", "23:59").records.map { $0[1] } == [ids[2]])
        #expect(try jimmy.run("transcribe", "--query", "zebra").status == 1)
        #expect(try jimmy.run("transcribe", ids[0], "--queue").status == 64)
        #expect(try jimmy.run("transcribe", "--until", "25:00").status == 64)
    }

    @Test(arguments: [5, 6]) func `a line may stand five times running, and is dropped above that`(times: Int) throws {
        let id = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 20)])[0]
        let cues = (0..<times).map { "00:0\($0).000 --> 00:0\($0).900\\nThank you.\\n\\n" }.joined()
        try recognizer("printf 'WEBVTT\\n\\n\(cues)00:15.000 --> 00:16.000\\nGood night.\\n'")
        let run = try jimmy.run("transcribe", id)
        let lines = try jimmy.run("show", "--transcript", id).records.compactMap(\.last)
        #expect(lines == (times == 5 ? [String](repeating: "Thank you.", count: 5) : []) + ["Good night."], "\(run.output)")
        #expect(try jimmy.run("show", id).output.contains("1 piece failed") == (times == 6))
    }

    @Test(.foldersOnly("a database has a clock of its own")) func `an episode that fails is left alone, longer each time`() throws
    {
        _ = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 4)])
        try recognizer("echo no model >&2; exit 3")
        try #require(Program.find("faketime") != nil)
        func run(_ day: Int) throws -> String? {
            let time = "2026-0\(1 + day / 28)-\(day % 28 < 9 ? "0" : "")\(1 + day % 28) 12:00:00"
            var program = jimmy
            program.prelude =
                "export FAKETIME_DONT_FAKE_MONOTONIC=1; exec faketime -f '\(time)' \(Program.path) transcribe --set transcribe=all"
            let run = try program.run()
            return run.records.first?.first ?? (run.errors.contains("Nothing to transcribe") ? "nothing" : run.errors)
        }
        // After a day, after two more, and after four more.
        let outcomes = try [0, 1, 2, 3, 4, 6, 7].map(run)
        #expect(outcomes == ["failed", "failed", "nothing", "failed", "nothing", "nothing", "failed"])
    }

    @Test func `progress is shown on a terminal`() throws {
        let id = try home.subscribe("Numbers", audio: [NumberedAudio.wav(seconds: 60)])[0]
        try NumberedAudio.install(in: home)
        try home.write("0.2", to: "pace")
        let shown = try jimmy.onTerminal("transcribe", id).output
        #expect(shown.contains("of 1:00"), "\(shown)")
        #expect(shown.contains("times as fast as spoken"), "\(shown)")
        #expect(shown.contains("left"), "\(shown)")
    }
}
