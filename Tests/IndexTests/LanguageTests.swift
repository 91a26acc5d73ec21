import Domain
import Index
import Testing

/// Search in many languages: each text is found by each of the words, and not by the others.
@Suite struct LanguageTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var found: [String]
        var notFound: [String] = []
        var testDescription: String { text }
    }

    @Test(arguments: [
        Case(text: "Café Straße Ångström naïve", found: ["cafe", "CAFÉ", "cafe\u{301}", "strasse", "STRASSE", "angstrom", "naive"]),
        Case(text: "cafe\u{301} strasse", found: ["café", "Straße"]),
        Case(text: "Łódź Ørsted Þór œuvre", found: ["lodz", "orsted", "thor", "oeuvre"]),
        Case(text: "İstanbul'da ısı", found: ["istanbul", "ISI", "ısı"]),
        Case(text: "ＡＢＣ１２３ ﬁne ①", found: ["abc123", "fine", "ﬁne", "1"]),
        Case(text: "Tiếng Việt đặc biệt", found: ["tieng viet", "dac", "ĐẶC"]),
        Case(text: "Ёлка и Ёж ПОДКАСТ", found: ["елка", "ёж", "подкаст"]),
        Case(text: "Ο Οδυσσεύς της Ιθάκης", found: ["οδυσσευσ", "ιθακησ", "ΟΔΥΣΣΕΎΣ"]),
        Case(text: "東京タワーとChatGPTの話", found: ["東京", "京タ", "タワー", "chatgpt", "ChatGPTの話", "話", "東"], notFound: ["大阪", "京東", "gpt"]),
        Case(text: "ｶﾞﾀﾞﾘ ポッドキャスト", found: ["ガダリ", "キャスト", "ポッド"]),
        Case(text: "か\u{3099}んばる", found: ["がん", "がんばる"]),
        Case(text: "人工智能与机器学习", found: ["人工智能", "学习", "机器", "工智"], notFound: ["智工"]),
        Case(text: "한국어 팟캐스트를 듣다", found: ["팟캐스트", "한국", "캐스"], notFound: ["국한"]),
        Case(text: "\u{1112}\u{1161}\u{11AB}국", found: ["한국"]),
        Case(text: "สวัสดีครับ พอดแคสต์ไทย", found: ["สวัสดี", "พอดแคสต์", "ไทย"], notFound: ["ลาว"]),
        Case(text: "مُحَمَّدٌ وَالكِتَاب إلى", found: ["محمد", "الى", "والكتاب"]),
        Case(text: "שָׁלוֹם עוֹלָם", found: ["שלום", "עולם"]),
        Case(text: "हिन्दी पॉडकास्ट ३", found: ["हिन्दी", "पॉडकास्ट", "3"]),
        Case(text: "don't stop l'amour co-op", found: ["don't", "don’t", "amour", "co-op", "\"co op\""]),
        Case(text: "Running the stories of cities", found: ["run", "runs", "running", "story", "city", "\"running the stories\""], notFound: ["\"run the story\"", "\"runs\"", "runner"]),
        Case(text: "run a story", found: ["running", "stories", "\"run a story\""], notFound: ["\"running\""]),
        Case(text: "an organization making baked goods", found: ["make", "bake", "organizations", "good"], notFound: ["organ"]),
    ])
    func words(_ example: Case) async throws {
        let fixture = try IndexFixture()
        try await fixture.index.apply([
            .whole(podcast(), Channel(), [episode("a", "x") { $0.description = example.text }])
        ])
        for word in example.found {
            #expect(try await fixture.search(word) == ["pod00000-a"], "\(word) in \(example.text)")
        }
        for word in example.notFound {
            #expect(try await fixture.search(word) == [], "\(word) not in \(example.text)")
        }
    }
}
