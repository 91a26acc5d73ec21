import Domain
import Parsing
import Testing

@Suite struct OPMLTests {
    private func read(_ text: String) throws -> [OPMLOutline] { try OPML.read(Array(text.utf8)) }

    @Test func nestedOutlinesAreFolders() throws {
        let outlines = try read(
            """
            <?xml version="1.0"?><opml version="2.0"><head><title>Mine</title></head><body>
            <outline text="News"><outline text="Far"><outline text="A" type="rss" xmlUrl="https://a.example/feed"/></outline>
            <outline title="B" xmlUrl=" https://b.example/feed "/></outline>
            <outline xmlUrl="https://c.example/feed"/>
            </body></opml>
            """)
        #expect(
            outlines == [
                OPMLOutline(feedURL: "https://a.example/feed", title: "A", folders: ["News", "Far"]),
                OPMLOutline(feedURL: "https://b.example/feed", title: "B", folders: ["News"]),
                OPMLOutline(feedURL: "https://c.example/feed"),
            ])
    }

    @Test func attributesCountInAnyLetterCase() throws {
        let outlines = try read("<opml><body><outline TEXT='A' XMLURL='https://a.example/'/><outline xmlurl='https://b.example/'/></body></opml>")
        #expect(outlines.map(\.feedURL) == ["https://a.example/", "https://b.example/"])
        #expect(outlines[0].title == "A")
    }

    @Test func bareAmpersandsAndMissingEndsAreRepaired() throws {
        let outlines = try read("<opml><body><outline text='Tom & Jerry' xmlUrl='https://a.example/?x=1&y=2'/><outline text='R&amp;D'>")
        #expect(outlines == [OPMLOutline(feedURL: "https://a.example/?x=1&y=2", title: "Tom & Jerry")])
    }

    @Test func otherEncodingsAreRead() throws {
        var bytes = Array("<?xml version='1.0' encoding='iso-8859-1'?><opml><body><outline xmlUrl='https://a.example/' text='Caf".utf8)
        bytes.append(0xE9)
        bytes += Array("'/></body></opml>".utf8)
        #expect(try OPML.read(bytes).first?.title == "Café")
    }

    @Test func repeatsAreLeftToTheCaller() throws {
        let outlines = try read("<opml><body><outline xmlUrl='https://a.example/'/><outline xmlUrl='https://a.example/'/></body></opml>")
        #expect(outlines.count == 2)
    }

    @Test func whatIsNoListSaysWhy() {
        #expect(throws: NotOPML.empty) { try read(" \n") }
        #expect(throws: NotOPML.unknownRoot("rss")) { try read("<rss><channel/></rss>") }
        #expect(throws: NotOPML.notXML(line: 1)) { try read("just words") }
    }
}
