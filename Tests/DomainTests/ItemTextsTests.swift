import Domain
import Testing

struct ItemTextsTests {
    @Test func `each field has its own text`() {
        var texts = ItemTexts()
        for field in ItemTexts.Field.allCases { texts[field] = "the \(field) – with an é" }
        for field in ItemTexts.Field.allCases { #expect(texts[field] == "the \(field) – with an é") }
    }

    @Test func `an empty text is none`() {
        var texts = ItemTexts()
        #expect(texts[.title] == nil)
        texts[.title] = ""
        #expect(texts[.title] == nil)
        #expect(texts.isEmpty(.title))
        texts[.title] = "Night Radio"
        #expect(!texts.isEmpty(.title))
        texts[.title] = nil
        #expect(texts == ItemTexts())
    }

    @Test func `a text can be replaced`() {
        var texts = ItemTexts()
        texts[.title] = "Trailer"
        texts[.link] = "https://example.com/1"
        texts[.title] = "Episode one"
        #expect(texts[.title] == "Episode one")
        #expect(texts[.link] == "https://example.com/1")
    }

    @Test func `a copy stays as it is`() {
        var texts = ItemTexts()
        texts[.title] = "Trailer"
        let copy = texts
        texts[.title] = "Episode one"
        #expect(copy[.title] == "Trailer")
    }

    @Test func `what several fields say can be replaced in one`() {
        let long = String(repeating: "a long description ", count: 10)
        var texts = ItemTexts()
        texts[.description] = long
        texts[.summary] = long
        texts[.content] = long + "!"
        texts[.summary] = "short"
        #expect(texts[.description] == long)
        #expect(texts[.content] == long + "!")
        #expect(texts[.summary] == "short")
    }

    @Test func `equal texts are equal whatever their order`() {
        var (one, other) = (ItemTexts(), ItemTexts())
        one[.title] = "Night Radio"
        one[.guid] = "1"
        other[.guid] = "2"
        other[.guid] = "1"
        other[.title] = "Night Radio"
        #expect(one == other)
        other[.title] = "Night Radia"
        #expect(one != other)
    }

    @Test func `what is moved out leaves nothing`() {
        var texts = ItemTexts()
        texts[.title] = "Night Radio"
        let moved = texts.moved()
        #expect(moved[.title] == "Night Radio")
        #expect(texts == ItemTexts())
        texts[.title] = "Day Radio"
        #expect(moved[.title] == "Night Radio")
    }

    @Test(arguments: [
        ("", ""), ("a", ""), ("", "a"), ("12345678", "12345678"), ("123456789", "12345678"), ("12345678x", "12345678y"),
        ("1234567890123456", "1234567890123456"), ("1234567890123456x", "1234567890123456y"), ("12345678x", "12345679x"),
    ])
    func `a text is the same as another`(_ text: String, _ other: String) {
        var texts = ItemTexts()
        texts[.content] = text
        texts[.description] = other
        #expect(texts.isSame(.content, as: .description) == (text == other))
    }
}
