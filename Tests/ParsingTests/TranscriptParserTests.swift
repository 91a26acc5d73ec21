import Domain
import Parsing
import Testing

/// Transcripts in each form that `podcast:transcript` may name.
@Suite struct TranscriptParserTests {
    private func read(_ text: String, type: String? = nil) -> [TranscriptSegment] {
        TranscriptParser.segments(of: Array(text.utf8), type: type)
    }

    @Test func subRip() {
        let text = "\u{FEFF}1\r\n00:00:01,500 --> 00:00:03,000\r\nHello <i>there</i>,\r\nworld.\r\n\r\n2\r\n01:00:00,000 --> 01:00:02,000\r\n{\\an8}Bye 2 < 3.\r\n"
        #expect(read(text, type: "text/html") == [
            TranscriptSegment(start: 1.5, text: "Hello there, world."), TranscriptSegment(start: 3_600, text: "Bye 2 < 3."),
        ])
    }

    @Test func webVTT() {
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
        #expect(read(text) == [
            TranscriptSegment(start: 1, text: "Good evening", speaker: "Ada Smith"),
            TranscriptSegment(start: 3, text: "and welcome"),
        ])
    }

    @Test func json() {
        let text = #"{"version": "1.0", "segments": [{"speaker": "Ada", "startTime": 0.5, "endTime": 1, "body": "Hi."}, {"startTime": "x", "body": "Yes"}, {"body": ""}]}"#
        #expect(read(text) == [
            TranscriptSegment(start: 0.5, text: "Hi.", speaker: "Ada"), TranscriptSegment(start: nil, text: "Yes"),
        ])
    }

    @Test func damagedJSONKeepsWhatWasRead() {
        #expect(read(#"{"segments": [{"startTime": 1, "body": "Hi."}, {"bo"#).map(\.text) == ["Hi."])
    }

    @Test func html() {
        let text = "<cite>Ada:</cite><time>0:00</time><p>Fish &amp; <b>chi</b>ps.</p><cite>Bob:</cite>\n<time>1:02:03</time><p>Tea?</p><p>Or not.</p>"
        #expect(read(text) == [
            TranscriptSegment(start: 0, text: "Fish & chips.", speaker: "Ada"),
            TranscriptSegment(start: 3_723, text: "Tea?", speaker: "Bob"),
            TranscriptSegment(start: 3_723, text: "Or not.", speaker: "Bob"),
        ])
    }

    @Test func plainText() {
        #expect(read("One\ntwo.\n\n\nThree.\n", type: "text/plain").map(\.text) == ["One two.", "Three."])
    }

    @Test(arguments: ["", "   \n", "{}", "<html><title>Not spoken</title></html>", "WEBVTT", "00:00:01,000 --> 00:00:02,000", "{\"segments\": 3}"])
    func nothingSpoken(text: String) {
        #expect(read(text).isEmpty)
    }
}
