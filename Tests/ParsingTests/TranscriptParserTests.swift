import Domain
import Parsing
import Testing

/// Transcripts in each form that `podcast:transcript` may name.
@Suite struct TranscriptParserTests {
    private func read(_ text: String, type: String? = nil) -> [TranscriptSegment] {
        TranscriptParser.segments(of: Array(text.utf8), TranscriptHints(type: type))
    }

    @Test func `SubRip`() {
        let text =
            "\u{FEFF}1\r\n00:00:01,500 --> 00:00:03,000\r\nHello <i>there</i>,\r\nworld.\r\n\r\n2\r\n01:00:00,000 --> 01:00:02,000\r\n{\\an8}Bye 2 < 3.\r\n"
        #expect(
            read(text, type: "text/html") == [
                TranscriptSegment(start: 1.5, text: "Hello there, world."), TranscriptSegment(start: 3_600, text: "Bye 2 < 3."),
            ])
    }

    @Test func `WebVTT`() {
        let text = """
            WEBVTT - with a title

            NOTE not spoken

            intro
            00:01.000 --> 00:02.000 align:start
            <v Ada Smith>Good <00:01.500>evening

            STYLE
            ::cue { color: red }

            00:00:03.000 --> 00:00:04.000
            and welcome
            """
        #expect(
            read(text) == [
                TranscriptSegment(start: 1, text: "Good evening", speaker: "Ada Smith"),
                TranscriptSegment(start: 3, text: "and welcome"),
            ])
    }

    @Test func `JSON`() {
        let text =
            #"{"version": "1.0", "segments": [{"speaker": "Ada", "startTime": 0.5, "endTime": 1, "body": "Hi."}, {"startTime": "x", "body": "Yes"}, {"body": ""}]}"#
        #expect(
            read(text) == [
                TranscriptSegment(start: 0.5, text: "Hi.", speaker: "Ada"), TranscriptSegment(start: nil, text: "Yes"),
            ])
    }

    @Test func `damaged JSON keeps what was read`() {
        #expect(read(#"{"segments": [{"startTime": 1, "body": "Hi."}, {"bo"#).map(\.text) == ["Hi."])
    }

    @Test func `HTML`() {
        let text =
            "<cite>Ada:</cite><time>0:00</time><p>Fish &amp; <b>chi</b>ps.</p><cite>Bob:</cite>\n<time>1:02:03</time><p>Tea?</p><p>Or not.</p>"
        #expect(
            read(text) == [
                TranscriptSegment(start: 0, text: "Fish & chips.", speaker: "Ada"),
                TranscriptSegment(start: 3_723, text: "Tea?", speaker: "Bob"),
                TranscriptSegment(start: 3_723, text: "Or not.", speaker: "Bob"),
            ])
    }

    @Test func `plain text`() {
        #expect(read("One\ntwo.\n\n\nThree.\n", type: "text/plain").map(\.text) == ["One two.", "Three."])
    }

    @Test(arguments: [
        "", "   \n", "{}", "<html><title>Not spoken</title></html>", "WEBVTT", "00:00:01,000 --> 00:00:02,000",
        "{\"segments\": 3}",
    ])
    func `nothing spoken`(text: String) {
        #expect(read(text).isEmpty)
    }

    // MARK: As they come

    private func starts(_ text: String, type: String? = nil) -> [String] {
        read(text, type: type).map { "\($0.start.map { String($0) } ?? "-") \($0.speaker.map { $0 + ": " } ?? "")\($0.text)" }
    }

    @Test func `SubRip without empty lines`() {
        #expect(
            starts("1\n00:00:01,500-->00:00:03,000\nOne\n2\n00:00:04.5 --> 00:00:05\nTwo\n42\n3\n0:0:6:250 --> 0:0:7:000\nThree")
                == [
                    "1.5 One", "4.5 Two 42", "6.25 Three",
                ])
    }

    @Test func `SubRip with an empty line inside a cue`() {
        #expect(
            starts(
                "1\n00:00:01,500 --> 00:00:03,000\nOne\n\nmore\n\n2\n00:00:04,500 --> 00:00:05,000\n<font color=\"#fff\">Two</font>"
            ) == [
                "1.5 One more", "4.5 Two",
            ])
    }

    @Test func `WebVTT with notes styles names and voices`() {
        let text = """
            WEBVTT
            Kind: captions

            STYLE
            ::cue { color: red }

            REGION
            id:r

            NOTE
            nobody says this

            intro-1
            00:01.000 --> 00:02.000 align:start position:0%
            <v.loud Ada Lovelace>Fish &amp; chips &lt;3</v>
            <v Bob>Tea?</v>

            NOTE not this either

            01:00:00.000 --> 01:00:01.000
            2 < 3 & so on
            """
        #expect(starts(text) == ["1.0 Ada Lovelace: Fish & chips <3", "1.0 Bob: Tea?", "3600.0 2 < 3 & so on"])
    }

    @Test func `machine-made captions repeat no line`() {
        let text = """
            WEBVTT

            00:00:01.000 --> 00:00:03.000
            hello<00:00:01.500><c> there</c>

            00:00:03.000 --> 00:00:03.010
            hello there

            00:00:03.010 --> 00:00:05.000
            hello there
            my<00:00:03.500><c> friends</c>
            """
        #expect(starts(text) == ["1.0 hello there", "3.01 my friends"])
    }

    @Test func `podcast namespace JSON with times as strings`() {
        #expect(
            starts(
                #"{"version":"1.0.0","segments":[{"startTime":"0.5","body":"A"},{"startTime":"00:01:02.5","speaker":"Ada","body":" B "},{"startTime":null,"body":"C"}]}"#
            )
                == ["0.5 A", "62.5 Ada: B", "- C"])
    }

    @Test func `Whisper JSON`() {
        #expect(
            starts(
                #"{"text":" Hi. Bye.","segments":[{"id":0,"start":0.0,"end":1.5,"text":" Hi.","words":[{"word":"Hi.","start":0}]},{"start":1.5,"text":" Bye."}],"language":"en"}"#
            ) == ["0.0 Hi.", "1.5 Bye."])
        #expect(
            starts(
                #"{"transcription":[{"timestamps":{"from":"00:00:01,000","to":"00:00:02,000"},"offsets":{"from":1000},"text":" Hi."}]}"#
            ) == ["1.0 Hi."])
        #expect(starts(#"{"text":"Hi.","chunks":[{"timestamp":[1.5,2.0],"text":" Hi."}]}"#) == ["1.5 Hi."])
        #expect(starts(#"{"text":"Only text."}"#) == ["- Only text."])
    }

    @Test func `Podlove JSON`() {
        #expect(
            starts(#"[{"start":"00:00:01.500","start_ms":1500,"end":"00:00:03.000","speaker":"3","voice":"Ada","text":"Hi."}]"#)
                == ["1.5 Ada: Hi."])
        #expect(starts(#"{"transcripts":[{"start_ms":1500,"speaker":"3","text":"Hi."}]}"#) == ["1.5 3: Hi."])
    }

    @Test func `word by word JSON is merged into sentences`() {
        let words = (0..<60).map {
            "{\"startTime\":\(Double($0) / 2),\"speaker\":\"\($0 < 40 ? "Ada" : "Bob")\",\"body\":\"word\($0)\($0 % 10 == 9 ? "." : "")\"}"
        }
        let segments = read("{\"segments\":[\(words.joined(separator: ","))]}")
        #expect(segments.map(\.start) == [0, 10, 20])
        #expect(segments.map(\.speaker) == ["Ada", "Ada", "Bob"])
        #expect(segments[0].text.hasPrefix("word0 word1 ") && segments[0].text.hasSuffix("word19."))
    }

    @Test func `milliseconds under the name of seconds`() {
        #expect(starts(#"{"utterances":[{"start":250,"text":"A"},{"start":3600000,"text":"B"}]}"#) == ["0.25 A", "3600.0 B"])
    }

    @Test func `HTML with stamps in the text`() {
        #expect(
            starts("<p>[00:00:05] <b>Hello</b></p><p>and more</p><p>Ada (01:02): Bye</p>") == [
                "5.0 Hello", "5.0 and more", "62.0 Ada: Bye",
            ])
        #expect(
            starts(
                "<?xml version=\"1.0\"?><tt><body><div><p begin=\"00:00:01.500\">Hi</p><p begin=\"3s\">Bye</p></div></body></tt>")
                == ["1.5 Hi", "3.0 Bye"])
    }

    @Test func `a page that is no transcript`() {
        let page = "<!DOCTYPE html><html><head><title>404</title></head><body><h1>Not found</h1><p>Go home.</p></body></html>"
        for type in ["text/vtt", "application/srt", "application/json", "text/plain", nil] {
            #expect(read(page, type: type).isEmpty)
        }
        #expect(!read(page, type: "text/html").isEmpty)
    }

    @Test func `plain text with stamps`() {
        #expect(
            starts("[00:00:05] Hello\nthere.\n\nStill me.\n(1:02) Bye at 10:30.\n") == [
                "5.0 Hello there.", "5.0 Still me.", "62.0 Bye at 10:30.",
            ])
        #expect(
            starts("Speaker 1 (00:00):\nHello.\n\nSpeaker 2 (00:07):\nBye.") == ["0.0 Speaker 1: Hello.", "7.0 Speaker 2: Bye."])
        #expect(starts("Ada  0:03\nHello.\n\nBob  1:00:03\nBye.") == ["3.0 Ada: Hello.", "3603.0 Bob: Bye."])
        #expect(starts("[00:00.000 --> 00:04.000]  Hello.\n[00:04.000 --> 00:08.000]  Bye.") == ["0.0 Hello.", "4.0 Bye."])
        for text in ["We met at 10:30 in Rome.", "We met at 10:30"] { #expect(starts(text) == ["- " + text]) }
    }

    @Test func `other encodings`() {
        let text = "WEBVTT\n\n00:01.000 --> 00:02.000\nCafé ‘x’\n"
        let wide = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        for bytes in [wide, [0xFF, 0xFE] + wide, [0xEF, 0xBB, 0xBF] + Array(text.utf8), Array(text.utf8)] {
            #expect(TranscriptParser.segments(of: bytes, TranscriptHints(type: "text/vtt")).map(\.text) == ["Café ‘x’"])
        }
        let latin = Array("1\n00:00:01,000 --> 00:00:02,000\nCaf".utf8) + [0xE9, 0x21]
        #expect(
            TranscriptParser.segments(of: latin, TranscriptHints(contentType: "text/plain; charset=iso-8859-1")).map(\.text) == [
                "Café!"
            ])
        #expect(
            TranscriptParser.segments(of: latin, TranscriptHints(contentType: "text/plain; charset=utf-8")).map(\.text) == [
                "Café!"
            ])
    }

    @Test func `what is no text`() {
        for bytes in [
            Array("%PDF-1.7 hello".utf8), [0x50, 0x4B, 3, 4, 0, 0, 1], Array("{\\rtf1 hello}".utf8),
            Array("ID3".utf8) + [3, 0, 0],
        ] {
            #expect(TranscriptParser.segments(of: bytes, TranscriptHints(type: "text/plain")).isEmpty)
        }
    }
}
