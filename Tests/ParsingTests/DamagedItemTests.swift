import Domain
import Testing

@testable import Parsing

/// Items that do not end, begin inside another one, or have their fields in several places.
@Suite struct DamagedItemTests {
    @Test(arguments: [
        "<rss><channel><item><guid>1</guid></item><item><guid>2</guid><title>Half",
        "<rss><channel><item><guid>1</guid></item><item><guid>2</guid></ite",
        "<feed><entry><id>1</id></entry><entry><id>2</id>",
        "{\"items\": [{\"id\": \"1\"}, {\"id\": \"2\", \"title",
    ]) func `the open item is read and marked`(document: String) throws {
        let feed = try FeedParser.read(document)
        #expect(feed.items.map(\.item.guid) == ["1", "2"])
        #expect(feed.truncated && feed.endsInsideItem)
    }

    @Test(arguments: [
        "<rss><channel><item><guid>1</guid></item><item><guid>2</guid></item>",
        "<rss><channel><item><guid>1</guid></item><item><guid>2</guid></item></channel><ite",
        "{\"items\": [{\"id\": \"1\"}, {\"id\": \"2\"}], \"title\": \"x",
    ]) func `closed items are not marked`(document: String) throws {
        let feed = try FeedParser.read(document)
        #expect(feed.items.map(\.item.guid) == ["1", "2"])
        #expect(feed.truncated && !feed.endsInsideItem)
    }

    @Test func `an empty item inside another is none`() throws {
        let items = (1...3).map { "<item><guid>\($0)</guid><item /></item>" }
        let feed = try FeedParser.read("<rss><channel>" + items.joined() + "<item/></channel></rss>")
        #expect(feed.items.map(\.item.guid) == ["1", "2", "3", nil])
    }

    @Test func `duration of media content counts if iTunes has none`() throws {
        let media = "xmlns:media='http://search.yahoo.com/mrss/' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'"
        func duration(_ item: String) throws -> Double? {
            try FeedParser.read("<rss \(media)><channel><item>\(item)</item></channel></rss>").items.first?.item.duration
        }
        #expect(try duration("<media:content url='a.wmv' type='application/x-ms-wmd' duration='101'/>") == 101)
        #expect(try duration("<media:content medium='video' duration='610'><media:player url='p'/></media:content>") == 610)
        #expect(try duration("<media:content url='a.mp3' duration='5'/><itunes:duration>7</itunes:duration>") == 7)
        #expect(try duration("<media:content url='a.jpg' medium='image' duration='5'/>") == nil)
    }

    @Test func `published counts more than issued`() throws {
        let feed = try FeedParser.read(
            "<feed><entry><issued>2004-01-01T00:00:00Z</issued><published>2010-01-01T00:00:00Z</published></entry></feed>")
        #expect(feed.items.first?.item.publishedAt == "2010-01-01T00:00:00Z".withText(readDate))
    }

    @Test(arguments: [1, 2, 7, 4_000]) func `line breaks become line feeds`(pieceSize: Int) throws {
        let text =
            "<rss>\r\n<channel>\r<title><![CDATA[a\r\nb\rc\r\r\nd]]></title><description>a\r\nb&#13;\r&lt;</description></channel></rss>\r"
        let parser = FeedParser()
        let bytes = Array((text + String(repeating: " ", count: 2_000)).utf8)
        for start in stride(from: 0, to: bytes.count, by: pieceSize) {
            parser.push(Array(bytes[start..<min(start + pieceSize, bytes.count)]))
        }
        let feed = try parser.finish()
        #expect(feed.channel.title == "a\nb\nc\n\nd")
        #expect(feed.channel.description == "a\nb\r\n<")
        #expect(feed.wellFormed)
    }
}
