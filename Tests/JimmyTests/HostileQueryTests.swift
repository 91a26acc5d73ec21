import Testing

/// Any query finds something or nothing: no crash, and no message in terms of a database.
@Suite struct HostileQueryTests {
    /// U+FDD0, a noncharacter: what programs keep to themselves.
    private static let mark = String(decoding: [0xEF, 0xB7, 0x90], as: UTF8.self)
    private static let typed = [
        "\"", "'", "\"\"\"", "-", "---", "*", "**", "(", "))", ":", "::", "*:*", "-*", "-\"", "-(\"", "OR", "NOT NOT",
        "AND OR NOT",
        "NEAR(sea radio)", "sea NEAR/2 radio", "^sea", "{title} : sea", "title:", "title:title:", "title:\"", "title:(", "+sea",
        "rowid:1", "facet:any", "rank", "'; DROP TABLE words; --", "\" OR 1=1 --", "words MATCH 'sea'", "SELECT * FROM episodes",
        "\\", "\\\"", "%s%n", "$(id)", "\n", "\t", "\u{1B}[31m", "\u{7}", "\u{202E}sea", "\u{200B}", "\u{FEFF}", "\u{FFFD}",
        "\(mark)any",
        "\"\(mark)any\"", "-\(mark)any", "\(mark)*", "\u{10FFFF}", "\u{E000}", "🎙️", "-🎙️", "\u{301}", "ﷺ",
        "after:", "after:9999-99-99", "after:-1", "before:99999999999999999999", "longer:1e999", "longer:nan", "longer:1:1:1:1",
        "season:-1", "season:99999999999999999999", "type:x", "in:x", "is:new is:new", "before:2000 after:2030", "--since",
    ]
    private static let pieces = [
        "\"", "(", ")", "-", "*", ":", " OR ", " AND ", " NOT ", " ", "title:", "sea", "東京", "“", "”", "«", "after:", "2024",
        "is:new",
        "\(mark)", "é", "\\", "'", "-(", "\"(", "C++", "1,000", "ー", "\u{3099}", "\u{301}", "ไ", "न्द",
    ]

    /// Pieces thrown together, the same each time.
    private static var thrown: [String] {
        var seed: UInt64 = 7
        func next(_ bound: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % bound
        }
        return (0..<40).map { _ in (0...next(30)).map { _ in pieces[next(pieces.count)] }.joined() }
    }

    private static let long = [
        "(", ")", "\"", "-(", "*", "a ", "\"a\" ", "a OR ", "NOT ", "te* ", "title:", "東 ", "é", "\u{301}",
    ].flatMap {
        [String(repeating: $0, count: 20_000)]
    }

    @Test func `no query is an error`() throws {
        let home = try Home()
        try home.subscribe("Night Radio", episodes: 3)
        for query in Self.typed + Self.thrown + Self.long {
            let run = try home.jimmy.run("search", "--", query)
            let shown = String(query.prefix(60))
            #expect([0, 1, 64].contains(run.status), "\(shown)")
            #expect(run.errorLines.count <= 3, "\(shown)")
            let message = run.errors.replacing(query, with: "").lowercased()
            for word in ["sql", "fts", "syntax", "malformed", "no such", "database", "fatal"] {
                #expect(!message.contains(word), "\(shown): \(message.prefix(200))")
            }
        }
    }
}
