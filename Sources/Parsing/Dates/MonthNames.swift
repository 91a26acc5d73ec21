/// The names of months in the languages of feeds.
enum MonthNames {
    /// Full names and abbreviations in lower case, without periods; one line per language.
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
                // If languages disagree, the first one wins.
                for name in names.split(separator: " ") where months[String(name)] == nil { months[String(name)] = index + 1 }
            }
        }
        return months
    }()

    /// The number of the month with this name, in lower case, or of the only month whose name begins with it.
    static func month(_ word: String) -> Int? {
        guard word.utf8.count >= 3 else { return nil }
        if let month = months[word] { return month }
        // Hebrew: `בדצמבר`, in December.
        if word.hasPrefix("ב"), let month = months[String(word.dropFirst())] { return month }
        guard word.count >= 4 else { return nil }
        var onlyMonth: Int?
        for (name, month) in months where name.hasPrefix(word) {
            if let onlyMonth, onlyMonth != month { return nil }
            onlyMonth = month
        }
        return onlyMonth
    }

    /// The month of a misspelt English name such as `decmber` or `feburary`, by its first three letters.
    static func misspeltMonth(_ word: String) -> Int? {
        let start = String(decoding: word.utf8.prefix(3), as: UTF8.self)
        guard word.utf8.count >= 5, case .month(let month)? = start.withText(EnglishDateWords.meaning) else { return nil }
        return month
    }
}
