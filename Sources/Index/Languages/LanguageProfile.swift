/// Profiles by which languages are recognized: their most common short words, and their letters beyond a to z.
enum LanguageProfiles {
    /// If two languages tie, the first one wins, so a language that has all letters of another and more comes after it.
    static let languages = fields.compactMap { Language(code: $0[0].utf8) }

    /// For each word the languages in which it is common, as bits at their indices in `languages`.
    private static let words: [String: UInt64] = {
        var words: [String: UInt64] = [:]
        for (number, fields) in fields.enumerated() {
            for word in fields[2].split(separator: " ") { words[String(word), default: 0] |= 1 << UInt64(number) }
        }
        return words
    }()

    /// For each letter the languages that are written with it, as bits.
    private static let letters: [Unicode.Scalar: UInt64] = {
        var letters: [Unicode.Scalar: UInt64] = [:]
        for (number, fields) in fields.enumerated() {
            for letter in fields[1].unicodeScalars { letters[letter, default: 0] |= 1 << UInt64(number) }
        }
        return letters
    }()

    /// True for one of the most common words of any language.
    static func isCommon(_ word: String) -> Bool { words[word] != nil }

    /// Scores for each of `languages`, from words in lower case.
    ///
    /// A word counts less the more languages it is common in. A word with accents counts a little for languages that
    /// have all of its letters.
    static func scores(of texts: [String]) -> [Double] {
        var scores = [Double](repeating: 0, count: languages.count)
        for word in texts {
            if let common = words[word] {
                let share = 1 / Double(common.nonzeroBitCount)
                for number in scores.indices where common & 1 << UInt64(number) != 0 { scores[number] += share }
            }
            guard word.utf8.contains(where: { $0 >= 0x80 }) else { continue }
            let fitting = word.unicodeScalars.reduce(UInt64.max) { $1.value < 0x80 ? $0 : $0 & letters[$1, default: 0] }
            for number in scores.indices { scores[number] += fitting & 1 << UInt64(number) != 0 ? 0.2 : -0.3 }
        }
        return scores
    }

    private static let fields: [[String]] = text.split(separator: "\n").map { line in
        line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    }

    private static let text = """
        en||the of and to in a is it that for on with you this are we be as at from by have was or not your our what about how an who they his her all will more can has but if here us my their join
        de|äöüß|der die und das ist in zu den mit von für auf im nicht es ein eine auch sich wir ich des dem sind was wie über als aus bei uns an wird er sie haben aber oder so mehr hier einen einer ihr war nach um euch zum zur
        nl|éëïóè|de het een en van in is dat op te voor met zijn die niet aan er om ook je als ze dit maar wat bij door we over hier naar uit ons hoe deze nog wordt worden wij hebben heeft of jij mijn deze aflevering
        fr|àâæçéèêëîïôœùûüÿ|le la les de des du et en un une est que qui dans pour pas sur avec au ce par plus ne se je vous nous il elle sont mais ou comme son sa ses cette ces leur aux on où être fait tout voici notre votre c d l
        es|áéíñóúü|de la que el en y los se del las un por con una para su al lo como más pero sus le ya o este sí porque esta entre cuando muy sin sobre también me hasta hay donde quien nos todo esto es son nosotros ser
        pt|áâãàçéêíóôõúü|de a o que e do da em um para com não uma os no se na por mais as dos como mas ao das foi seu sua ou quando muito nos já eu também pelo pela até isso isto é são nós ela ele entre depois sem mesmo você
        it|àèéìòóù|di e il la che in un per è non una con si da del i le dei al lo come più della sono ma anche nel alla gli se dal ci questo questa delle ha o nella cui mi chi noi quando tutti suo sua essere perché fare
        ca|àçèéíïòóúü|de la i el que a en els les un per una amb del és no es al més com dels ens són però ha va hi si o les seva seu molt aquest aquesta això nosaltres hem tot quan també fins sobre sense on ser
        ro|ăâîșțşţ|de și în la a cu pe o un nu din care este ce pentru mai sunt că să se au fi al le ai lui ei dar cum sau această acest aceasta noi despre fost după despre prin până când într ne
        sv|åäöé|och i att det som en på är av för med den till inte om har de ett vi jag var han man hur kan från så men du eller oss hos här när vad där ut alla sig detta efter ska mer blir också
        da|æøåé|og i at det er en til af på for med den der de som ikke et har om vi jeg var men du fra så han hvad her man kan os hos når hvor ud alle sig efter skal eller også noget meget bliver
        no|æøåéò|og i det er på at en som til av for med den har de ikke et om vi jeg var men du fra så han hva her man kan oss hos når hvor ut alle seg etter skal eller også noe mye blir mot ble å ei dette
        is|áéíðóúýþæö|og að í á er það sem við um til en ekki með af fyrir var eru hann ég þú hún þetta hér frá þar okkur hjá þegar eða verður hefur kemur út upp því svo hafa voru einn mig hvað
        fi|äöå|ja on ei se että oli hän mutta ovat ole kun mitä niin jos kuin tämä myös joka mukaan sekä tai sen mikä minä sinä me te meille hänen ollut nyt sitä tässä vain jotka jo olla voi siitä miten kanssa
        et|äöõüšž|ja on ei see et oli ta kui aga ka mis või seda ning oma siis nii kes välja selle mida meile meie saab nad kas üle juba pole veel kuidas selles mille me te ma sa olla koos
        hu|áéíóöőúüű|a az és hogy nem is egy van ez meg volt de csak ha már mint mi el azt itt ezt vagy még lesz ki ami minden nekünk fel ő aki sem akkor mert kell így majd úgy lehet pedig miért nagyon
        tr|çğıöşüâî|ve bir bu da de için ile ne o çok gibi olarak daha var en kadar ben sen biz bizim ama mi sonra ya her ki olan değil nasıl içinde şey ise bunu mı veya olduğu hakkında siz onlar
        az|çəğıöşü|və bir bu da də üçün ilə nə o çox kimi olaraq daha var ən qədər mən biz ki olan deyil necə haqqında onlar sonra amma hər
        pl|ąćęłńóśźż|i w nie na to się z jest że do o jak co po ale za od dla tego czy już tak przez tym jego nas są był czyli tylko może które który oraz przed bez ich także kiedy jej albo ze jestem być więc gdy
        cs|áčďéěíňóřšťúůýž|a v je se na to že s z o do i jako ale za pro by k tak co jsou jsem po když už nebo které který jak také jen byl od při ve jeho podle nás být má více jejich až kde proto jste
        sk|áäčďéíĺľňóôŕšťúýž|a v je sa na to že s z o do i ako ale za pre by k tak čo sú som po keď už alebo ktoré ktorý tiež len bol od pri vo jeho podľa nás byť má viac ich až kde preto ste nie aj
        sl|čšž|in je v na se da za so ki pa tudi ne z o kot po s to pri še bi od kako ali do le če ker kaj lahko iz nas vas bo jih ter bil smo med tem bolj nato zato saj kar vse
        hr|čćđšž|i je u se na da za su od s ne o što kao a to sa iz li koji koja koje ili će bi ali po do kako ovo nas smo samo više nije sve sam tako mi vas biti jer ima kad već ovaj ova
        lt|ąčėęįšųūž|ir yra kad į su iš tai bet o ne kaip ar per po prie apie už jis jie mes mums tik taip buvo dėl nuo dar kas ką jau gali arba jo šis ši kuris kurie labai pat iki
        lv|āčēģīķļņšūž|un ir ka uz no ar par kas tas bet ne arī pie pēc vai kā to ko mums jau bija tiek lai tikai līdz šis šo viņš mēs jo kad nav būs vēl kur gan savu tiem ļoti
        ga|áéíóú|agus an na is i ar a go le do sé sí seo ní tá de as ag ach mar nach é bhí faoi ó sin dúinn dom duit againn agam nuair chun leis cad raibh siad muid aon
        eu||eta da bat ez du hau dira baina zen ere dela izan hori den dute egin bere edo ditu zuen guztiak guretzat gure nola zer duen ondoren artean horrek beste behar oso
        id||yang dan di ini itu dengan untuk dari dalam tidak akan pada ke adalah kami kita saya anda atau juga ada oleh bisa karena sudah mereka dia lebih seperti apa kamu tentang bagaimana lagi
        vi|àáâãèéêìíòóôõùúýăđĩũơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ|và của là có không được cho một những trong người với các này để khi đã từ đến về như tôi bạn chúng ta tiếng việt
        ru|абвгдежзийклмнопрстуфхцчшщъыьэюяё|и в не на что с как а по это для из мы но от за он она они к у так же о все вы его то бы ее уже или если при только еще нас был вот чтобы где когда очень про
        uk|абвгдежзийклмнопрстуфхцчшщьюяєіїґ|і в не на що з як а по це для із ми але від за він вона вони до у так ж про все ви його то б її вже або якщо при тільки ще нас був ось та є й де коли щоб дуже
        be|абвгдежзйклмнопрстуфхцчшыьэюяёіў|і у не на што з як а па гэта для мы але ад за ён яна яны да так ж пра ўсё вы яго то бы яе ужо або калі пры толькі яшчэ нас быў вось ці ёсць дзе каб вельмі
        bg|абвгдежзийклмнопрстуфхцчшщъьюя|и в не на да за се от с е че по са като това но ще ли или до как при си има така този тази тези ето нас ни ги ви я го защо може които който която вече още само съм
        mk|абвгдежзијклљмнњопрстќуфхцчџшѓѕ|и во не на да за се од со е дека по се како ова но ќе ли или до при си има така овој оваа нас ни ги ви ја го зошто може кои кој која веќе само сум ќе
        sr|абвгдежзијклљмнњопрстћуфхцчџшђ|и у не на да за се од са је што као ово али ће или до како из при има овај ова нас смо су су га ми већ само сам који која које није све
        ar|ابتثجحخدذرزسشصضطظعغفقكلمنهوىيةءأإآؤئ|في من على أن إلى هذا هذه ما لا مع عن التي الذي هو هي كان قد بين كل ذلك بعد لنا كيف يا نحن أو هل ثم لم حول إن
        fa|ابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهیآءئأؤ|و در به از که این را با است برای آن یک تا بر خود هم ما می شود کرد شد نیز یا هر بود دارد ها چه من او اما باید همه
        ur|ابپتٹثجچحخدڈذرڑزژسشصضطظعغفقکگلمنوہھیےآءئںؤ|کے کی میں اور ہے سے کو کا کہ نے پر یہ اس ہیں بھی تو جو ہو ایک لیے گیا تھا وہ کر ہم نہیں تھے ہوں آپ
        he|אבגדהוזחטיכלמנסעפצקרשתםןףץך|של את על לא זה הוא עם כל אני גם היא אבל מה אם או כי יש אנחנו הם בין היה רק איך לנו בשבילנו עוד אז כמו שלנו אין
        yi|אבגדהוזחטיכלמנסעפצקרשתםןףץךײױװ|די און אין איז דער צו פון מיט דאס האט אַז נישט ער זיך איך מיר ווי
        hi||है के में की और का से को पर यह एक हैं ने कि भी नहीं हमारे लिए तो इस हो था जो कर या अपने हम वह आप थे होता
        mr||आहे आणि या मध्ये ते हे की आहेत तो ही नाही एक होते तर काय आपण मी पण त्या
        ne||छ र को मा छन् यो हो पनि गर्न भने यस गरेको भएको हुन् तर लागि म हामी
        """
}
