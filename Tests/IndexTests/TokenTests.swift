import Testing

@testable import Index

/// Words in the middle of a text are taken several letters at a time, those at its end letter by letter.
@Suite struct TokenTests {
    private static let alphabets = ["aBcdefgh1jklmnop", "bücherßtraßenÅöñ", "Книжкановостейы", "كتابجديدفيالبيت"]
    private static let separators = [
        " ", "\n", ", ", ". ", ": ", "! ", "? ", ",", ".", "-", "' ", "+ ", ",000 ", "\u{301} ", "文 ",
    ]

    @Test(arguments: alphabets) func `a word is the same in the middle of a text and at its end`(_ alphabet: String) throws {
        let letters = Array(alphabet)
        for count in 1...40 {
            let word = String((0..<count).map { letters[$0 % letters.count] })
            let alone = try #require(tokens(of: word).first)
            for separator in Self.separators where !["+ ", ",000 ", "\u{301} "].contains(separator) || count > 4 {
                let all = tokens(of: word + separator + "another word after it, to be far from the end")
                #expect(all.first?.text == alone.text, "\(word)\(separator)")
                let other = try #require(all.first { $0.text == "another" })
                #expect(other.range.lowerBound == (word + separator).utf8.count)
                if separator == "-" { #expect(other.isJoined) }
                if separator.last?.isWhitespace ?? false { #expect(!other.isJoined) }
            }
        }
    }

    @Test func `a mark that belongs to a word does not end it`() {
        func words(_ text: String) -> [String] { tokens(of: text + " in the middle of a text").dropLast(6).map(\.text) }
        #expect(words("12,000 listeners and C++") == ["12000", "listeners", "and", "c++"])
        #expect(words("12, 000 listeners and C,") == ["12", "000", "listeners", "and", "c"])
        #expect(words("e\u{301}t\u{E9}") == ["ete"])
    }
}
