/// Reads the words of a date.
extension DateScanner {
    mutating func readWord() -> Bool {
        let start = index
        while index < bytes.count, Self.isLetter(bytes[index]) || bytes[index] >= 128 { index += 1 }
        // Nearly every date is written in English: no String is made of its words.
        switch DateWords.english(UnsafeBufferPointer(rebasing: bytes[start..<index])) {
        case .month(let number) where month == nil || monthIsDoubtful: return setMonth(number)
        case .weekday: return true
        case .utc where time != nil:
            offset = offset ?? 0
            return true
        default: break
        }
        if index - start == 1, isHalfOfDay(after: -1) { index += 2 }
        let word = String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
        if month == nil || monthIsDoubtful,
            let number = DateWords.month(word) ?? (day == nil ? nil : DateWords.misspeltMonth(word))
        {
            return setMonth(number)
        } else if ["tháng", "thg"].contains(word) {
            return readNumberedMonth()
        } else if let isAfternoon = DateWords.halfOfDay(word) {
            self.isAfternoon = isAfternoon
        } else if let zone = DateWords.zones[word], time != nil {
            offset = zone * 60
        } else if word == "t", time == nil, day != nil {
            return true
        } else if day == nil || DateWords.isFiller(word) || (year != nil && DateWords.isWeekday(word)) {
            // A weekday, right or wrong, in any language.
            return true
        } else {
            // RFC 5322, section 4.3: a zone nobody knows is UTC.
            return time != nil && year != nil && offset == nil
        }
        return true
    }

    private mutating func setMonth(_ number: Int) -> Bool {
        month = number
        monthIsDoubtful = day == nil && year == nil
        return true
    }

    /// Vietnamese: `31 tháng 12`.
    private mutating func readNumberedMonth() -> Bool {
        skipBlanks()
        let length = digitCount(at: index)
        guard (1...2).contains(length), month == nil else { return false }
        month = number(at: index, length)
        index += length
        return true
    }

    /// Whether `pm` or `p.m.` comes, after some bytes and perhaps a blank.
    func isHalfOfDay(after length: Int) -> Bool {
        let place = peek(length) == 32 ? length + 1 : length
        guard let first = peek(place), first | 0x20 == UInt8(ascii: "p") || first | 0x20 == UInt8(ascii: "a") else {
            return false
        }
        let letter = peek(place + 1) == UInt8(ascii: ".") ? place + 2 : place + 1
        guard let second = peek(letter), second | 0x20 == UInt8(ascii: "m") else { return false }
        return peek(letter + 1).map { !Self.isLetter($0) } ?? true
    }
}

/// The words of dates: months in the languages of feeds, zones, and words that mean nothing.
enum DateWords {
    /// Full names and abbreviations, lower case, without points. One line a language.
    private static let languages: [String] = [
        "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep sept|october oct|november nov|december dec",
        "januar jänner jan jän|februar feb|märz mär mrz maerz|april apr|mai|juni jun|juli jul|august aug|september sep sept|oktober okt|november nov|dezember dez",
        "janvier janv|février févr fév fevrier fevr|mars|avril avr|mai|juin|juillet juil|août aout aoû|septembre sept|octobre oct|novembre nov|décembre déc decembre",
        "enero ene|febrero feb|marzo mar|abril abr|mayo may|junio jun|julio jul|agosto ago|septiembre setiembre sep set|octubre oct|noviembre nov|diciembre dic",
        "gennaio gen|febbraio feb|marzo mar|aprile apr|maggio mag|giugno giu|luglio lug|agosto ago|settembre set sett|ottobre ott|novembre nov|dicembre dic",
        "janeiro jan|fevereiro fev|março mar marco|abril abr|maio mai|junho jun|julho jul|agosto ago|setembro set|outubro out|novembro nov|dezembro dez",
        "januari jan|februari feb|maart mrt|april apr|mei|juni jun|juli jul|augustus aug|september sep|oktober okt|november nov|december dec",
        "januari jan|februari feb|mars mar|april apr|maj|juni jun|juli jul|augusti aug|september sep|oktober okt|november nov|december dec",
        "januar jan|februar feb|marts mars|april apr|mai maj|juni jun|juli jul|august aug|september sep|oktober okt|november nov|desember des december",
        "tammikuu tammikuuta tammi|helmikuu helmikuuta helmi|maaliskuu maaliskuuta maalis|huhtikuu huhtikuuta huhti|toukokuu toukokuuta touko|kesäkuu kesäkuuta kesä|heinäkuu heinäkuuta heinä|elokuu elokuuta elo|syyskuu syyskuuta syys|lokakuu lokakuuta loka|marraskuu marraskuuta marras|joulukuu joulukuuta joulu",
        "styczeń stycznia sty|luty lutego lut|marzec marca mar|kwiecień kwietnia kwi|maj maja|czerwiec czerwca cze|lipiec lipca lip|sierpień sierpnia sie|wrzesień września wrz|październik października paź|listopad listopada lis|grudzień grudnia gru",
        "leden ledna led|únor února úno|březen března bře|duben dubna dub|květen května kvě|červen června čvn|červenec července čvc|srpen srpna srp|září zář|říjen října říj|listopad listopadu|prosinec prosince pro",
        "január jan|február febr|március márc|április ápr|május máj|június jún|július júl|augusztus aug|szeptember szept|október okt|november nov|december dec",
        "ianuarie ian|februarie feb|martie mar|aprilie apr|mai|iunie iun|iulie iul|august aug|septembrie sept|octombrie oct|noiembrie nov|decembrie dec",
        "ocak oca|şubat şub|mart mar|nisan nis|mayıs may|haziran haz|temmuz tem|ağustos ağu|eylül eyl|ekim eki|kasım kas|aralık ara",
        "январь января янв|февраль февраля фев|март марта мар|апрель апреля апр|май мая|июнь июня июн|июль июля июл|август августа авг|сентябрь сентября сен сент|октябрь октября окт|ноябрь ноября ноя|декабрь декабря дек",
        "січень січня січ|лютий лютого лют|березень березня бер|квітень квітня кві|травень травня тра|червень червня чер|липень липня лип|серпень серпня сер|вересень вересня вер|жовтень жовтня жов|листопад листопада лис|грудень грудня гру",
        "ιανουάριος ιανουαρίου ιαν|φεβρουάριος φεβρουαρίου φεβ φεβρ|μάρτιος μαρτίου μάρ μαρ μαρτ|απρίλιος απριλίου απρ|μάιος μαΐου μάϊ μαι μαϊ μάι|ιούνιος ιουνίου ιούν ιουν ιον|ιούλιος ιουλίου ιούλ ιουλ ιολ|αύγουστος αυγούστου αύγ αυγ|σεπτέμβριος σεπτεμβρίου σεπ σεπτ|οκτώβριος οκτωβρίου οκτ|νοέμβριος νοεμβρίου νοέ νοε|δεκέμβριος δεκεμβρίου δεκ",
        "januari jan|februari feb|maret mar|april apr|mei|juni jun|juli jul|agustus agu|september sep|oktober okt|november nov|desember des",
        "gener gen|febrer febr|març|abril abr|maig|juny|juliol jul|agost ag|setembre set|octubre oct|novembre nov|desembre des",
        "siječanj siječnja sij|veljača veljače velj|ožujak ožujka ožu|travanj travnja tra|svibanj svibnja svi|lipanj lipnja lip|srpanj srpnja srp|kolovoz kolovoza kol|rujan rujna ruj|listopad listopada lis|studeni studenoga stu|prosinac prosinca pro",
        "január januára|február februára|marec marca|apríl apríla|máj mája|jún júna|júl júla|august augusta|september septembra|október októbra|november novembra|december decembra",
        "јануар јан|фебруар феб|март мар|април апр|мај маја|јун јуна|јул јула|август авг|септембар сеп|октобар окт|новембар нов|децембар дец",
        "януари яну|февруари фев|март|април апр|май|юни|юли|август авг|септември сеп|октомври окт|ноември ное|декември дек",
        "sausio sausis|vasario vasaris|kovo kovas|balandžio balandis|gegužės gegužė|birželio birželis|liepos liepa|rugpjūčio rugpjūtis|rugsėjo rugsėjis|spalio spalis|lapkričio lapkritis|gruodžio gruodis",
        "jaanuar|veebruar|märts|aprill|mai|juuni|juuli|august|september|oktoober|november|detsember",
        "يناير|فبراير|مارس|أبريل ابريل|مايو|يونيو يونيه|يوليو يوليه|أغسطس اغسطس|سبتمبر|أكتوبر اكتوبر|نوفمبر|ديسمبر",
        "ינואר ינו|פברואר פבר|מרץ|אפריל אפר|מאי|יוני יונ|יולי יול|אוגוסט אוג|ספטמבר ספט|אוקטובר אוק|נובמבר נוב|דצמבר דצמ",
        "มกราคม|กุมภาพันธ์|มีนาคม|เมษายน|พฤษภาคม|มิถุนายน|กรกฎาคม|สิงหาคม|กันยายน|ตุลาคม|พฤศจิกายน|ธันวาคม",
        "januar|februar|marec marca|april|maj maja|junij junija jun|julij julija jul|avgust avgusta avg|september septembra|oktober oktobra|november novembra|december decembra",
        "januar|februar|mart marta|april|maj|jun juna|jul jula|avgust|septembar septembra|oktobar oktobra|novembar novembra|decembar decembra",
        "janúar|febrúar|mars|apríl|maí|júní jún|júlí júl|ágúst ágú|september|október|nóvember nóv|desember",
        "janvāris janvārī janvāra|februāris februārī februāra|marts martā marta|aprīlis aprīlī aprīļa|maijs maijā maija|jūnijs jūnijā jūnija jūn|jūlijs jūlijā jūlija jūl|augusts augustā augusta|septembris septembrī septembra|oktobris oktobrī oktobra|novembris novembrī novembra|decembris decembrī decembra",
        "januari|februari|mac|april|mei|jun|julai|ogos ogo|september|oktober|november|disember dis",
        "ژانویه|فوریه|مارس|آوریل|مه می|ژوئن|ژوئیه|اوت|سپتامبر|اکتبر|نوامبر|دسامبر",
        "一月|二月|三月|四月|五月|六月|七月|八月|九月|十月|十一月|十二月",
    ]

    private static let months: [String: Int] = {
        var months: [String: Int] = [:]
        for language in languages {
            for (index, names) in language.split(separator: "|").enumerated() {
                // The first language that has a name keeps it.
                for name in names.split(separator: " ") where months[String(name)] == nil { months[String(name)] = index + 1 }
            }
        }
        return months
    }()

    /// The number of the month with this name, in lower case; a beginning serves that no other month has.
    static func month(_ word: String) -> Int? {
        guard word.utf8.count >= 3 else { return nil }
        if let month = months[word] { return month }
        // Hebrew: `בדצמבר`, in December.
        if word.hasPrefix("ב"), let month = months[String(word.dropFirst())] { return month }
        guard word.count >= 4 else { return nil }
        var found: Int?
        for (name, month) in months where name.hasPrefix(word) {
            if let found, found != month { return nil }
            found = month
        }
        return found
    }

    /// `decmber`, `feburary`: three letters tell English months apart.
    static func misspeltMonth(_ word: String) -> Int? {
        var word = word
        guard word.utf8.count >= 5,
            case .month(let month)? = word.withUTF8({ english(UnsafeBufferPointer(rebasing: $0.prefix(3))) })
        else {
            return nil
        }
        return month
    }

    /// Whether the word means the afternoon (true) or the morning.
    static func halfOfDay(_ word: String) -> Bool? {
        switch word {
        case "am", "a.m", "오전", "午前", "上午": false
        case "pm", "p.m", "오후", "午後", "下午": true
        default: nil
        }
    }

    /// A date with other letters than ASCII's in the signs the scanner knows: Chinese, Japanese and Korean number years, months,
    /// days and hours (`2005年3月1日 10時30分`, `2005년 3월 1일`), and word processors replace blanks and hyphens.
    /// nil if there is nothing to replace.
    static func plain(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard bytes.contains(where: { $0 >= 128 }) else { return nil }
        var rest = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)[...]
        var plain = ""
        while let scalar = rest.popFirst() {
            switch scalar {
            case "年", "년", "日", "일", "号", "號", "秒", "초", "\u{60C}", "\u{A0}", "\u{202F}", "\u{2009}", "\u{3000}", "\u{FF0C}":
                plain += " "
            case "月", "월":
                let digits = plain.unicodeScalars.reversed().prefix { ("0"..."9").contains($0) }.reversed()
                guard let number = Int(String(String.UnicodeScalarView(digits))), (1...12).contains(number) else {
                    plain.unicodeScalars.append(scalar)
                    continue
                }
                plain.unicodeScalars.removeLast(digits.count)
                plain += " \(names[number - 1]) "
            case "時", "时", "點", "点", "시":
                rest = rest.drop { $0 == " " }
                plain += rest.first.map { ("0"..."9").contains($0) } ?? false ? ":" : ":00"
            case "分", "분":
                rest = rest.drop { $0 == " " }
                plain += rest.first.map { ("0"..."9").contains($0) } ?? false ? ":" : " "
            case "\u{FF10}"..."\u{FF19}": plain += "\(scalar.value - 0xFF10)"
            case "\u{2010}"..."\u{2015}", "\u{2212}": plain += "-"
            case "\u{660}"..."\u{669}": plain += "\(scalar.value - 0x660)"
            case "\u{6F0}"..."\u{6F9}": plain += "\(scalar.value - 0x6F0)"
            case "\u{FF1A}": plain += ":"
            case "\u{FF08}": plain += "("
            case "\u{FF09}": plain += ")"
            case "\u{2019}": plain += "'"
            case "\u{200E}", "\u{200F}", "\u{FEFF}", "\u{202A}"..."\u{202E}": break
            default: plain.unicodeScalars.append(scalar)
            }
        }
        return plain
    }

    enum English {
        case month(Int), weekday, utc
    }

    private static let names: [StaticString] = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]

    /// The month of an English abbreviation of three letters, the first of them a capital.
    static func englishMonth(_ a: UInt8, _ b: UInt8, _ c: UInt8) -> Int? {
        switch (a, b, c) {
        case (0x4A, 0x61, 0x6E): 1  // Jan
        case (0x46, 0x65, 0x62): 2  // Feb
        case (0x4D, 0x61, 0x72): 3  // Mar
        case (0x41, 0x70, 0x72): 4  // Apr
        case (0x4D, 0x61, 0x79): 5  // May
        case (0x4A, 0x75, 0x6E): 6  // Jun
        case (0x4A, 0x75, 0x6C): 7  // Jul
        case (0x41, 0x75, 0x67): 8  // Aug
        case (0x53, 0x65, 0x70): 9  // Sep
        case (0x4F, 0x63, 0x74): 10  // Oct
        case (0x4E, 0x6F, 0x76): 11  // Nov
        case (0x44, 0x65, 0x63): 12  // Dec
        default: nil
        }
    }

    /// An English month or weekday, whole or cut short after three letters or more, and the usual zone.
    static func english(_ word: UnsafeBufferPointer<UInt8>) -> English? {
        guard word.count >= 3 else { return nil }
        for (index, name) in names.enumerated() where isStart(word, of: name) {
            return index < 12 ? .month(index + 1) : .weekday
        }
        return Text(word).isWord("gmt") || Text(word).isWord("utc") ? .utc : nil
    }

    private static func isStart(_ word: UnsafeBufferPointer<UInt8>, of name: StaticString) -> Bool {
        guard word.count <= name.utf8CodeUnitCount else { return false }
        for index in 0..<word.count where word[index] | 0x20 != name.utf8Start[index] { return false }
        return true
    }

    /// Minutes east of Greenwich. Names of RFC 822, and those feeds use besides.
    static let zones: [String: Int] = [
        "ut": 0, "utc": 0, "gmt": 0, "z": 0, "wet": 0,
        "est": -300, "edt": -240, "et": -300, "cst": -360, "cdt": -300, "ct": -360,
        "mst": -420, "mdt": -360, "mt": -420, "pst": -480, "pdt": -420, "pt": -480,
        "akst": -540, "akdt": -480, "hst": -600, "at": -240, "ast": -240, "adt": -180, "nst": -210, "ndt": -150, "brt": -180,
        "bst": 60, "west": 60, "cet": 60, "met": 60, "mez": 60, "cest": 120, "mest": 120, "mesz": 120,
        "eet": 120, "sast": 120, "eest": 180, "msk": 180, "msd": 240, "ist": 330, "ict": 420,
        "hkt": 480, "sgt": 480, "awst": 480, "jst": 540, "kst": 540, "acst": 570, "acdt": 630,
        "aest": 600, "aedt": 660, "nzst": 720, "nzdt": 780,
        // Military, as RFC 822 has them.
        "a": -60, "b": -120, "c": -180, "d": -240, "e": -300, "f": -360, "g": -420, "h": -480, "i": -540, "k": -600, "l": -660,
        "m": -720, "n": 60, "o": 120, "p": 180, "q": 240, "r": 300, "s": 360, "t": 420, "u": 480, "v": 540, "w": 600, "x": 660,
        "y": 720,
    ]

    /// Weekdays, by which nothing is decided: a beginning of two letters serves, and of those that are shortened otherwise
    /// the short form stands beside.
    private static let weekdays: [String] = """
        monday tuesday wednesday weds thursday friday saturday sunday
        montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
        lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles miercoles jueves viernes sábado sabado domingo
        lunedì martedì mercoledì giovedì venerdì sabato domenica segunda terça terca quarta quinta sexta feira
        dilluns dimarts dimecres dijous divendres dissabte diumenge luni marți marţi miercuri joi vineri sâmbătă duminică
        maandag dinsdag woensdag donderdag vrijdag vr zaterdag zondag zo mandag tirsdag onsdag torsdag fredag lørdag søndag
        måndag tisdag lördag söndag maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai
        poniedziałek wtorek środa czwartek czw piątek pt sobota niedziela pondělí úterý středa čtvrtek pátek neděle
        pondelok utorok streda štvrtok piatok nedeľa hétfő kedd szerda csütörtök péntek szombat vasárnap
        ponedjeljak utorak srijeda četvrtak petak subota nedjelja ponedeljek torek sreda četrtek petek nedelja
        ponedeljak isnin pirmdiena otrdiena trešdiena ceturtdiena piektdiena sestdiena svētdiena
        esmaspäev teisipäev kolmapäev neljapäev reede laupäev pühapäev
        mánudagur þriðjudagur miðvikudagur fimmtudagur föstudagur laugardagur sunnudagur
        pazartesi salı çarşamba perşembe cuma cumartesi pazar senin selasa rabu kamis jumat sabtu minggu
        понедельник пн вторник вт среда ср четверг чт пятница пт суббота сб воскресенье вс понеділок вівторок середа четвер неділя
        понеделник вторник сряда четвъртък петък събота неделя понедељак уторак среда четвртак петак субота недеља
        δευτέρα τρίτη τρι τετάρτη πέμπτη πεμ παρασκευή σάββατο σαβ κυριακή
        月曜 火曜 水曜 木曜 金曜 土曜 曜 星期一 星期二 星期三 星期四 星期五 星期六 星期天 周一 周二 周三 周四 周五 周六 週一 週二 週三 週四 週五 週六
        월요 화요 수요 목요 금요 토요 요
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    static func isWeekday(_ word: String) -> Bool {
        weekdays.contains { word.utf8.count > 1 && $0.hasPrefix(word) || $0.utf8.count > 4 && word.hasPrefix($0) }
    }

    /// Words that people put between the parts.
    static func isFiller(_ word: String) -> Bool {
        [
            "at", "of", "the", "de", "del", "d", "den", "um", "uhr", "kl", "klo", "klokken", "ore", "alle", "a", "las", "às",
            "ob", "om",
            "le", "à", "o", "r", "roku", "г", "года", "в", "р", "року", "saat", "pukul", "năm", "lúc",
        ].contains(word)
    }
}
