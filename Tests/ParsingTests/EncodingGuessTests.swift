import Domain
import Testing

@testable import Parsing

/// Documents that do not name their encoding and are not UTF-8.
@Suite struct EncodingGuessTests {
    @Test func `Cyrillic is recognized`() throws {
        let text = "Подкаст о науке и технике: новости недели, интервью и ответы на вопросы слушателей"
        let feed = try FeedParser.read(document(text) { $0.value >= 0x410 ? UInt8($0.value - 0x350) : UInt8($0.value) })
        #expect(feed.encoding == "windows-1251")
        #expect(feed.channel.description == text)
        #expect(feed.warnings.map(\.code) == ["encoding"])
    }

    @Test func `Greek is recognized`() throws {
        let text = "κάθε εβδομάδα συζητάμε για την επιστήμη και απαντάμε στις ερωτήσεις των ακροατών"
        let feed = try FeedParser.read(document(text) { $0.value >= 0x370 ? UInt8($0.value - 0x2D0) : UInt8($0.value) })
        #expect(feed.encoding == "iso-8859-7")
        #expect(feed.channel.description == text)
    }

    @Test func `western text is windows-1252`() throws {
        let text =
            "Chaque semaine nous parlons de science, et répondons aux questions des auditeurs à propos d’été et de Noël: là où ça plaît"
        let feed = try FeedParser.read(document(text) { $0 == "’" ? 0x92 : UInt8($0.value) })
        #expect(feed.encoding == "windows-1252")
        #expect(feed.channel.description == text)
    }

    @Test func `a declaration counts more`() throws {
        let text = "Подкаст о науке и технике: новости недели, интервью и ответы на вопросы слушателей"
        let bytes = document(text) { $0.value >= 0x410 ? UInt8($0.value - 0x350) : UInt8($0.value) }
        #expect(
            try FeedParser.read(Array("<?xml version='1.0' encoding='windows-1252'?>".utf8) + bytes).encoding == "windows-1252")
    }

    private func document(_ text: String, _ byte: (Unicode.Scalar) -> UInt8) -> [UInt8] {
        Array("<rss><channel><title>x</title><description>".utf8) + text.unicodeScalars.map(byte)
            + Array("</description></channel></rss>".utf8)
    }
}
