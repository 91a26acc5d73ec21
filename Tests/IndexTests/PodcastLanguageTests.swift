import Domain
import Index
import Searching
import Testing

/// The language that a podcast's words have their forms in.
@Suite struct PodcastLanguageTests {
    private let fixture: IndexFixture

    init() throws { fixture = try IndexFixture() }

    private func add(_ texts: [String], declared: String? = nil, to id: String = "pod00000") async throws -> String? {
        var channel = Channel()
        channel.language = declared
        let episodes = texts.enumerated().map { number, text in
            episode("e\(number)", "x", of: id) { $0.description = text }
        }
        try await fixture.index.apply([.whole(podcast(id), channel, episodes)])
        return try await fixture.index.language(of: PodcastID(text: id))
    }

    private static let german = [
        "Wir sprechen über die Geschichte der Stadt und was sie mit uns macht.",
        "In dieser Folge geht es um das Wetter, aber auch um die Politik und den Sport.",
        "Das ist eine Sendung für alle, die nicht genug von Büchern haben können.",
    ]

    @Test(arguments: [
        ("en", "This is a show about the history of the city and what it does to us."),
        ("de", "Das ist eine Sendung über die Geschichte der Stadt."),
        ("fr", "C'est une émission sur les villes et ce qu'elles font avec nous."),
        ("es", "Es un programa sobre la historia de las ciudades y lo que hacen con nosotros."),
        ("pt", "É um programa sobre a história das cidades e o que elas fazem com a gente, e não só."),
        ("it", "È una trasmissione sulla storia della città e su quello che fa con noi."),
        ("nl", "Dit is een programma over de geschiedenis van de stad en wat zij met ons doet."),
        ("sv", "Det här är ett program om stadens historia och vad den gör med oss."),
        ("da", "Det her er et program om byens historie, og hvad den gør ved os alle, når vi bliver ældre."),
        ("no", "Dette er et program om byens historie, og hva den gjør med oss når vi blir eldre."),
        ("fi", "Tämä on ohjelma kaupungin historiasta ja siitä, mitä se tekee meille."),
        ("pl", "To jest program o historii miasta i o tym, co ono z nami robi, bo nie tylko się zmienia."),
        ("cs", "To je pořad o historii města a o tom, co s námi dělá, když se mění."),
        ("sk", "To je relácia o histórii mesta a o tom, čo s nami robí, keď sa mení, ale aj prečo."),
        ("hu", "Ez egy műsor a város történetéről és arról, hogy mit csinál velünk."),
        ("ro", "Aceasta este o emisiune despre istoria orașului și ce face cu noi."),
        ("tr", "Bu bir şehrin tarihi ve bizim için ne yaptığı hakkında bir program."),
        ("id", "Ini adalah acara tentang sejarah kota dan apa yang dilakukannya untuk kami."),
        ("ru", "Это программа об истории города и о том, что он делает с нами."),
        ("uk", "Це програма про історію міста та про те, що воно робить із нами."),
        ("bg", "Това е предаване за историята на града и какво прави той с нас."),
        ("el", "Αυτή είναι μια εκπομπή για την ιστορία της πόλης."),
        ("he", "זאת תוכנית על ההיסטוריה של העיר ומה היא עושה לנו."),
        ("ar", "هذا برنامج عن تاريخ المدينة وما الذي تفعله بنا."),
        ("fa", "این برنامه‌ای است درباره تاریخ شهر و آنچه با ما می‌کند که برای همه است."),
        ("hi", "यह शहर के इतिहास के बारे में एक कार्यक्रम है।"),
        ("ja", "これは町の歴史についての番組です。"),
        ("zh", "这是一个关于城市历史的节目。"),
        ("ko", "이것은 도시의 역사에 대한 프로그램입니다."),
        ("th", "นี่คือรายการเกี่ยวกับประวัติศาสตร์ของเมือง"),
    ])
    func `its words tell`(language: String, text: String) async throws {
        #expect(try await add([text]) == language)
    }

    @Test func `what the feed declares counts unless its words are clearly others`() async throws {
        #expect(try await add(Self.german, declared: "de-AT") == "de")
        #expect(try await add(Self.german, declared: "en-us", to: "pod00001") == "de")
        // Danish and Norwegian words are mostly the same.
        let danish = ["Det er her hos os, og det er ikke for alle.", "Vi er her, og de kan ikke se det."]
        #expect(try await add(danish, declared: "nb", to: "pod00002") == "no")
        #expect(try await add(["Pi 3.14"], declared: "fi", to: "pod00003") == "fi")
        #expect(try await add(["Новости и что с нами"], declared: "en", to: "pod00004") == "ru")
        #expect(try await add(["Zzz"], to: "pod00005") == nil)
    }

    @Test func `an undeclared language has its forms`() async throws {
        _ = try await add(Self.german)
        #expect(try await fixture.search("städte") == ["pod00000-e0"])
        #expect(try await fixture.search("buch") == ["pod00000-e2"])
        #expect(try await fixture.search("wetters") == ["pod00000-e1"])
    }

    @Test func `forms count only in their language`() async throws {
        _ = try await add(["Sie waren mit den Kindern da und aßen die Äpfel"], declared: "de")
        _ = try await add(["The rates of decay, and what they do to it"], declared: "en", to: "pod00001")
        #expect(try await fixture.search("kind") == ["pod00000-e0"])
        #expect(try await fixture.search("rate") == ["pod00001-e0"])
        // In German `rate` is a form of `raten`, which nobody looks for in English.
        #expect(try await fixture.search("raten").isEmpty)
    }

    @Test func `it stays when new episodes tell less`() async throws {
        _ = try await add(Self.german)
        let new = episode("new", "Podcasts", of: "pod00000") { $0.description = "Häuser OK" }
        try await fixture.index.apply([.episodes(of: podcast(revision: 2), after: 1, Channel(), [new])])
        #expect(try await fixture.index.language(of: PodcastID(text: "pod00000")) == "de")
        #expect(try await fixture.search("haus") == ["pod00000-new"])
        #expect(try await fixture.index.contentRevisions(of: [PodcastID(text: "pod00000")]).values.first == 2)
    }

    /// - Parameter first: letters with which further languages begin, more than the header of a segment has room for.
    @Test(arguments: ["", "qxyj"]) func `forms are known in each of many languages`(first: String) async throws {
        let others = """
            en de fr es pt it nl sv fi pl cs sk hu ro hr sl tr id vi lt lv et ca eu ga is sq af cy gl lb mt ms sw tl zu
            """.split(separator: " ").map(String.init)
        let further = first.flatMap { letter in "abcdefghijklmnopqrstuvwxyz".map { String([letter, $0]) } }
        let changes = (others + further + ["da", "no"]).map { code in
            var channel = Channel()
            channel.language = code
            return IndexChange.whole(podcast("pod000" + code), channel, [episode("e", "Historier", of: "pod000" + code)])
        }
        try await fixture.index.apply(changes)
        let ids = try await fixture.search("historie")
        #expect(ids.contains("pod000da-e") && ids.contains("pod000no-e"))
    }

    @Test func `a suggestion has the usual spelling`() async throws {
        _ = try await add(["Una canción", "La cancion y la canción", "Müller"], declared: "es")
        let results = try await fixture.index.search(SearchRequest(text: "cancoin"))
        #expect(results.suggestion == "canción")
    }

    @Test func `a snippet marks other forms`() async throws {
        _ = try await add(["Neue Häuser am See"], declared: "de")
        let request = SearchRequest(text: "haus")
        let hit = try #require(try await fixture.index.search(request).hits.first)
        let shown = episode("e0", "x") { $0.description = "Neue Häuser am See" }
        let snippet = fixture.index.snippets(for: request).snippet(of: hit, in: shown, of: podcast())
        #expect(snippet.matches.map { String(decoding: Array(snippet.text.utf8)[$0], as: UTF8.self) } == ["Häuser"])
    }
}
