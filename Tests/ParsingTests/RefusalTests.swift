import Domain
import Parsing
import Presentation
import Testing

/// Documents that are not feeds, and documents made to do harm.
@Suite struct RefusalTests {
    @Test func `each kind has its reason`() {
        #expect(throws: NotAFeed.empty) { try FeedParser.read("") }
        #expect(throws: NotAFeed.empty) { try FeedParser.read(" \n\t ") }
        #expect(throws: NotAFeed.html) { try FeedParser.read("<!DOCTYPE html>\n<HTML><head><title>x</title><link></head>") }
        #expect(throws: NotAFeed.unknownRoot("opml")) { try FeedParser.read("<opml><body/></opml>") }
        #expect(throws: NotAFeed.unknownRoot("JSON")) { try FeedParser.read("{\"title\": \"x\"}") }
        #expect(throws: NotAFeed.notXML(line: 1)) { try FeedParser.read("no markup at all") }
        #expect(throws: NotAFeed.notXML(line: 2)) { try FeedParser.read("{\n\"items\" [") }
        #expect(throws: NotAFeed.tooDeep) { try FeedParser.read("{\"items\": " + String(repeating: "[", count: 100_000)) }
    }

    @Test(arguments: [
        "<script>location='/'</script>", "<meta http-equiv=refresh content=0>", "<!-- x --><title>Just a moment...</title>",
        "<head><title>Checking</title></head><body></body>", "<!DOCTYPE html><body onload=f()><item>x</item>",
        "<div id=challenge><rss><channel></channel></rss></div>", "\u{FEFF}\n<center><h1>403</h1></center>",
        "<noscript>Enable JavaScript</noscript><script>var a = '<item><title>x</title></item>'</script>",
    ])
    func `a page without an html element is a page`(page: String) {
        #expect(throws: NotAFeed.html) { try FeedParser.read(page) }
    }

    /// A program and a compressed file, in which a "<" before letters is an accident.
    @Test func `binary files have no root`() {
        let program: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0x3C, 0x48, 0x89, 0xC7, 0x3E, 0, 0x90]
        #expect(throws: NotAFeed.notXML(line: nil)) { try FeedParser.read(program) }
        let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x3C, 0xDB, 0x72, 0xDB, 0xC6, 0x3E, 0x3C, 0x63, 0x20, 0xFF]
        #expect(throws: NotAFeed.notXML(line: nil)) { try FeedParser.read(gzip) }
    }

    @Test func `entities that grow without end are refused`() {
        var declarations = "<!ENTITY a0 \"ha\">"
        for level in 1...12 {
            declarations += "<!ENTITY a\(level) \"" + String(repeating: "&a\(level - 1);", count: 10) + "\">"
        }
        #expect(throws: NotAFeed.entityExpansion) {
            try FeedParser.read("<!DOCTYPE rss [\(declarations)]><rss><channel><title>&a12;</title></channel></rss>")
        }
        #expect(throws: NotAFeed.entityExpansion) {
            try FeedParser.read(
                "<!DOCTYPE rss [<!ENTITY a \"&b;\"><!ENTITY b \"&a;\">]><rss><channel><title>&a;</title></channel></rss>")
        }
    }

    @Test func `files and the network are never read`() throws {
        let feed = try FeedParser.read(
            """
            <!DOCTYPE rss SYSTEM "file:///etc/passwd" [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>
            <rss><channel><title>a&x;b</title></channel></rss>
            """)
        #expect(feed.channel.title == "ab")
    }

    /// Each of these makes a parser that is not careful take quadratic time, or all the memory there is.
    static let hostile: [String] = {
        func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
        func numbered(_ count: Int, _ text: (Int) -> String) -> String { (0..<count).map(text).joined() }
        return [
            many("<a>", 100_000), many("<!-- ", 100_000), many("<![CDATA[", 100_000), many("&", 300_000), many("<", 300_000),
            many("]]>", 100_000),
            "<item " + numbered(50_000) { "a\($0)='' " } + "/>",
            numbered(100_000) { "<n\($0)/>" },
            "<item>" + numbered(50_000) { "<category>\($0)</category>" },
            "<item>" + numbered(50_000) { "<enclosure url='\($0)'/>" },
        ]
    }()

    @Test(arguments: hostile.indices)
    func `hostile documents end soon`(index: Int) throws {
        let feed = try FeedParser.read("<rss><channel><title>T</title>" + Self.hostile[index])
        #expect(feed.channel.title == "T")
        #expect(!feed.wellFormed && feed.truncated)
    }

    /// The seeds of scripts/fuzz, and what it found.
    @Test(arguments: Files.names(in: "fuzz"))
    func `what fuzzing found is survived`(name: String) throws {
        let bytes = try #require(Files.read("fuzz/\(name)"))
        _ = try? FeedParser.read(bytes)
        _ = try? OPML.read(bytes)
        _ = FeedLinks.find(bytes, ParseHints())
        _ = TranscriptParser.segments(of: bytes, TranscriptHints(type: "text/html"))
    }

    @Test(arguments: Files.names(in: "fuzz"))
    func `what fuzzing found does not depend on where the pieces end`(name: String) throws {
        let bytes = try #require(Files.read("fuzz/\(name)"))
        let whole = try? FeedParser.read(bytes)
        for size in [1, 7, max(1, bytes.count / 3)] {
            let parser = FeedParser()
            for start in stride(from: 0, to: bytes.count, by: size) {
                parser.push(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            #expect((try? parser.finish()).map(Self.json) == whole.map(Self.json), "pieces of \(size)")
        }
    }

    private static func json(_ feed: ParsedFeed) -> String { String(decoding: ParsedFeedJSON(feed).bytes, as: UTF8.self) }

    @Test func `only a document that was cut off is truncated`() throws {
        #expect(try FeedParser.read("<rss><channel><title>a</title></channel>").truncated)
        #expect(try FeedParser.read("{\"items\": [{\"id\": \"1\"}, {\"id\"").truncated)
        #expect(try !FeedParser.read("<rss><channel><title>a & b</title></channel></rss>").truncated)
        #expect(try !FeedParser.read("{\"items\": [{\"id\": \"1\"} nonsense ]}").truncated)
    }

    @Test func `the content type's charset counts before the declaration`() throws {
        let document =
            Array("<?xml version='1.0' encoding='iso-8859-1'?><rss><channel><title>".utf8) + [0xCF]
            + Array("</title></channel></rss>".utf8)
        let feed = try FeedParser.read(document, contentType: "text/xml; charset=\"windows-1251\"")
        #expect(feed.channel.title == "П")
        #expect(feed.encoding == "windows-1251")
    }
}
