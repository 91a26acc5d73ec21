import Testing

@testable import Index

/// The index reads from HTML the words that a reader would see.
@Suite struct PlainTextTests {
    @Test(arguments: [
        ("plain text", "plain text"),
        ("<p>One</p><p>Two</p>", "One Two "),
        ("one<br>two<BR/>three", "one two three"),
        ("un<b>bro</b>ken <EM>word</EM>s", "unbroken words"),
        (#"<a href="https://example.com/?a>b">link</a> text"#, "link text"),
        ("<a title='it > that' href=x>link</a>", "link"),
        (#"<a href="never closed>rest</a>"#, "rest"),
        ("AT&amp;T, R&D &copy; &#65;&#x42; &nbsp;&unknown; &#xD800; &amp", "AT&T, R&D © AB \u{A0}&unknown; \u{FFFD} &"),
        ("pi&ccaron;a, th&egrave;se, don&#146;t", "piča, thèse, don’t"),
        ("a < b and 3<4, c > d", "a < b and 3<4, c > d"),
        ("ends in <b and more", "ends in <b and more"),
        ("a<!-- hidden <b>too</b> -->b<!doctype x>c<?php d ?>e", "abce"),
        ("a<!-- open for ever", "a"),
        ("a<script>if (x < 1) { y }</SCRIPT >b<style>p { }</style>c", "a b c"),
        ("<![CDATA[wrapped <i>twice</i>]]>", "wrapped twice]]>"),
        ("<h1>Title</h1>\n<ul><li>one<li>two</ul>", "Title \none two "),
        ("日本<ruby>語</ruby>", "日本 語 "),
        ("", ""), ("<", "<"), ("&", "&"), ("</", "</"), ("<a", "<a"), ("<!", ""), ("&#;", "&#;"), ("<!--", ""), ("<p", "<p"),
    ]) func `text of`(_ html: String, _ text: String) {
        #expect(PlainText.text(of: html) == text)
    }

    /// Each of these would take hours if every mark were followed to the end of the text.
    @Test(arguments: ["<a b=\"", "<a ", "<!-", "&#", "='", "<script", "</", "<a b='>"]) func `hostile markup takes one pass`(
        _ piece: String
    ) {
        let html = String(repeating: piece, count: 200_000)
        #expect(PlainText.text(of: html).utf8.count <= html.utf8.count)
    }
}
