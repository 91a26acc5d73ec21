import Testing

@testable import Index

@Suite struct LowerCaseTests {
    private func lower(_ text: String, _ lower: (inout LowerCase, ByteView) -> ByteView = { $0.of($1) }) -> String {
        var table = LowerCase()
        return text.withBytes { String(decoding: lower(&table, $0), as: UTF8.self) }
    }

    @Test func `each character is as in Swift's own lower case`() {
        var table = LowerCase()
        for value in UInt32(0)..<0x1_1000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = "a\(scalar)Z"
            let lower = text.withBytes { String(decoding: table.of($0), as: UTF8.self) }
            #expect(lower.utf8.elementsEqual(text.lowercased().utf8), "\(value)")
        }
    }

    @Test func `words of many scripts`() {
        for text in ["", "ÉCOLE", "Straße", "ЁЛКА", "ΟΔΌΣ", "TIẾNG VIỆT", "İstanbul", "東京タワー", "ＡＢＣ", "K\u{212A}", "Ǆ", "𐐀x"] {
            #expect(lower(text) == text.lowercased())
        }
    }

    @Test func `a Greek word ends in its own sigma`() {
        let greek = { (table: inout LowerCase, word: ByteView) in table.greek(word) }
        #expect(lower("ΟΔΌΣ", greek) == "οδός")
        #expect(lower("οδός", greek) == "οδός")
        #expect(lower("ΣΟΦΊΑ", greek) == "σοφία")
    }

    @Test func `i and ı are two letters in Turkish`() {
        let turkish = { (table: inout LowerCase, word: ByteView) in table.turkish(word) }
        #expect(lower("IĞDIR İZMİR", turkish) == "ığdır izmir")
    }
}
