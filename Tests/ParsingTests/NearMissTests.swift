import Domain
import Parsing
import Testing

/// Characters that programs write in other forms than XML and UTF-8 allow.
@Suite struct NearMissTests {
    private func title(_ bytes: [UInt8], declared: String = "") throws -> String? {
        let head = declared.isEmpty ? "" : "<?xml version=\"1.0\" encoding=\"\(declared)\"?>"
        let parser = FeedParser()
        parser.push(Array("\(head)<rss version=\"2.0\"><channel><title>".utf8) + bytes + Array("</title></channel></rss>".utf8))
        return try parser.finish().channel.title
    }

    @Test(arguments: [
        "&#55357;&#56832;", "&#xD83D;&#xDE00;", "&#xd83d;&#xde00;", "&#55357;&#xDE00;",
    ])
    func `two references that are halves of a character are one`(reference: String) throws {
        #expect(try title(Array("A \(reference) B".utf8)) == "A \u{1F600} B")
    }

    @Test(arguments: ["&#55357;", "&#56832;&#55357;", "&#xDE00;"]) func `a half alone is left out`(reference: String) throws {
        #expect(try title(Array("A\(reference)B".utf8)) == "AB")
    }

    @Test(arguments: ["", "utf-8"]) func `an emoji in CESU-8 leaves the other letters right`(declared: String) throws {
        let emoji: [UInt8] = [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80]
        #expect(try title(Array("äöüßéèêàçñøå ".utf8) + emoji, declared: declared) == "äöüßéèêàçñøå \u{1F600}")
        #expect(try title(Array("ä ".utf8) + emoji + emoji, declared: declared) == "ä \u{1F600}\u{1F600}")
    }

    @Test func `a few bad bytes cost themselves, not the document`() throws {
        #expect(try title(Array("Grüße aus Köln".utf8) + [0xC0, 0x80]) == "Grüße aus Köln")
        #expect(try title(Array("Grüße aus Köln ".utf8) + [0xE2, 0x80] + Array("!".utf8)) == "Grüße aus Köln \u{FFFD}!")
        #expect(try title(Array("Grüße, Wörter ".utf8) + [0xF0, 0x9F, 0x98] + Array("!".utf8)) == "Grüße, Wörter \u{FFFD}!")
    }

    @Test func `one character does not refute what is declared, several do`() throws {
        #expect(try title(Array("Euro €".utf8), declared: "windows-1252") == "Euro â‚¬")
        #expect(try title(Array("Grüße aus Köln".utf8), declared: "windows-1252") == "Grüße aus Köln")
        #expect(try title(Array("Euro €".utf8)) == "Euro €")
    }

    @Test func `windows-1252 stays what it is`() throws {
        #expect(try title([0x47, 0x72, 0xFC, 0xDF, 0x65, 0x20, 0x93, 0x78, 0x94]) == "Grüße “x”")
    }
}
