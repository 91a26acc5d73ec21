import LoopbackServer
import Testing

/// Searching what was said: several places of one episode, words that sound alike, and advertising.
@Suite struct SaidTests {
    private let home: Home
    private var jimmy: Program { home.jimmy }

    init() throws { home = try Home() }

    /// Subscribes to a podcast whose episodes have these transcripts, a line every ten seconds; the ids, in that order.
    private func subscribe(_ transcripts: [[String]]) throws -> [String] {
        let items = transcripts.enumerated().map { number, lines in
            let cues = lines.enumerated().map { index, line in
                let second = 10 * index
                return "00:\(second / 600)\(second / 60 % 10):\(second / 10 % 6)0.000 --> 00:59:59.000\n\(line)\n"
            }
            home.server.on("/\(number).vtt", .feed("WEBVTT\n\n" + cues.joined(separator: "\n"), type: "text/vtt"))
            return """
                <item><title>Talk \(number)</title><guid>\(number)</guid><pubDate>0\(number + 1) May 2024 08:00:00 GMT</pubDate>
                <enclosure url="\(home.server.url)/\(number).mp3" type="audio/mpeg" length="9"/>
                <p:transcript url="\(home.server.url)/\(number).vtt" type="text/vtt" language="en"/></item>
                """
        }
        let head = "<rss xmlns:p=\"https://podcastindex.org/namespace/1.0\"><channel><title>Talks</title><language>en</language>"
        home.server.on("/talks", .feed("\(head)\(items.joined())</channel></rss>"))
        guard try jimmy.run("subscribe", home.server.url + "/talks").status == 0,
            try jimmy.run("refresh", "--all", "--transcripts").status == 0
        else { throw TestFailure("subscribe") }
        return try jimmy.run("episodes").records.compactMap(\.first).reversed()
    }

    @Test func `places of one episode are one result`() throws {
        let ids = try subscribe([
            ["The reactor hummed.", "Nobody came.", "It was late.", "We shut the reactor", "down at noon.", "The end of it."]
        ])
        let json = try jimmy.run("search", "--json", "said:reactor").output
        #expect(json.contains(#""start":0,"moments":[{"start":0,"#), "\(json)")
        #expect(json.contains(#"{"start":30,"snippet":"We shut the ‹reactor›"#) && json.contains(#""momentCount":2"#), "\(json)")
        // Both words are in one place, although a line ends between them.
        let both = try jimmy.run("search", "--json", "said:(reactor down)").output
        #expect(both.contains(#""start":30"#) && !both.contains("momentCount"), "\(both)")
        let shown = try jimmy.onTerminal("search", "said:reactor").output
        #expect(shown.contains("also at 0:30"), "\(shown)")
        #expect(shown.contains("@0:00"))
        let player = home.folder + "/player"
        try Scripts.write("#!/bin/sh\necho \"$1\" >'\(home.folder)/started'\n", to: player)
        let run = try jimmy.run("play", "\(ids[0])@0:30", "--set", "player=\(player) {start} {file}")
        #expect(try home.text("started") == "27\n", "\(run.errors)")
        #expect(try jimmy.run("play", "\(ids[0])@0:30", "--at", "3").status == 64)
    }

    @Test(.enabled(if: Program.hasTerminals, "no terminals"))
    func `a terminal shows a hit with its minute and two lines of what follows, and where else it was said`() throws {
        var lines = (0..<80).map { "Line \($0) is about the village and its people." }
        for line in stride(from: 12, to: 80, by: 9) { lines[line] = "Then the reactor hummed again in part \(line)." }
        let id = try #require(try subscribe([lines, ["The reactor is a museum today.", "Nobody comes."]]).first)
        let shown = try jimmy.onTerminal("search", "said:reactor").output
        #expect(shown.matches(of: /Talk 0/).count == 1 && shown.matches(of: /jimmy play/).count == 2, "\(shown)")
        let plain = shown.replacing(/\u{1B}\[[0-9;?]*[A-Za-z=>]?|\r/, with: "").split(separator: "\n").map(String.init)
        let first = try #require(plain.firstIndex { $0.contains("00:02:00 Then the") }, "\(shown)")
        let end = try #require(plain[first...].firstIndex { $0.contains("also at") }, "\(shown)")
        let text = plain[first..<end].map { $0.drop { $0 == " " } }.joined(separator: " ")
        #expect(text.hasPrefix("00:02:00 Then the reactor hummed again in part 12. Line 13 is about"), "\(shown)")
        #expect(text.contains("Line 14 is about"), "\(shown)")
        #expect((2...3).contains(end - first), "\(shown)")
        let others = plain[end..<(end + 2)].joined()
        #expect(others.contains("also at 3:30, 5:00, 6:30, 8:00, 9:30 and 2 more"), "\(shown)")
        #expect(others.contains("@2:00") && others.contains(id.prefix(8)), "\(shown)")
    }

    @Test func `what sounds alike is found if nothing else is, and a note says so`() throws {
        _ = try subscribe([["The fisherman mended his net at night."], ["Nothing of interest."]])
        #expect(try !jimmy.run("search", "fisherman").errors.contains("sounds like"))
        let heard = try jimmy.run("search", "fischerman")
        #expect(heard.records.count == 1, "\(heard.errors)")
        #expect(heard.records.first?.last?.contains("‹fisherman›") == true, "\(heard.output)")
        #expect(heard.errors.contains("sounds like it"), "\(heard.errors)")
        #expect(try jimmy.run("search", "--json", "said:knight").output.contains(#""bySound":true"#))
        #expect(try jimmy.run("search", "said:\"mended his nett\"").records.count == 1)
        #expect(try jimmy.run("search", "title:fischerman").status == 1)
    }

    /// A passage as it is remembered: in another order, or with a word that nobody said.
    @Test func `most of the words are enough if they are said together, and a note says so`() throws {
        let ids = try subscribe([
            ["The reactor hummed, and the captain shut the door."],
            ["The captain hummed.", "Nobody came.", "It was late.", "The door of the reactor", "was shut at noon."],
        ])
        let note = "Nowhere are all of these words said together; some results have most of them.\n"
        let exact = try jimmy.run("search", "said:(noon shut door reactor)")
        #expect(exact.records.map(\.first) == [ids[1]] && exact.errors.isEmpty, "\(exact.errors)")
        for query in ["said:(noon shut window reactor door)", "said:\"the window of the reactor was shut at noon\""] {
            let most = try jimmy.run("search", query)
            #expect(most.records.first?.first == ids[1], "\(query): \(most.output)")
            #expect(most.errors == note, "\(most.errors)")
            #expect(most.records.first?.last?.contains("‹reactor›") == true, "\(most.output)")
            #expect(try jimmy.run("search", "--json", query).output.contains(#""mostWords":true"#))
        }
        #expect(try jimmy.run("search", "captain shut the zeppelin door").errors == note)
        #expect(try jimmy.run("search", "--explain", "said:(noon shut door reactor)").status == 0)
        #expect(try jimmy.run("search", "said:(window zeppelin)").status == 1)
    }

    @Test func `advertising is marked, named and ranked last`() throws {
        let ad = [
            "This episode is brought to you by Drowsy, the mattress made of",
            "mountain wool and the dreams of a hundred sheep, so",
            "order now and use the code RADIO for ten percent off.",
        ]
        let talk = [
            ["The keeper wound the clockwork every forty minutes,", "and the lamp turned over the bay."],
            ["A storm took the pier in the winter of that year,", "but the boats were safe."],
            ["We slept on a mattress of straw,", "and the mattress was wet."],
            ["The ferry came twice a week with letters,", "and with flour."],
        ]
        let ids = try subscribe(
            talk.enumerated().map { number, lines in
                [lines[0]] + ad + [lines[1]]
                    + (0..<8).map { line in (0..<6).map { "w\(number)x\(line)x\($0)" }.joined(separator: " ") }
            })
        let shown = try jimmy.run("show", "--transcript", ids[0])
        #expect(
            shown.records.map { $0.count == 4 && $0[3] == "ad" }.prefix(5) == [false, true, true, true, false], "\(shown.output)")
        #expect(try jimmy.run("show", "--transcript", "--json", ids[0]).lines[1].contains(#""ad":true"#))
        #expect(try jimmy.onTerminal("show", "--transcript", ids[0]).output.contains("(advertising, as in other episodes)"))
        let found = try jimmy.run("search", "mattress").records
        #expect(found.count == 4)
        #expect(found.first?.first == ids[2] && found.first?.last?.contains("of straw") == true, "\(found)")
        #expect(try jimmy.run("search", "said:\"hundred sheep\"").records.count == 4)
        #expect(try jimmy.run("verify").status == 0)
    }

    /// Passages that recur in the podcasts of a network are advertising, each in one episode of a podcast.
    @Test func `advertising is recognised across the podcasts of a network`() throws {
        let ad = "order now at drowsy dot com slash radio for ten percent off the mattress of mountain wool that a hundred"
        func feed(_ name: String, author: String, _ lines: [String]) throws {
            let cues = lines.enumerated().map { "00:0\($0 / 6):\($0 % 6)0.000 --> 00:59:59.000\n\($1)\n" }
            home.server.on("/\(name).vtt", .feed("WEBVTT\n\n" + cues.joined(separator: "\n"), type: "text/vtt"))
            home.server.on(
                "/\(name)",
                .feed(
                    """
                    <rss xmlns:p="https://podcastindex.org/namespace/1.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">
                    <channel><title>\(name)</title><language>en</language><itunes:author>\(author)</itunes:author>
                    <item><title>One of \(name)</title><guid>\(name)</guid><pubDate>01 May 2024 08:00:00 GMT</pubDate>
                    <p:transcript url="\(home.server.url)/\(name).vtt" type="text/vtt" language="en"/></item></channel></rss>
                    """))
            try #require(try jimmy.run("subscribe", "\(home.server.url)/\(name)").status == 0)
            try #require(try jimmy.run("refresh", "--all", "--transcripts").status == 0)
        }
        func talk(_ number: Int) -> [String] {
            (0..<12).map { line in (0..<10).map { "w\(number)x\(line)x\($0)" }.joined(separator: " ") }
        }
        func marked(_ name: String) throws -> [Bool] {
            let id = try #require(try jimmy.run("episodes", name).records.first?.first)
            return try jimmy.run("show", "--transcript", id).records.map { $0.last == "ad" || $0.contains("ad") }
        }
        for (number, name) in ["Anchor", "Beacon"].enumerated() {
            try feed(name, author: "Harbor Media", talk(number) + [ad, "sheep dream of while you sleep and wake"])
        }
        #expect(try !marked("Anchor").contains(true) && !marked("Beacon").contains(true))
        // The same words of another publisher are a quotation.
        try feed("Stranger", author: "Someone Else", talk(7) + [ad, "sheep dream of while you sleep and wake"])
        #expect(try !marked("Stranger").contains(true))
        // Damaged fingerprints are made anew.
        let cache = "\(home.folder)/.cache/jimmy"
        for library in try Scripts.names(in: cache) {
            for name in try Scripts.names(in: "\(cache)/\(library)/passages") {
                try Scripts.write("rubbish", to: "\(cache)/\(library)/passages/\(name)")
            }
        }
        try feed("Capstan", author: "harbor media", talk(2) + [ad, "sheep dream of while you sleep and wake"])
        for name in ["Anchor", "Beacon", "Capstan"] {
            #expect(try marked(name) == [Bool](repeating: false, count: 12) + [true, true], "\(name)")
        }
        #expect(try !marked("Stranger").contains(true))
        #expect(try jimmy.run("verify").status == 0)
    }
}
