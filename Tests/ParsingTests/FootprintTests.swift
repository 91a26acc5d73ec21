import Domain
import Testing

@testable import Parsing

/// What a feed takes in memory is bounded, however small its items are.
@Suite struct FootprintTests {
    @Test(arguments: [
        ("<rss><channel>", "<item/>"), ("<rss><channel>", "<item><title>x</title></item>"),
        ("<feed xmlns='http://www.w3.org/2005/Atom'>", "<entry/>"),
        ("<rss xmlns:p='https://podcastindex.org/namespace/1.0'><channel>", "<p:liveItem/>"),
        ("<rss xmlns:p='https://podcastindex.org/namespace/1.0'><channel><item>", "<p:alternateEnclosure/>"),
        ("<rss xmlns:p='https://podcastindex.org/namespace/1.0'><channel>", "<p:person>x</p:person>"),
        ("{\"items\":[{}", ",{}"),
    ]) func `tiny items are refused`(_ beginning: String, _ piece: String) {
        let document = Array((beginning + String(repeating: piece, count: 1_000_000)).utf8)
        #expect(throws: NotAFeed.tooLarge) { try FeedParser.read(document).items.count }
    }

    @Test func `escapes of a damaged document are bounded`() {
        let document = Array("<rss><channel><title>".utf8) + [UInt8](repeating: UInt8(ascii: "&"), count: 10 << 20)
        #expect(throws: NotAFeed.tooLarge) { try FeedParser.read(document).items.count }
    }

    @Test(arguments: [(100_000, 500), (100_000, 0), (20_000, 300)])
    func `archives of many items are read`(count: Int, textLength: Int) throws {
        let text = textLength == 0 ? "" : "<description>\(String(repeating: "x", count: textLength))</description>"
        var document = Array("<rss><channel>".utf8)
        for number in 0..<count {
            document += Array(
                """
                <item><guid>g\(number)</guid><title>An episode</title>\
                <enclosure url='https://example.com/\(number)' length='1' type='audio/mpeg'/>\(text)</item>
                """.utf8)
        }
        document += Array("</channel></rss>".utf8)
        #expect(document.count <= 64 << 20)
        #expect(try FeedParser.read(document).items.count == count)
    }
}
