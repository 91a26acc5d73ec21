/// English words with irregular forms: `run` and `ran`, `child` and `children`.
///
/// Forms that are also words in their own right, and better known as such, are left out: `left`, `saw`, `rose`, `led`,
/// `fed`.
enum IrregularEnglish {
    /// The base form of an irregular one.
    static let bases: [String: String] = {
        var bases: [String: String] = [:]
        for family in families {
            for form in family.dropFirst() { bases[form] = family[0] }
        }
        return bases
    }()

    /// The base forms that are shorter than other words with forms.
    static let shortBases = Set(families.lazy.map { $0[0] }.filter { $0.utf8.count < 3 })

    /// Words that only look like a plural, a past or a progressive form.
    static let unchanged: Set<String> = [
        "anything", "atlas", "bias", "cosmos", "does", "during", "evening", "everything", "gas", "herring", "inning",
        "news", "nothing", "something", "united", "unite",
    ]

    /// The hashes of all words that are not as others, see `TermTable.hash`.
    static let hashes = Set(
        (Array(bases.keys) + shortBases + unchanged).map { word in word.withBytes { TermTable.hash($0) } })

    /// Each base form, and its irregular forms.
    static let families: [[String]] = {
        var (families, family, start) = ([[String]](), [String](), 0)
        // Splitting twice would take three times as long, which every search would wait for.
        let bytes = Array((list + "|").utf8)
        for (end, byte) in bytes.enumerated() where !(97...122).contains(byte) {
            family.append(String(decoding: bytes[start..<end], as: UTF8.self))
            start = end + 1
            if byte == UInt8(ascii: " ") { continue }
            families.append(family)
            family = []
        }
        return families
    }()

    private static let list = """
        analysis analyses|arise arose arisen|awake awoke awoken|basis bases|become became|begin began begun
        bend bent|blow blew blown|break broke broken|breed bred|bring brought|build built|burn burnt|bus buses|buy bought
        calf calves|catch caught|child children|choose chose chosen|cling clung|creep crept|crisis crises
        criterion criteria|curriculum curricula|deal dealt|die dying|dig dug|draw drew drawn|dream dreamt
        drink drank drunk|drive drove driven|eat ate eaten|elf elves|emoji emojis|fall fell fallen|feel felt
        fight fought|find found|flee fled|fly flew flown|foot feet|forbid forbade forbidden|forget forgot forgotten
        forgive forgave forgiven|free freed|freeze froze frozen|gas gases|get got gotten|give gave given
        go goes went gone|goose geese|grow grew grown|half halves|hang hung|hear heard|hide hid hidden|hold held
        hypothesis hypotheses|index indices|keep kept|kneel knelt|knife knives|know knew known|learn learnt|lens lenses
        lie lying|life lives|loaf loaves|lose lost|make made|man men|matrix matrices|mean meant|meet met|mouse mice
        oasis oases|ox oxen|pay paid|person people|phenomenon phenomena|plus pluses|prove proven|quiz quizzes
        ride rode ridden|ring rang rung|rise risen|run ran|say said|scarf scarves|see seen|seek sought|self selves
        sell sold|send sent|shake shook shaken|shelf shelves|shine shone|shoot shot|show shown|shrink shrank shrunk
        sing sang sung|sink sank sunk|sit sat|sky skies|sleep slept|slide slid|speak spoke spoken|spend spent|spin spun
        spring sprang sprung|stand stood|steal stole stolen|stick stuck|sting stung|strike struck|swear swore sworn
        sweep swept|swim swam swum|swing swung|take took taken|taxi taxis|teach taught|tear tore torn|tell told
        thesis theses|thief thieves|think thought|throw threw thrown|tie tying|tooth teeth|understand understood
        wake woke woken|wear wore worn|weave wove woven|weep wept|wife wives|win won|wolf wolves|woman women
        write wrote written
        """
}
