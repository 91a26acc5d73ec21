import Domain
import Testing

@Suite struct TitleNameTests {
    @Test(arguments: [
        ("spar", "Spår"), ("SPÅR", "spa\u{30A}r"), ("strasse", "Straße"), ("oresund", "Øresund"), ("radio night", "Night Radio"),
        ("dont panic", "Don’t Panic!"), ("99 invisible", "99% Invisible"), ("καλημερα", "Καλημέρα"), ("地図", "古い地図"),
    ])
    func `case, accents, punctuation and the order of words do not matter`(name: String, title: String) {
        #expect(TitleName(name).fit(title) != nil)
    }

    @Test func `an exact title fits best, then whole words, then beginnings of words`() {
        let name = TitleName("launch")
        #expect(name.fit("Launch") == .exact)
        #expect(name.fit("The launch of a podcast") == .words)
        #expect(name.fit("Launched today") == .beginnings)
        #expect(name.fit("Prelaunch") == nil)
        #expect(TitleName("…").fit("…") == nil)
        let titles = ["Launched today", "Launch party", "The launch"]
        #expect(name.best(among: titles) { $0 } == ["Launch party", "The launch"])
        #expect(name.best(among: titles + ["launch!"]) { $0 } == ["launch!"])
        #expect(name.best(among: ["Sea"]) { $0 } == [])
    }

    @Test func `all words must be there`() {
        #expect(TitleName("night sea").fit("Night Radio") == nil)
        #expect(TitleName("ni ra").fit("Night Radio") == .beginnings)
    }
}
