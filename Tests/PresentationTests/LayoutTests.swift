import Domain
import Testing

@testable import Presentation

@Suite struct LayoutTests {
    @Test(arguments: [
        ("abc", 3), ("日本", 4), ("ｶﾅ", 2), ("한국", 4), ("e\u{301}", 1), ("👍🏽", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("☎\u{FE0F}", 2),
        ("—", 1), ("กำ", 2), ("", 0),
    ])
    func `a text takes as many columns as a terminal gives it`(text: String, columns: Int) {
        #expect(text.displayWidth == columns)
    }

    @Test func `what is cut off is shown by an ellipsis, and no wide character is halved`() {
        #expect("abcdef".truncated(to: 4) == "abc…")
        #expect("日本語版".truncated(to: 6) == "日本…")
        #expect("日本語版".truncated(to: 8) == "日本語版")
    }

    @Test func `lines are broken between words, and long words anywhere`() {
        #expect("one two three".wrapped(to: 7) == ["one two", "three"])
        #expect("日本語のポッド".wrapped(to: 6) == ["日本語", "のポッ", "ド"])
        #expect("a\n\nb".wrapped(to: 10) == ["a", "", "b"])
    }

    private var table: Table {
        var table = Table([
            .init("ID"), .init("TITLE", minimum: 8), .init("N", rightAligned: true), .init("URL", onlyInPipe: true),
        ])
        table.rows = [
            [.init("a1"), .init("A rather long title\tof a podcast"), .init("1,000", pipe: "1000"), .init("http://a/")],
            [.init("b2"), .init("日本語"), .init("7"), .init("http://b/")],
        ]
        return table
    }

    @Test func `in a pipe a record is a line with tabs between its fields`() {
        let lines = table.lines(for: Display(isTerminal: false, now: .init(seconds: 0)))
        #expect(lines == ["a1\tA rather long title of a podcast\t1000\thttp://a/", "b2\t日本語\t7\thttp://b/"])
    }

    @Test func `on a terminal columns fit its width`() {
        let lines = table.lines(for: Display(isTerminal: true, width: 26, now: .init(seconds: 0)))
        #expect(
            lines == [
                "ID  TITLE                N",
                "a1  A rather long…   1,000",
                "b2  日本語               7",
            ])
        #expect(lines.allSatisfy { $0.displayWidth <= 26 })
    }

    @Test func `where columns do not fit, a record has several lines`() {
        var table = Table([
            .init("ID"), .init("TITLE", minimum: 16, isName: true), .init("EPISODES", rightAligned: true),
            .init("WHY", minimum: 20),
        ])
        table.rows = [
            [.init("ea5h5cwg-v8g5a8st"), .init("日本語のとても長い番組の名前です"), .init("1,234"), .init("no connection to the server")]
        ]
        let lines = table.lines(for: Display(isTerminal: true, width: 30, now: .init(seconds: 0)))
        #expect(
            lines == [
                "日本語のとても長い番組の名前で", "す", "  ea5h5cwg-v8g5a8st", "  1,234 episodes",
                "  no connection to the server",
            ])
    }

    @Test(arguments: [30, 40, 60, 80, 200])
    func `tables and sheets fit any width and break no word`(width: Int) {
        var table = Table([
            .init("ID"), .init("PUBLISHED"), .init("PODCAST", minimum: 10), .init("TITLE", minimum: 16, isName: true),
            .init("LENGTH", rightAligned: true),
        ])
        table.rows = [
            [.init("ea5h5cwg-v8g5a8st"), .init("2 days ago"), .init("夜の図書館"), .init("古い地図 and old charts"), .init("27:30")],
            [.init("ea5h5cwg-v8g5a8su"), .init("yesterday"), .init("Harbor Radio"), .init("Lighthouse keepers"), .init("34:18")],
        ]
        var sheet = Sheet("Harbor Radio and everything around it")
        sheet.add("feed asks for", "6 hours between fetches")
        sheet.add("id", "ea5h5cwg")
        let display = Display(isTerminal: true, width: width, now: .init(seconds: 0))
        let words = Set("Lighthouse keepers Harbor Radio yesterday between fetches everything around".split(separator: " "))
        let lines = table.lines(for: display) + sheet.lines(for: display)
        #expect(lines.allSatisfy { $0.displayWidth <= width })
        let shown = Set(lines.flatMap { $0.split(separator: " ") })
        #expect(words.isSubset(of: shown), "\(lines)")
        let sentence = "12 podcasts fetched in 2.5 s, 3 new episodes, 1 failed."
        #expect(display.fitted(sentence).allSatisfy { $0.displayWidth <= width })
    }

    @Test func `colour is there where it is asked for`() {
        var table = Table([.init("A")])
        table.rows = [[.init("x", style: .failed)]]
        let plain = table.lines(for: Display(isTerminal: true, now: .init(seconds: 0)))
        let coloured = table.lines(for: Display(isTerminal: true, hasColor: true, now: .init(seconds: 0)))
        #expect(plain == ["A", "x"])
        #expect(coloured == ["\u{1B}[2mA\u{1B}[0m", "\u{1B}[31mx\u{1B}[0m"])
    }
}
