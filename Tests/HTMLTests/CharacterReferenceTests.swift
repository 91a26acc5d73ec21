import Testing

@testable import HTML

@Suite struct CharacterReferenceTests {
    @Test(arguments: [
        ("&eacute;", "é"), ("&ccaron;", "č"), ("&egrave;", "è"), ("&nbsp;", "\u{A0}"), ("&amp;", "&"), ("&AMP;", "&"),
        ("&fjlig;", "fj"), ("&NotEqualTilde;", "≂̸"), ("&CounterClockwiseContourIntegral;", "∳"), ("&Tab;", "\t"),
        ("&NewLine;", "\n"), ("&bsol;", "\\"), ("&AElig;", "Æ"), ("&zwnj;", "\u{200C}"), ("&zwj;", "\u{200D}"), ("&Zscr;", "𝒵"),
        ("&copy", "©"), ("&copy2", "©"), ("&notit;", "¬"), ("&frac12", "½"),
        ("&#65;", "A"), ("&#x42;", "B"), ("&#X42", "B"), ("&#8217;", "’"), ("&#x1F600;", "😀"),
        // windows-1252, as browsers read it.
        ("&#146;", "’"), ("&#x80;", "€"), ("&#151;", "—"), ("&#129;", "\u{81}"), ("&#160;", "\u{A0}"),
        // No characters.
        ("&#0;", "\u{FFFD}"), ("&#xD800;", "\u{FFFD}"), ("&#x110000;", "\u{FFFD}"), ("&#99999999999999999999;", "\u{FFFD}"),
    ]) func `reference`(_ html: String, _ expected: String) {
        let reference = CharacterReference(at: 0, in: html.utf8Span.span)
        #expect(reference.map(text) == expected)
    }

    @Test(arguments: ["&", "&;", "&#", "&;;", "&#;", "&#x", "&#xg;", "&unknown;", "& amp;", "&ccaron", "&é;", "&tab;", "&a;"])
    func `no reference`(_ html: String) {
        #expect(CharacterReference(at: 0, in: html.utf8Span.span) == nil)
    }

    @Test func `length ends behind the semicolon or the name`() {
        #expect(CharacterReference(at: 0, in: "&amp;amp;".utf8Span.span)?.length == 5)
        #expect(CharacterReference(at: 0, in: "&ampamp;".utf8Span.span)?.length == 4)
        #expect(CharacterReference(at: 1, in: "a&#65b".utf8Span.span)?.length == 4)
    }

    @Test func `query of a URL is no reference`() {
        #expect(CharacterReference(at: 0, in: "&copy=2".utf8Span.span, inAttribute: true) == nil)
        #expect(CharacterReference(at: 0, in: "&section=2".utf8Span.span, inAttribute: true) == nil)
        #expect(CharacterReference(at: 0, in: "&copy;=2".utf8Span.span, inAttribute: true)?.length == 6)
        #expect(CharacterReference(at: 0, in: "&copy\"".utf8Span.span, inAttribute: true)?.length == 5)
    }

    /// Every entry is found by its own name, so the table is sorted as the search expects.
    @Test func `all names are found`() {
        let table = String(describing: ReferenceTable.entries)
        let entries = table.utf8.split { $0 <= 32 }
        let names = entries.map { String($0.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ":") }) ?? "" }
        #expect(names.count == 2_123)
        let missing = names.filter { CharacterReference(named: $0) == nil }
        #expect(missing == [])
        #expect(table.unicodeScalars.count { $0 == ":" } == 106 + 1)
        #expect(names.map(\.utf8.count).max() == ReferenceTable.maxNameLength)
    }

    @Test func `name is letters and digits`() {
        for name in ["", "amp;", "amp:&", "\u{E9}", "zwnj;\u{200C}", "&amp"] { #expect(CharacterReference(named: name) == nil) }
        #expect(CharacterReference(named: "amp")?.first == "&")
    }

    private func text(_ reference: CharacterReference) -> String {
        var text = String(reference.first)
        if let second = reference.second { text.unicodeScalars.append(second) }
        return text
    }
}
