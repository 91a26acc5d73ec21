import Domain
import Testing

@testable import Parsing

@Suite struct ChaptersFileTests {
    private func chapters(_ text: String) -> [String] {
        var hints = TranscriptHints()
        hints.text = .chapters
        return TranscriptParser.segments(of: Array(text.utf8), hints).map { chapter in
            "\(chapter.start ?? -1) \(chapter.text)\(chapter.isChapter ? "" : "!")"
        }
    }

    @Test(arguments: [
        (#"{"chapters":[{"startTime":10,"title":"B"},{"startTime":"00:00:02.5","title":" A "}]}"#, ["2.5 A", "10.0 B"]),
        (#"[{"start":"00:00:00.000","title":"Intro","href":"","image":""}]"#, ["0.0 Intro"]),
        (#"{"chapters":[{"startTime":1,"title":7},{"title":"no time"},{"startTime":2,"toc":false}]}"#, ["1.0 Chapter 1"]),
        (#"{"chapters":[{"startTime":1,"title":"A"},{"startTime":2,"titl"#, ["1.0 A"]),
        ("<html>not found</html>", []), ("{}", []), ("", []), ("[1,2]", []), (#"{"chapters":{"a":1}}"#, []),
    ]) func `chapters in their common forms, and what is none`(text: String, expected: [String]) {
        #expect(chapters(text) == expected)
    }
}
