import Domain
import Parsing
import Testing

/// CDATA sections and texts with references go around libxml2; a document type keeps them in its way.
@Suite struct TextSectionsTests {
    @Test(arguments: FixtureTests.names)
    func readTheSameInEitherWay(name: String) throws {
        let document = try #require(Files.read("feeds/\(name)"))
        guard let typed = Self.withDocumentType(document), let around = try? FeedParser.read(document) else { return }
        let through = try FeedParser.read(typed)
        #expect(around.channel == through.channel)
        #expect(around.items == through.items)
        #expect(around.wellFormed == through.wellFormed)
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
    func inWellFormedText(description: String, expected: String) throws {
        for size in [1, 5, 4_096] {
            let feed = try Self.parse(Self.feed(description), pieceSize: size)
            #expect(feed.items.map(\.description) == [expected, "end"])
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
    func inDamagedText(description: String, expected: String) throws {
        let feed = try Self.parse(Self.feed(description), pieceSize: 4_096)
        #expect(feed.items.map(\.description) == [expected, "end"])
        #expect(!feed.wellFormed)
        #expect(!feed.warnings.isEmpty)
    }

    /// Longer than anything that is held back for its end.
    @Test func aTextLongerThanAMegabyte() throws {
        let text = String(repeating: "0123456789 <br> ]] & ", count: 100_000)
        let feed = try Self.parse(Self.feed("<![CDATA[\(text)]]>"), pieceSize: 30_000)
        #expect(feed.items.first?.description == String(text.dropLast()))
        #expect(feed.items.count == 2)
        #expect(feed.wellFormed)
    }

    /// Warnings tell the line, whatever stands in the texts before it.
    @Test func linesAreCounted() throws {
        let feed = try Self.parse(Self.feed("<![CDATA[1\n2\n3]]> \n &amp;\n", before: "<pubDate>never</pubDate>"), pieceSize: 4_096)
        #expect(feed.warnings.map(\.line) == [7])
    }

    private static func feed(_ description: String, before: String = "") -> String {
        "<rss><channel><title>t</title>\n<item><description>\(description)</description>\n\(before)</item>"
            + "<item><description><![CDATA[end]]></description></item></channel></rss>"
    }

    private static func parse(_ document: String, pieceSize: Int) throws -> ParsedFeed {
        let bytes = Array(document.utf8)
        let parser = FeedParser()
        for start in stride(from: 0, to: bytes.count, by: pieceSize) {
            parser.push(Array(bytes[start..<min(start + pieceSize, bytes.count)]))
        }
        return try parser.finish()
    }

    /// Nil where there is no place for one, or one already.
    private static func withDocumentType(_ document: [UInt8]) -> [UInt8]? {
        let text = String(decoding: document, as: UTF8.self)
        guard text.utf8.elementsEqual(document), text.hasPrefix("<?xml"), !text.contains("<!DOCTYPE"), let end = text.firstIndex(of: ">")
        else { return nil }
        return Array((text[...end] + "<!DOCTYPE rss>" + text[end...].dropFirst()).utf8)
    }
}
