import HTML
import Testing

@Suite struct HTMLTokenizerTests {
    /// Text as it is, references in brackets, tags by the letters `+` and `-`.
    @Test(arguments: [
        ("one <b>two</b> three", "one +two- three"),
        ("5 < 6 & 7 > 3 <3", "5 < 6 & 7 > 3 <3"),
        ("a<br/>b<BR >c", "a+b+c"),
        ("R&D AT&amp;T &copy 1", "R&D AT[&]T [©] 1"),
        ("a<!-- <b> -->b<!-->c<!--->d<!-- x --!>e<!x>f<?y>g", "abcdefg"),
        ("a<SCRIPT type=x>if (1 < 2) '</b>'</script\t>b", "a+-b"),
        ("a<style>x</styles></STYLE>b", "a+-b"),
        ("a<script>never closed", "a+"),
        ("<title>A <b> &lt; B</title>c", "+A <b> [<] B-c"),
        ("<title>never closed<b>c", "+never closed+c"),
        ("<![CDATA[a<b>]]>", "a+]]>"),
        (#"<a title="a > b">c"#, "+c"), (#"<a title="a>c"#, "+c"), ("a <b", "a <b"), ("a </b <c", "a </b <c"), ("</>", "</>"),
    ]) func `tokens`(_ html: String, _ expected: String) {
        var tokenizer = HTMLTokenizer()
        var text = ""
        let bytes = html.utf8Span.span
        while let token = tokenizer.next(in: bytes) {
            switch token {
            case .text(let range): for index in range { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
            case .reference(let reference): text += "[\(reference.first)]"
            case .start: text += "+"
            case .end: text += "-"
            }
        }
        #expect(text == expected)
    }

    @Test(arguments: [
        (#"<a href="x">"#, "x"), ("<a HREF='x'>", "x"), ("<a b c=d href = x e>", "x"), ("<a href>", ""), ("<a/href=x/>", "x/"),
        (#"<a href="?a=1&amp;b=2&copy=3&#x26;d">"#, "?a=1&b=2&copy=3&d"), (#"<a href="one" href="two">"#, "one"),
        (#"<a title="href=1"href=2>"#, "2"),
    ]) func `attribute`(_ html: String, _ expected: String) throws {
        var tokenizer = HTMLTokenizer()
        let bytes = html.utf8Span.span
        guard case .start(let tag)? = tokenizer.next(in: bytes) else {
            Issue.record("no tag")
            return
        }
        let value = tag.attribute("href", in: bytes)
        #expect(value == expected)
        let other = tag.attribute("hre", in: bytes)
        #expect(other == nil)
    }

    @Test func `names ignore letter case`() {
        var tokenizer = HTMLTokenizer()
        guard case .start(let tag)? = tokenizer.next(in: "<BlockQuote>".utf8Span.span) else {
            Issue.record("no tag")
            return
        }
        #expect(tag.name == "blockquote")
        #expect(tag.name != "quote")
        #expect(!tag.isInline)
    }

    /// Each of these would take hours if every mark were followed to the end of the text.
    @Test(arguments: [
        "<a b=\"", "<a ", "<!-", "<!--", "&#", "='", "<a='", "<script", "</", "<a b='>", "<title>", "<title", "&amp", "<!-->",
    ])
    func `hostile markup takes one pass`(_ piece: String) {
        let html = String(repeating: piece, count: 200_000)
        let bytes = html.utf8Span.span
        var tokenizer = HTMLTokenizer()
        var length = 0
        while let token = tokenizer.next(in: bytes) {
            if case .text(let range) = token { length += range.count }
        }
        #expect(length <= html.utf8.count)
    }
}
