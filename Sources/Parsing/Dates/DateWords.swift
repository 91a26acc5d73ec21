/// The words in dates besides months: halves of the day, zones, weekdays and fillers.
enum DateWords {
    /// True for the afternoon, false for the morning; nil for other words.
    static func halfOfDay(_ word: String) -> Bool? {
        switch word {
        case "am", "a.m", "오전", "午前", "上午": false
        case "pm", "p.m", "오후", "午後", "下午": true
        default: nil
        }
    }

    /// Minutes east of Greenwich, by name: those of RFC 822, and others that feeds use.
    static let zones: [String: Int] = [
        "ut": 0, "utc": 0, "gmt": 0, "z": 0, "wet": 0,
        "est": -300, "edt": -240, "et": -300, "cst": -360, "cdt": -300, "ct": -360,
        "mst": -420, "mdt": -360, "mt": -420, "pst": -480, "pdt": -420, "pt": -480,
        "akst": -540, "akdt": -480, "hst": -600, "at": -240, "ast": -240, "adt": -180, "nst": -210, "ndt": -150, "brt": -180,
        "bst": 60, "west": 60, "cet": 60, "met": 60, "mez": 60, "cest": 120, "mest": 120, "mesz": 120,
        "eet": 120, "sast": 120, "eest": 180, "msk": 180, "msd": 240, "ist": 330, "ict": 420,
        "hkt": 480, "sgt": 480, "awst": 480, "jst": 540, "kst": 540, "acst": 570, "acdt": 630,
        "aest": 600, "aedt": 660, "nzst": 720, "nzdt": 780,
        // Military zones, as defined by RFC 822.
        "a": -60, "b": -120, "c": -180, "d": -240, "e": -300, "f": -360, "g": -420, "h": -480, "i": -540, "k": -600, "l": -660,
        "m": -720, "n": 60, "o": 120, "p": 180, "q": 240, "r": 300, "s": 360, "t": 420, "u": 480, "v": 540, "w": 600, "x": 660,
        "y": 720,
    ]

    /// Weekdays have no effect, so any prefix of two bytes is accepted. Abbreviations that are not prefixes are listed
    /// too.
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

    /// True for words that are written between the parts of a date.
    static func isFiller(_ word: String) -> Bool {
        [
            "at", "of", "the", "de", "del", "d", "den", "um", "uhr", "kl", "klo", "klokken", "ore", "alle", "a", "las", "às",
            "ob", "om",
            "le", "à", "o", "r", "roku", "г", "года", "в", "р", "року", "saat", "pukul", "năm", "lúc",
        ].contains(word)
    }
}
