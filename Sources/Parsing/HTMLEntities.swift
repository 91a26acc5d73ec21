internal import CLibXML

/// The characters that HTML has names for: those of HTML 4, which libxml2 knows, and of the names HTML has got since the
/// ones for letters, punctuation and signs.
/// Source: https://html.spec.whatwg.org/multipage/named-characters.html
enum HTMLEntities {
    static func character(_ name: String) -> Unicode.Scalar? {
        htmlEntityLookup(name).flatMap { Unicode.Scalar($0.pointee.value) } ?? later[name]
    }

    private static let later: [String: Unicode.Scalar] = {
        var characters: [String: Unicode.Scalar] = [:]
        for entry in names.split(whereSeparator: \.isWhitespace) {
            if let character = entry.unicodeScalars.last { characters[String(entry.dropLast())] = character }
        }
        return characters
    }()

    /// Each name with its character.
    private static let names = #"""
        AMP& AbreveĂ AcyА AmacrĀ AogonĄ BcyБ Bernoullisℬ Bscrℬ CHcyЧ COPY© CacuteĆ CapitalDifferentialDⅅ Cayleysℭ CcaronČ
        CcircĈ CdotĊ Cedilla¸ CenterDot· Cfrℭ CloseCurlyDoubleQuote” CloseCurlyQuote’ Copfℂ DDⅅ DJcyЂ DScyЅ DZcyЏ DcaronĎ DcyД
        DiacriticalAcute´ DiacriticalGrave` DifferentialDⅆ Dot¨ DoubleDot¨ DstrokĐ ENGŊ EcaronĚ EcyЭ EdotĖ EmacrĒ EogonĘ Escrℰ
        ExponentialEⅇ FcyФ Fouriertrfℱ Fscrℱ GJcyЃ GT> GbreveĞ GcedilĢ GcircĜ GcyГ GdotĠ HARDcyЪ Hat^ HcircĤ Hfrℌ
        HilbertSpaceℋ Hopfℍ Hscrℋ HstrokĦ IEcyЕ IJligĲ IOcyЁ IcyИ Idotİ Ifrℑ Imℑ ImacrĪ ImaginaryIⅈ IogonĮ Iscrℐ ItildeĨ
        IukcyІ JcircĴ JcyЙ JsercyЈ JukcyЄ KHcyХ KJcyЌ KcedilĶ KcyК LJcyЉ LT< LacuteĹ Laplacetrfℒ LcaronĽ LcedilĻ LcyЛ LmidotĿ
        Lscrℒ LstrokŁ McyМ Mellintrfℳ Mscrℳ NJcyЊ NacuteŃ NcaronŇ NcedilŅ NcyН Nopfℕ OcyО OdblacŐ OmacrŌ OpenCurlyDoubleQuote“
        OpenCurlyQuote‘ OverBar‾ PcyП PlusMinus± Poincareplaneℌ Popfℙ QUOT" Qopfℚ REG® RacuteŔ RcaronŘ RcedilŖ RcyР Reℜ Rfrℜ
        Ropfℝ Rscrℛ SHCHcyЩ SHcyШ SOFTcyЬ SacuteŚ ScedilŞ ScircŜ ScyС TRADE™ TSHcyЋ TScyЦ TcaronŤ TcedilŢ TcyТ TstrokŦ UbrcyЎ
        UbreveŬ UcyУ UdblacŰ UmacrŪ UnderBar_ UogonŲ UringŮ UtildeŨ VcyВ Verbar‖ Vert‖ VerticalLine| VerticalSeparator❘ WcircŴ
        YAcyЯ YIcyЇ YUcyЮ YcircŶ YcyЫ ZHcyЖ ZacuteŹ ZcaronŽ ZcyЗ ZdotŻ Zfrℨ Zopfℤ abreveă acyа alephℵ amacrā angstÅ aogoną
        ast* backprime‵ bcyб bernouℬ bethℶ bigstar★ bprime‵ bsemi⁏ bsol\ bullet• cacuteć caret⁁ ccaronč ccircĉ cdotċ
        centerdot· chcyч check✓ checkmark✓ circledR® clubsuit♣ colon: comma, commat@ complexesℂ copysr℗ cross✗ dalethℸ dash‐
        dcaronď dcyд ddⅆ ddagger‡ diamondsuit♦ die¨ div÷ djcyђ dollar$ dscyѕ dstrokđ dzcyџ ecaroně ecyэ edotė eeⅇ ellℓ emacrē
        engŋ eogonę equals= escrℯ excl! expectationℰ exponentialeⅇ fcyф female♀ ffiligﬃ ffligﬀ fflligﬄ filigﬁ flat♭ flligﬂ
        frac13⅓ frac15⅕ frac16⅙ frac18⅛ frac23⅔ frac25⅖ frac35⅗ frac38⅜ frac45⅘ frac56⅚ frac58⅝ frac78⅞ gbreveğ gcircĝ gcyг
        gdotġ gimelℷ gjcyѓ grave` gscrℊ half½ hamiltℋ hardcyъ hbarℏ hcircĥ heartsuit♥ horbar― hslashℏ hstrokħ hybull⁃ hyphen‐
        icyи iecyе iiⅈ iiota℩ ijligĳ imacrī imaglineℐ imagpartℑ imathı incare℅ inodotı integersℤ iocyё iogonį itildeĩ iukcyі
        jcircĵ jcyй jsercyј jukcyє kcedilķ kcyк kgreenĸ khcyх kjcyќ lacuteĺ lagranℒ lbbrk❲ lbrace{ lbrack[ lcaronľ lcedilļ
        lcub{ lcyл ldquor„ ljcyљ lmidotŀ lowbar_ lpar( lsqb[ lsquor‚ lstrokł male♂ malt✠ maltese✠ mcyм mho℧ midast* mldr…
        nacuteń naposŉ natur♮ natural♮ naturalsℕ ncaronň ncedilņ ncyн njcyњ nldr‥ num# numero№ ocyо odblacő omacrō orderℴ
        orderofℴ oscrℴ pcyп percnt% period. pertenk‱ phmmatℳ phone☎ planckℏ planckhℎ plankvℏ plus+ pm± primesℙ qprime⁗
        quaternionsℍ quest? racuteŕ rationalsℚ rbbrk❳ rbrace} rbrack] rcaronř rcedilŗ rcub} rcyр rdquor” realineℛ realpartℜ
        realsℝ rpar) rsqb] rsquor’ rx℞ sacuteś scedilş scircŝ scyс semi; sext✶ sharp♯ shchcyщ shcyш softcyь sol/ spadesuit♠
        star☆ starf★ strns¯ sung♪ tcaronť tcedilţ tcyт tprime‴ tscyц tshcyћ tstrokŧ ubrcyў ubreveŭ ucyу udblacű umacrū uogonų
        uringů utildeũ vcyв verbar| vert| wcircŵ wp℘ yacyя ycircŷ ycyы yicyї yucyю zacuteź zcaronž zcyз zdotż zeetrfℨ zhcyж
        """#
}
