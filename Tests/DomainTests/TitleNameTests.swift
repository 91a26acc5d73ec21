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

    @Test func `the first look passes over no title that fits, and over most others`() {
        let titles = [
            "Spår", "Straße", "Don't Panic", "Don’t Panic!", "99% Invisible", "Night Radio 10", "The Radio Show Number 0",
            "AC/DC", "古い地図", "X-ray @ 7", "", "10",
        ]
        let names = ["spar", "strasse", "dont panic", "0", "10", "ni ra", "radio show 0", "ac dc", "dc", "地図", "x", "7", "ray"]
        for name in names.map(TitleName.init) {
            for title in titles where name.fit(title) != nil { #expect(name.mayFit(title), "\(title)") }
        }
        #expect(!TitleName("radio show 0").mayFit("The Radio Show Number 10"))
        #expect(!TitleName("").mayFit("Night"))
    }
}

extension TitleName {
    fileprivate func mayFit(_ title: String) -> Bool {
        let bytes = Array(title.utf8)
        return mayFit(bytes.span)
    }
}
