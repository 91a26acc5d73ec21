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
        let document = Array((beginning + String(repeating: piece, count: 200_000)).utf8)
        #expect(throws: NotAFeed.tooLarge) { try FeedParser.read(document).items.count }
    }

    @Test func `escapes of a damaged document are bounded`() {
        let document = Array("<rss><channel><title>".utf8) + [UInt8](repeating: UInt8(ascii: "&"), count: 10 << 20)
        #expect(throws: NotAFeed.tooLarge) { try FeedParser.read(document).items.count }
    }

    @Test func `large feeds are read`() throws {
        let item =
            "<item><guid>https://example.com/0123456789</guid><title>An episode</title><enclosure url='https://example.com/"
        let items = (0..<20_000).map {
            "\(item)\($0)' length='1' type='audio/mpeg'/><description>\(String(repeating: "x", count: 300))</description></item>"
        }
        #expect(try FeedParser.read("<rss><channel>" + items.joined() + "</channel></rss>").items.count == 20_000)
    }
}
