/// The English names of languages.
enum LanguageName {
    /// The name for a code in a feed, such as `de-AT`; nil if it has none here.
    static func of(_ code: String) -> String? { names[code.lowercased().prefix { $0 != "-" && $0 != "_" }.description] }

    /// Several codes may have the same name.
    private static let names: [String: String] = {
        var names: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            for code in words.dropFirst() { names[String(code)] = String(words[0]) }
        }
        return names
    }()

    private static let text = """
        Arabic ar ara
        Armenian hy
        Azerbaijani az
        Basque eu
        Belarusian be
        Bulgarian bg
        Burmese my
        Catalan ca cat
        Chinese zh zho chi
        Croatian hr hrv
        Czech cs ces cze
        Danish da dan
        Dutch nl nld dut
        English en eng
        Estonian et
        Finnish fi fin
        French fr fra fre
        Georgian ka
        German de deu ger
        Greek el ell gre
        Hebrew he iw heb
        Hindi hi hin
        Hungarian hu hun
        Icelandic is
        Indonesian id in
        Irish ga
        Italian it ita
        Japanese ja jpn
        Khmer km
        Korean ko kor
        Lao lo
        Latvian lv
        Lithuanian lt
        Macedonian mk
        Marathi mr
        Nepali ne
        Norwegian no nb nn nob nor
        Persian fa fas per
        Polish pl pol
        Portuguese pt por
        Romanian ro mo ron rum
        Russian ru rus
        Serbian sr sh srp
        Slovak sk slk slo
        Slovene sl slv
        Spanish es spa
        Swedish sv swe
        Tamil ta
        Thai th
        Turkish tr tur
        Ukrainian uk ukr
        Urdu ur
        Vietnamese vi vie
        Yiddish yi ji
        """
}
