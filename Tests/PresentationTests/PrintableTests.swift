import Presentation
import Testing

@Suite struct PrintableTests {
    @Test func `control characters never reach a terminal`() {
        #expect("a\u{1B}[31mred\u{07}\u{9B}2J".oneLine == "a[31mred2J")
        #expect("a\u{1B}b\nc\u{0}".printable == "ab\nc")
    }

    @Test func `what turns the reading direction is removed`() {
        #expect("x\u{202E}gpj.exe\u{202C}\u{2066}y\u{2069}".oneLine == "xgpj.exey")
    }

    @Test func `line breaks, tabs and runs of blanks are one space`() {
        #expect("  a\n\tb \u{2028} c  ".oneLine == "a b c")
    }

    @Test func `endless combining marks are cut off`() {
        #expect(("e" + String(repeating: "\u{301}", count: 40_000) + "x").oneLine.unicodeScalars.count == 32)
    }

    @Test func `an error line repeats only the beginning of what was typed`() {
        for typed in [String(repeating: "a", count: 40_000), "a" + String(repeating: "\u{301}", count: 40_000)] {
            let lines = FailureLine(typed, "'\(typed)' is not a valid value", status: .usage).lines
            #expect(lines.joined().utf8.count < 2_000)
        }
    }

    @Test func `scripts and emoji stay as they are`() {
        for text in ["日本語のポッドキャスト", "שלום עולם", "👩‍👩‍👧 e\u{301}"] { #expect(text.oneLine == text) }
    }
}
