import Domain
import Searching
import Testing

/// Testing has tags of its own.
private typealias OwnTag = Domain.Tag

/// The query language of `jimmy search`.
@Suite struct QueryTests {
    @Test(
        arguments: [
            ("is:nwe", ["is:new"]), ("titel:storm", ["title:storm"]), ("after:soon", []), ("has:chapter", nil), ("12:30", nil),
            ("https://a.example/x", nil), ("\"is:nwe\"", nil), ("Bonus: the sea", nil), ("mailto:me@a.example", nil),
            ("速報：地震", nil),
            ("added:1d..x", []), ("is:new", nil),
        ] as [(String, [String]?)])
    func `what looks like a condition and is none is known, and searched as words`(text: String, suggestions: [String]?) {
        let query = SearchQuery(text: text, now: Timestamp(seconds: 0))
        #expect(query.unknown.first?.suggestions == suggestions)
        if suggestions != nil { #expect(!query.wantedTerms.isEmpty) }
    }

    @Test(
        arguments: [
            ("added:2024-05-01..2024-05-02", 1_714_521_600, 1_714_694_399), ("added:2024-05-01..", 1_714_521_600, nil),
            ("added:..2024-05", nil, 1_717_199_999), ("added:2024-05-01", 1_714_521_600, nil),
        ] as [(String, Int64?, Int64?)])
    func `added takes a date or a range, days inclusive`(text: String, from: Int64?, to: Int64?) {
        let query = SearchQuery(text: text)
        let range = SearchQuery.Condition.Kind.added(
            from: from.map { Timestamp(seconds: $0) }, to: to.map { Timestamp(seconds: $0) })
        #expect(query.conditions.map(\.kind) == [range])
    }

    /// A short form of a query: terms as typed, `&` and `|` between them, `!` before an excluded one.
    private func read(_ text: String) -> String {
        func form(_ expression: SearchQuery.Expression) -> String {
            switch expression {
            case .term(let term):
                let field = term.field.map { $0.rawValue + ":" } ?? ""
                let quote = term.isPhrase ? "\"" : ""
                return field + quote + term.text + quote + (term.isPrefix ? "*" : "")
            case .all(let parts): return "(" + parts.map(form).joined(separator: " & ") + ")"
            case .any(let parts): return "(" + parts.map(form).joined(separator: " | ") + ")"
            case .not(let part): return "!" + form(part)
            case .condition(let condition): return (condition.isNegated ? "!" : "") + "\(condition.kind)"
            }
        }
        return SearchQuery(text: text).expression.map(form) ?? ""
    }

    private func conditions(_ text: String) -> [SearchQuery.Condition] { SearchQuery(text: text).conditions }

    @Test(arguments: [
        ("tea", "tea"),
        ("tea cake", "(tea & cake)"),
        ("\"green tea\" cake", "(\"green tea\" & cake)"),
        ("tea OR coffee", "(tea | coffee)"),
        ("tea OR coffee cake", "((tea | coffee) & cake)"),
        ("a OR b OR c", "(a | b | c)"),
        ("tea -coffee", "(tea & !coffee)"),
        ("-\"green tea\"", "!\"green tea\""),
        ("pod*", "pod*"),
        ("title:tea", "title:tea"),
        ("TITLE:\"green tea\"", "title:\"green tea\""),
        ("-podcast:pod*", "!podcast:pod*"),
        ("(tea OR coffee) cake", "((tea | coffee) & cake)"),
        ("(green tea) OR coffee", "((green & tea) | coffee)"),
        ("tea -(milk OR sugar)", "(tea & !(milk | sugar))"),
        ("title:(green tea)", "(title:green & title:tea)"),
        ("title:(tea OR author:ann)", "(title:tea | author:ann)"),
        ("((a b) OR c) -(d)", "(((a & b) | c) & !d)"),
        ("tea AND cake", "(tea & cake)"),
        ("tea NOT cake", "(tea & !cake)"),
        ("NOT cake", "!cake"),
        ("tea AND NOT \"green tea\"", "(tea & !\"green tea\")"),
        ("tea OR NOT cake", "(tea | !cake)"),
        ("“green tea” OR „coffee“", "(\"green tea\" | \"coffee\")"),
        ("«green tea» »cake«", "(\"green tea\" & \"cake\")"),
        ("「東京」タワー　大阪", "(\"東京\" & タワー & 大阪)"),
        ("title：東京", "title:東京"),
        ("צה\"ל", "צה\"ל"),
        ("12:34", "(12 & 34)"),
    ])
    func operators(text: String, meaning: String) {
        #expect(read(text) == meaning)
    }

    @Test(arguments: [
        ("OR tea", "(OR & tea)"),
        ("tea OR", "(tea & OR)"),
        ("tea OR OR coffee", "(tea & (OR | coffee))"),
        ("\"green tea", "(green & tea)"),
        ("\"\"", ""),
        ("tea - cake", "(tea & - & cake)"),
        ("after:yesterday", "(after & yesterday)"),
        ("longer:soon", "(longer & soon)"),
        ("nonsense:tea", "(nonsense & tea)"),
        ("title:", "title"),
        ("AND tea", "(AND & tea)"),
        ("tea AND", "(tea & AND)"),
        ("tea NOT", "(tea & NOT)"),
        ("tea OR AND cake", "(tea & OR & cake)"),
        ("(tea", "tea"),
        ("tea) cake (", "(tea & cake)"),
        ("()", ""),
        ("() OR tea", "tea"),
        ("-()", ""),
        ("-) tea", "tea"),
        ("(-)", ""),
        ("“tea", "tea"),
        ("smile :)", "smile"),
        ("*", ""),
        ("or", "or"),
        ("   ", ""),
    ])
    func whatIsNotValidIsWords(text: String, meaning: String) {
        #expect(read(text) == meaning)
    }

    @Test func `conditions are taken out of the words`() throws {
        let query = SearchQuery(text: "tea after:2024-01-31 longer:1h30m in:queue -has:transcript")
        #expect(read("tea after:2024-01-31 longer:1h30m in:queue -has:transcript") == "tea")
        let day = try #require(Timestamp(year: 2024, month: 1, day: 31))
        #expect(
            query.conditions == [
                .init(.after(day)), .init(.longer(than: 5_400)), .init(.inQueue),
                .init(.hasTranscript, isNegated: true),
            ])
    }

    @Test func `dates may be years and months`() throws {
        #expect(conditions("before:2024") == [.init(.before(try #require(Timestamp(year: 2024, month: 1, day: 1))))])
        #expect(conditions("after:2024-05") == [.init(.after(try #require(Timestamp(year: 2024, month: 5, day: 1))))])
        #expect(conditions("after:2024-13").isEmpty)
        #expect(conditions("after:2024-02-30").isEmpty)
    }

    @Test(arguments: ["2024-01-31", "2024/1/31", "2024.01.31", "2024-01-31t00:00:00z", "TODAY", "0d", "24h", "1w"])
    func `dates are written in many ways`(text: String) throws {
        let start = try #require(Timestamp(year: 2024, month: 1, day: 31))
        let now = text == "24h" ? start + 86_400 : text == "1w" ? start + 7 * 86_400 : start
        #expect(SearchQuery(text: "after:\(text)", now: now).conditions == [.init(.after(start))])
    }

    @Test(arguments: [
        ("is:new", SearchQuery.Condition.Kind.tagged(.new)), ("tag:new", .tagged(.new)), ("TAG:Played", .tagged(.played)),
        ("is:starred", .tagged(.starred)), ("is:archived", .tagged(.archived)), ("is:downloaded", .tagged(.downloaded)),
        ("is:queued", .inQueue), ("is:withdrawn", .isWithdrawn),
    ])
    func `states`(text: String, kind: SearchQuery.Condition.Kind) { #expect(conditions(text) == [.init(kind)]) }

    @Test func `other tags are conditions too`() throws {
        let later = try #require(OwnTag("later"))
        #expect(conditions("tag:later") == [.init(.tagged(later))])
        #expect(conditions(#"-tag:"later""#) == [.init(.tagged(later), isNegated: true)])
        #expect(SearchQuery(text: "tag:(later OR new)").ownTags == [later, .new])
        #expect(read("keyword:later") == "keyword:later")
        #expect(SearchQuery(text: #"tag:"not one""#).unknown.count == 1)
        #expect(read("is:later") == "(is & later)")
        #expect(SearchQuery(text: "tag:Später OR tag:st* OR -is:new").ownTags == [try #require(OwnTag("später")), .new])
    }

    @Test func `times in the library may be ranges`() throws {
        func day(_ number: Int) throws -> Timestamp { try #require(Timestamp(year: 2024, month: 5, day: number)) }
        func added(_ text: String) -> [SearchQuery.Condition.Kind] {
            SearchQuery(text: "added:\(text)", now: Timestamp(year: 2024, month: 5, day: 9)).conditions.map(\.kind)
        }
        #expect(try added("2024-05-01") == [.added(from: day(1), to: nil)])
        #expect(try added("1d") == [.added(from: day(8), to: nil)])
        #expect(try added("2024-05-01..2024-05-02") == [.added(from: day(1), to: day(3) - 1)])
        #expect(try added("2024-05-01..") == [.added(from: day(1), to: nil)])
        #expect(try added("..2024-05-02") == [.added(from: nil, to: day(3) - 1)])
        #expect(try added("yesterday..today") == [.added(from: day(8), to: day(10) - 1)])
        for text in ["..", "x..2024", "2024..x", "soon"] { #expect(added(text).isEmpty, "\(text)") }
    }

    @Test func `dates counted from now need one`() {
        #expect(conditions("after:7d").isEmpty)
        #expect(conditions("before:yesterday").isEmpty)
        #expect(SearchQuery(text: "after:7x before:-1d", now: Timestamp(seconds: 0)).conditions.isEmpty)
    }

    @Test(arguments: ["1x", "m", "", "1m1h", "1h1h", "-5", "1:2:3:4", "h30"])
    func `what is no duration is words`(text: String) {
        #expect(conditions("longer:\(text)").isEmpty)
    }

    @Test(arguments: [
        ("90min", 5_400.0), ("2hours", 7_200), ("1h30m", 5_400), ("1hr30mins5secs", 5_405), ("90", 5_400.0), ("90m", 5_400),
        ("45s", 45), ("1h", 3_600), ("1.5h", 5_400), ("1:00:30", 3_630),
    ])
    func `durations`(text: String, seconds: Double) {
        #expect(conditions("shorter:\(text)") == [.init(.shorter(than: seconds))])
    }

    @Test func `conditions stand beside operators and in parentheses`() {
        for text in ["tea AND is:new", "is:new AND tea", "(tea is:new)", "tea (is:new)"] {
            #expect(read(text) == "tea", "\(text)")
            #expect(conditions(text) == [.init(.tagged(.new))], "\(text)")
        }
        for text in ["tea NOT is:new", "tea -is:new", "tea -(is:new)"] {
            #expect(read(text) == "tea", "\(text)")
            #expect(conditions(text) == [.init(.tagged(.new), isNegated: true)], "\(text)")
        }
    }

    @Test func `conditions may be alternatives`() {
        #expect(read("tea OR is:new") == "(tea | tagged(new))")
        #expect(read("is:new OR has:transcript") == "(tagged(new) | hasTranscript)")
        #expect(read("cake (tea is:new OR -in:queue)") == "(cake & (tea & (tagged(new) | !inQueue)))")
        #expect(read("cake -(tea is:new)") == "(cake & !(tea & tagged(new)))")
        #expect(conditions("is:new OR tea").isEmpty)
        #expect(conditions("type:full (is:new OR tea)") == [.init(.type("full"))])
        #expect(SearchQuery(text: "type:full (in:queue OR tea)").allConditions.map(\.kind) == [.type("full"), .inQueue])
        #expect(read("is:new OR") == "OR")
    }

    @Test func `terms know where they stand`() throws {
        let term = try #require(SearchQuery(text: "é title:tea*").wantedTerms.last)
        #expect(term.range == 9..<12)
        #expect(term.text == "tea")
    }

    @Test func `hostile text is read`() {
        for text in [
            String(repeating: "(", count: 100_000), String(repeating: "-(a OR ", count: 5_000),
            String(repeating: "NOT ", count: 5_000),
            String(repeating: "(a) ", count: 5_000) + String(repeating: ")", count: 5_000),
            "\"", "\"\"\"", "-", "--", "-\"", ":", "::", "*:*", "\u{0}", "a\u{0}b", "((((", "title:\"", "title:title:",
            String(repeating: "OR ", count: 5_000), String(repeating: "-\"", count: 5_000), "\u{FFFD}\u{E000}",
        ] {
            _ = SearchQuery(text: text)
        }
    }
}
