import Domain
import Parsing
import Testing

@Suite struct OPMLTests {
    private func read(_ text: String) throws -> [OPMLOutline] { try OPML.read(Array(text.utf8)).outlines }

    @Test func `nested outlines are folders`() throws {
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

    @Test func `attributes count in any letter case`() throws {
        let outlines = try read(
            "<opml><body><outline TEXT='A' XMLURL='https://a.example/'/><outline xmlurl='https://b.example/'/></body></opml>")
        #expect(outlines.map(\.feedURL) == ["https://a.example/", "https://b.example/"])
        #expect(outlines[0].title == "A")
    }

    @Test func `bare ampersands and missing ends are repaired`() throws {
        let outlines = try read(
            "<opml><body><outline text='Tom & Jerry' xmlUrl='https://a.example/?x=1&y=2'/><outline text='R&amp;D'>")
        #expect(outlines == [OPMLOutline(feedURL: "https://a.example/?x=1&y=2", title: "Tom & Jerry")])
    }

    @Test func `other encodings are read`() throws {
        var bytes = Array(
            "<?xml version='1.0' encoding='iso-8859-1'?><opml><body><outline xmlUrl='https://a.example/' text='Caf".utf8)
        bytes.append(0xE9)
        bytes += Array("'/></body></opml>".utf8)
        #expect(try OPML.read(bytes).outlines.first?.title == "Café")
    }

    @Test(arguments: ["", "</body>", "<outline text='B' xmlUrl='https://b.exam", "<outline text='F'><outline text='G'/>"])
    func `a list that is cut off is read and says so`(end: String) throws {
        let list = try OPML.read(Array("<opml><body><outline text='A' xmlUrl='https://a.example/'/>\(end)".utf8))
        #expect(list == OPMLList(outlines: [OPMLOutline(feedURL: "https://a.example/", title: "A")], isTruncated: true))
        #expect(try OPML.read(Array("<opml><body></body></opml>".utf8)) == OPMLList(outlines: []))
    }

    @Test func `an empty address is an outline unless it is a folder`() throws {
        let outlines = try read(
            """
            <opml><body><outline text="F" xmlUrl=""><outline text="A" xmlUrl=" "/><outline xmlUrl="https://b.example/"/></outline>
            <outline text="C" xmlUrl=""/><outline text="D" type="rss" xmlUrl="" url="https://d.example/"/><outline text="E"/></body></opml>
            """)
        #expect(
            outlines == [
                OPMLOutline(feedURL: "", title: "A", folders: ["F"]),
                OPMLOutline(feedURL: "https://b.example/", folders: ["F"]),
                OPMLOutline(feedURL: "", title: "C"),
                OPMLOutline(feedURL: "https://d.example/", title: "D"),
            ])
    }

    @Test func `repeats are left to the caller`() throws {
        let outlines = try read(
            "<opml><body><outline xmlUrl='https://a.example/'/><outline xmlUrl='https://a.example/'/></body></opml>")
        #expect(outlines.count == 2)
    }

    @Test func `what is no list says why`() {
        #expect(throws: NotOPML.empty) { try read(" \n") }
        #expect(throws: NotOPML.unknownRoot("rss")) { try read("<rss><channel/></rss>") }
        #expect(throws: NotOPML.notXML(line: 1)) { try read("just words") }
    }
}
