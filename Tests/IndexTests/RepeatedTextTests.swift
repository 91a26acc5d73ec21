import Domain
import Testing

@testable import Index

/// A text that only repeats another one is not indexed again.
@Suite struct RepeatedTextTests {
    @Test(arguments: [
        ("Tea and cake", "Tea and cake", true),
        ("Tea and cake. Next: jam.", "Tea and cake", true),
        ("Tea and \n\n cake", "\n Tea\u{A0}and cake ", true),
        ("Tea and cake", "Tea and cake \u{A0}\n\u{A0}", true),
        ("Tea", "\u{A0}", true),
        ("Tea. Cake, jam", "Tea.Cake,jam", true),
        ("Tea.Cake", "Tea. Cake", true),
        ("Tea and cake today", "Tea and ca…", true),
        ("Tea and cake today", "Tea and cake [...]", true),
        ("Tea and cake today", "Tea and […]\n", true),
        ("Tea, wherever you are", "Tea...", true),
        ("Tea", "", true),
        ("Tea", "…", true),
        ("Teapot", "Tea", false),
        ("Tee über alles", "Tee ü", false),
        ("Tee übermorgen", "Tee über", false),
        ("Tea", "Tea and cake", false),
        ("Tea and cake", "Cake", false),
        ("Tea cup", "Teacup", false),
        ("Teacup", "Tea cup", false),
        ("Tea \u{A0} and cake", "Tea and\n\u{A0}cake", true),
        ("Tea and cake with jam from Nepal, and bread", "Tea and cake  with jam  from Nepal,and butter", false),
        ("Tea and cake with jam from Nepal, and bread", "Tea and cake  with jam  from Nepal,and bread", true),
        ("Tea« and cake", "Tea and cake", false),
        ("  ", "Tea", false),
        ("", "Tea", false),
    ]) func `beginning`(_ text: String, _ other: String, _ isBeginning: Bool) {
        let result = text.withBytes { text in other.withBytes { RepeatedText.text(text, beginsWith: $0) } }
        #expect(result == isBeginning)
    }

    /// Otherwise a feed that says everything twice would rank as if it said each word twice as often.
    @Test func `notes without markup count once`() {
        let markup = "<p>Tea from <b>Nepal</b>.</p><ul><li>Cake</li></ul>"
        let once = indexed { $0.description = markup }
        #expect(once == "Tea from Nepal. Cake ")
        #expect(indexed { ($0.description, $0.content) = (markup, "Tea from Nepal. Cake") } == once)
        #expect(indexed { ($0.description, $0.summary) = (markup, "Tea from Ne…") } == once)
        #expect(indexed { ($0.description, $0.content) = ("Of tea", markup) } == "Of tea\n" + once)
        #expect(indexed { ($0.description, $0.content) = ("Teapots", "Tea") } == "Teapots\nTea")
    }

    private func indexed(_ change: (inout Item) -> Void) -> String {
        var text = IndexedText()
        let podcast = PodcastText(podcast(), Channel(), .undetermined)
        text.fill(episode("1", "Episode", change), of: podcast, transcript: [])
        return String(decoding: text[.text], as: UTF8.self)
    }
}
