import Domain
import Parsing
import Presentation
import Testing

/// Elements without children, CDATA sections and texts with references go around libxml2; a document type keeps them in its way.
@Suite struct SkeletonTests {
    @Test(arguments: FixtureTests.names)
    func `fixtures are read the same in either way`(name: String) throws {
        try Self.expectTheSameInEitherWay(try #require(Files.read("feeds/\(name)")))
    }

    @Test(.enabled(if: !Corpus.cases.isEmpty, "no corpus at ../shared/corpus: its cases are skipped"), arguments: Corpus.cases)
    func `the corpus is read the same in either way`(name: String) throws {
        try Self.expectTheSameInEitherWay(try #require(Corpus.document(of: name)))
    }

    /// Each in an item, between others: ordinary elements, and what is beside the ordinary.
    @Test(arguments: [
        "<author>a</author>", "<author></author>", "<author/>", "<author />", "<author\n>a</author>", "<author>a</author >",
        "<author>\n a &amp; b\r\n\n</author>", "<author>a <b>c</b> d</author>", "<author>a<!-- c -->d</author>",
        "<author>a <![CDATA[b & <c>]]> &lt;d&gt;</author>", "<author><![CDATA[]]></author>", "<author><?a b?>c</author>",
        "<author>a > b</author>", "<author>a ]]> b</author>", "<author>a &nbsp; b</author>", "<author>a & b</author>",
        "<author>caf\u{E9} \u{1F399}</author>", "<author>\u{FFFE}</author>", "<author>a\u{1}b</author>",
        "<author>a\tb</author>", "<enclosure url='a?b=1&amp;c=\"2\"' length=\"7\"/>",
        "<enclosure\r\n\turl=\"a\"\n type=\"b\"\n/>", "<enclosure url=\"a\"type=\"b\"/>", "<enclosure url='a' url='b'/>",
        "<enclosure url = 'a'/>", "<enclosure url=a/>", "<enclosure url='a\nb'/>", "<enclosure url='a > b'/>",
        "<enclosure url='a < b'/>", "<enclosure url='a&nbsp;b'/>", "<enclosure url='&#97;&#x26;&#10;'/>",
        "<enclosure url='a' url/>", "<enclosure xml:base='http://b.example/' url='a'/>",
        "<enclosure xmlns:i='http://i.example' url='a' i:url='b'/>", "<enclosure itunes:url='a' x:url='b' />",
        "<enclosure rdf:resource='a'/>", "<enclosure url=''/>", "<enclosure/ url='a'>", "<dc:creator>a</dc:creator>",
        "<dc:creator>a</dc:Creator>", "<dc:>a</dc:>", "<:a>b</:a>", "<a:b:c>d</a:b:c>", "<1a>b</1a>",
        "<itunes:author>a</itunes:author>", "<nobody:knows a='b'>c</nobody:knows>", "<\u{E9}>a</\u{E9}>", "<xmlfoo>a</xmlfoo>",
        "<dc:creator xmlns:dc='http://other.example/'>a</dc:creator>",
        "<media:group xmlns:dc='http://other.example/'><dc:creator>a</dc:creator></media:group>",
        "<content:encoded>&lt;p&gt;a&lt;/p&gt;</content:encoded>", "<pubDate>\nnever\n</pubDate>\n<pubDate>never</pubDate>",
        "<media:content\nduration='x'\nurl='a.mp3'\n/>", "<title>a</title><title>b</title>", "a <b>c</b> &amp; <d>e</d> f",
        "<author>a</author", "<?a <author>b</author> ?><author>c</author>", "<?a <author>?><author>c</author>",
        "<!-- <author>a</author> --><author>b</author>", "</item><item><author>a</author>",
        "</item></channel></rss><author>a</author>", "<author>a</author></wrong>",
        "<psc:chapters><psc:chapter start='0' title='a'/>\n<psc:chapter start='1' title='b'/></psc:chapters>",
        "<atom:summary type='xhtml'>\r\n<div>a <b>b</b>\r\n<i x='1'/> &amp; c</div></atom:summary>",
        "<description><p>a</p>\n<p>b</p></description>",
    ])
    func `content is read the same in either way`(content: String) throws {
        let head =
            "<?xml version='1.0'?><rss version='2.0' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'"
            + " xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:content='http://purl.org/rss/1.0/modules/content/'"
            + " xmlns:media='http://search.yahoo.com/mrss/' xmlns:atom='http://www.w3.org/2005/Atom'"
            + " xmlns:psc='http://podlove.org/simple-chapters'>"
        let document =
            "\(head)\n<channel><title>t</title>\n<item><guid>1</guid>\n\(content)\n<pubDate>never</pubDate></item>\n</channel></rss>"
        try Self.expectTheSameInEitherWay(Array(document.utf8))
    }

    @Test(arguments: [
        ("<![CDATA[one]]>", "one"),
        ("a <![CDATA[b]]> c &amp; d", "a b c & d"),
        ("<![CDATA[a]]><![CDATA[]]><![CDATA[-]]>", "a-"),
        ("<![CDATA[]]]]><![CDATA[>]]>", "]]>"),
        ("&lt;p&gt;&quot;1 &lt; 2&apos;&#33;&#x21;&lt;/p&gt;", "<p>\"1 < 2'!!</p>"),
        ("&#233;&#x20AC;&#x1F399;", "é€🎙"),
        ("one &amp;\r\ntwo\rthree", "one &\ntwo\nthree"),
        ("a > b &amp; c", "a > b & c"),
        ("a &amp; b > c &amp; d", "a & b > c & d"),
        ("<!-- <![CDATA[no]]> &amp; -->yes &amp; no", "yes & no"),
        ("<?x a > b &amp; <![CDATA[c]]> ?>yes &amp; no", "yes & no"),
        ("<b title='1 > 2 &amp; 3'>x</b> &amp; y", "x & y"),
    ])
    func `in well formed text`(description: String, expected: String) throws {
        for size in [1, 5, 4_096] {
            let feed = try Self.parse(Self.feed(description), pieceSize: size)
            #expect(feed.items.map(\.item.description) == [expected, "end"])
            #expect(feed.wellFormed)
            #expect(feed.warnings.isEmpty)
        }
    }

    /// The repair pass reads them, and says so.
    @Test(arguments: [
        ("<![CDATA[a\u{1}b]]>", "ab"),
        ("a &amp; b\u{2}", "a & b"),
        ("Tom & Jerry &amp; Spike", "Tom & Jerry & Spike"),
        ("a&nbsp;b &amp; c", "a\u{A0}b & c"),
        ("a ]]> b &amp; c", "a ]]> b & c"),
    ])
    func `in damaged text`(description: String, expected: String) throws {
        let feed = try Self.parse(Self.feed(description), pieceSize: 4_096)
        #expect(feed.items.map(\.item.description) == [expected, "end"])
        #expect(!feed.wellFormed)
        #expect(!feed.warnings.isEmpty)
    }

    /// Text that looks like a tag full of attributes.
    @Test(arguments: ["", " & so on"])
    func `a text of equals signs`(damage: String) throws {
        let text = String(repeating: "a=\"b\" ", count: 20_000) + "c > d" + damage
        let feed = try Self.parse(Self.feed(text), pieceSize: 4_096)
        #expect(feed.items.map(\.item.description) == [text, "end"])
        #expect(feed.wellFormed == damage.isEmpty)
    }

    /// Longer than anything that is held back for its end.
    @Test func `a text longer than a megabyte`() throws {
        let text = String(repeating: "0123456789 <br> ]] & ", count: 100_000)
        let feed = try Self.parse(Self.feed("<![CDATA[\(text)]]>"), pieceSize: 30_000)
        #expect(feed.items.first?.item.description == String(text.dropLast()))
        #expect(feed.items.count == 2)
        #expect(feed.wellFormed)
    }

    /// Warnings tell the line, whatever stands in the texts before it.
    @Test func `lines are counted`() throws {
        let feed = try Self.parse(
            Self.feed("<![CDATA[1\n2\n3]]> \n &amp;\n", before: "<pubDate>never</pubDate>"), pieceSize: 4_096)
        #expect(feed.warnings.map(\.line) == [7])
    }

    private static func feed(_ description: String, before: String = "") -> String {
        "<rss><channel><title>t</title>\n<item><description>\(description)</description>\n\(before)</item>"
            + "<item><description><![CDATA[end]]></description></item></channel></rss>"
    }

    private static func parse(_ document: String, pieceSize: Int) throws -> ParsedFeed {
        try parse(Array(document.utf8), pieceSize: pieceSize)
    }

    private static func parse(_ document: [UInt8], pieceSize: Int) throws -> ParsedFeed {
        let parser = FeedParser(ParseHints(baseURL: FixtureTests.baseURL))
        for start in stride(from: 0, to: document.count, by: pieceSize) {
            parser.push(Array(document[start..<min(start + pieceSize, document.count)]))
        }
        return try parser.finish()
    }

    /// Whole and in pieces.
    private static func expectTheSameInEitherWay(_ document: [UInt8]) throws {
        guard let typed = withDocumentType(document) else { return }
        let through = try? parse(typed, pieceSize: typed.count)
        for size in [document.count, 7, 1_023, 1_500] {
            let around = try? parse(document, pieceSize: max(1, size))
            #expect(around.map { ParsedFeedJSON($0).bytes } == through.map { ParsedFeedJSON($0).bytes }, "in pieces of \(size)")
        }
    }

    /// Behind the XML declaration or before all else; nil where there is one already, or the bytes are in no encoding like ASCII.
    private static func withDocumentType(_ document: [UInt8]) -> [UInt8]? {
        let text = String(decoding: document, as: UTF8.self)
        guard document.first == UInt8(ascii: "<"), !document.contains(0), !text.lowercased().contains("<!doctype") else {
            return nil
        }
        let end = text.hasPrefix("<?xml") ? (document.firstIndex(of: UInt8(ascii: ">")) ?? -1) + 1 : 0
        return Array(document[..<end]) + Array("<!DOCTYPE rss>".utf8) + Array(document[end...])
    }
}
