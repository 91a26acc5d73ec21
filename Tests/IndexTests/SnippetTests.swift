import Domain
import Index
import Searching
import Testing

/// The piece of text that shows why an episode was found, the matches in brackets.
@Suite struct SnippetTests {
    private func show(
        _ query: String, field: String = "description", forms: [String: Set<String>] = [:],
        _ change: @escaping (inout Item) -> Void
    ) throws -> String {
        let fixture = try IndexFixture()
        let episode = episode("a", "A title", change)
        let hit = SearchHit(episodeID: episode.id, score: 1, field: field, forms: forms)
        let snippet = fixture.index.snippets(for: SearchRequest(text: query)).snippet(of: hit, in: episode, of: podcast())
        var bytes = Array(snippet.text.utf8)
        for match in snippet.matches.reversed() {
            bytes.insert(UInt8(ascii: "]"), at: match.upperBound)
            bytes.insert(UInt8(ascii: "["), at: match.lowerBound)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `matches are marked`() throws {
        #expect(try show("cake") { $0.description = "Tea and cake." } == "Tea and [cake].")
        #expect(try show("cafe run") { $0.description = "<p>The Café\n\n is  <b>running</b></p>" } == "The [Café] is [running]")
        #expect(try show("\"green tea\"") { $0.description = "tea, green tea" } == "tea, [green tea]")
        #expect(try show("bak*") { $0.description = "a bakery" } == "a [bakery]")
        #expect(try show("タワー") { $0.description = "東京タワーへ" } == "東京[タワー]へ")
        #expect(try show("京") { $0.description = "東京へ" } == "東[京]へ")
        #expect(try show("コンピューター") { $0.description = "コンピュータ、コンピューター" } == "[コンピュータ]、[コンピューター]")
        #expect(try show("機器 か") { $0.description = "机器とがか\u{3099}か" } == "[机器]とがか\u{3099}[か]")
        #expect(try show("run child") { $0.description = "They ran with children" } == "They [ran] with [children]")
        #expect(try show("story hope lie") { $0.description = "Stories, hoping, lying" } == "[Stories], [hoping], [lying]")
        #expect(try show("wi-fi") { $0.description = "wi-fi or wifi" } == "[wi-fi] or [wifi]")
        #expect(try show("email dont") { $0.description = "don't e-mail Dan" } == "[don't] [e-mail] Dan")
        #expect(try show("C#") { $0.description = "C, C++, C#" } == "C, C++, [C#]")
        #expect(try show("1000") { $0.description = "1,000 or 1.000" } == "[1,000] or [1.000]")
        #expect(
            try show("livestream mueller") { $0.description = "A live-stream with Müller" } == "A [live-stream] with [Müller]")
        #expect(try show("live stream") { $0.description = "A livestream, alive" } == "A [livestream], alive")
        #expect(try show("книга", forms: ["книга": ["книгах", "книги"]]) { $0.description = "О книгах" } == "О [книгах]")
        #expect(try show("한국뉴스 세상을") { $0.description = "한국 뉴스, 세상과" } == "[한국 뉴스], [세상]과")
        #expect(try show("tea -cake") { $0.description = "tea, cake" } == "[tea], cake")
    }

    @Test func `it comes from the field that matched`() throws {
        let item: (inout Item) -> Void = {
            $0.description = "cake one"
            $0.content = "cake two"
            $0.tags = ["cake three"]
        }
        #expect(try show("cake", field: "content", item) == "[cake] two")
        #expect(try show("cake", field: "keyword", item) == "[cake] three")
        #expect(try show("title", field: "description", item) == "A [title]")
        #expect(try show("podcast:podcast", field: "podcast", item) == "A [Podcast]")
        #expect(try show("absent", item) == "cake one")
    }

    @Test func `long text is cut around the match between words`() throws {
        let filler = String(repeating: "много слов ", count: 100)
        let shown = try show("cake") { $0.description = filler + "lemon cake here " + filler }
        #expect(shown.hasPrefix("…слов ") || shown.hasPrefix("…много "))
        #expect(shown.contains("lemon [cake] here"))
        #expect(shown.hasSuffix("слов…") || shown.hasSuffix("много…"))
        #expect(shown.utf8.count < 260)
    }

    @Test func `the stretch with most of the words is shown`() throws {
        let filler = String(repeating: "word ", count: 100)
        #expect(
            try show("lemon cake") { $0.description = "lemon " + filler + "a lemon, a cake " + filler }.contains(
                "a [lemon], a [cake]"))
    }

    @Test func `text without blanks is cut between characters`() throws {
        let shown = try show("東京") {
            $0.description = String(repeating: "あ", count: 300) + "東京" + String(repeating: "い", count: 300)
        }
        #expect(shown.contains("[東京]"))
        #expect(!shown.contains("\u{FFFD}"))
    }

    @Test func `a transcript tells when its match is said`() throws {
        let fixture = try IndexFixture()
        let filler = (0..<100).map { TranscriptSegment(start: Double($0), text: "Nothing of interest is said here.") }
        let transcript =
            filler + [
                TranscriptSegment(start: 100, text: "Some lemon."), TranscriptSegment(start: 103.5, text: "A lemon"),
                TranscriptSegment(start: 105, text: "tree, sir."), TranscriptSegment(start: nil, text: "Without a time."),
            ]
        func find(_ query: String) -> Snippet {
            let hit = SearchHit(episodeID: episode("a", "A").id, score: 1, field: "transcript")
            return fixture.index.snippets(for: SearchRequest(text: query)).snippet(of: hit, in: transcript)
        }
        #expect(find("lemon").start == 100)
        #expect(find("\"lemon tree\"").start == 103.5)
        #expect(find("transcript:sir").start == 105)
        #expect(find("time").start == 105)
        #expect(find("lemon").text == "Some lemon. A lemon tree, sir. Without a time.")
        #expect(find("sir").text == "tree, sir. Without a time.")
        #expect(find("lemon").field == "transcript")
        #expect(find("title:lemon").matches.isEmpty)
        #expect(find("apple").matches.isEmpty)
    }
}
