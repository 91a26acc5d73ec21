/// A character encoding of the WHATWG Encoding Standard.
struct TextEncoding: Hashable {
    /// The standard's name, lower case: what `encoding` prints.
    let name: String
    /// The name used by iconv.
    let iconvName: String

    static let utf8 = TextEncoding(name: "utf-8", iconvName: "UTF-8")
    static let utf16LE = TextEncoding(name: "utf-16le", iconvName: "UTF-16LE")
    static let utf16BE = TextEncoding(name: "utf-16be", iconvName: "UTF-16BE")
    static let utf32LE = TextEncoding(name: "utf-32le", iconvName: "UTF-32LE")
    static let utf32BE = TextEncoding(name: "utf-32be", iconvName: "UTF-32BE")
    static let windows1252 = TextEncoding(name: "windows-1252", iconvName: "CP1252")

    /// UTF-16 or UTF-32, which cannot be mistaken for another encoding.
    var isWide: Bool { name.hasPrefix("utf-16") || name.hasPrefix("utf-32") }

    private init(name: String, iconvName: String) {
        self.name = name
        self.iconvName = iconvName
    }

    /// The encoding that a feed or a server names; nil if the name is unknown.
    init?(label: String) {
        if label.withText({ $0.isWord("utf-8") }) {
            self = .utf8
        } else if let entry = Self.labels[Self.key(label)] {
            self = entry
        } else {
            return nil
        }
    }

    /// One line for each encoding: its name, iconv's name, and other names in feeds, in the form of `key`.
    /// Source: https://encoding.spec.whatwg.org/#names-and-labels
    private static let table = """
        utf-8 UTF-8 unicode11utf8 xunicode20utf8 utf8bom
        utf-16le UTF-16LE utf16 ucs2 iso10646ucs2 unicode csunicode unicodefeff
        utf-16be UTF-16BE unicodefffe
        utf-32le UTF-32LE utf32 ucs4
        utf-32be UTF-32BE
        windows-1252 CP1252 iso88591 iso885911987 isoir100 csisolatin1 latin1 l1 ascii usascii ansix341968 cp1252 cp819 ibm819 xcp1252 win1252 ansi
        windows-1250 CP1250 cp1250 xcp1250 win1250
        windows-1251 CP1251 cp1251 xcp1251 win1251
        windows-1253 CP1253 cp1253 xcp1253 win1253
        windows-1254 CP1254 cp1254 xcp1254 win1254 iso88599 iso885991989 isoir148 csisolatin5 latin5 l5
        windows-1255 CP1255 cp1255 xcp1255 win1255
        windows-1256 CP1256 cp1256 xcp1256 win1256
        windows-1257 CP1257 cp1257 xcp1257 win1257
        windows-1258 CP1258 cp1258 xcp1258 win1258
        windows-874 CP874 cp874 dos874 tis620 iso885911
        iso-8859-2 ISO-8859-2 iso885921987 isoir101 csisolatin2 latin2 l2
        iso-8859-3 ISO-8859-3 iso885931988 isoir109 csisolatin3 latin3 l3
        iso-8859-4 ISO-8859-4 iso885941988 isoir110 csisolatin4 latin4 l4
        iso-8859-5 ISO-8859-5 iso885951988 isoir144 csisolatincyrillic cyrillic
        iso-8859-6 ISO-8859-6 iso885961987 iso88596e iso88596i csiso88596e csiso88596i isoir127 csisolatinarabic arabic asmo708 ecma114
        iso-8859-7 ISO-8859-7 iso885971987 isoir126 csisolatingreek greek greek8 elot928 ecma118 suneugreek
        iso-8859-8 ISO-8859-8 iso885981988 iso88598e csiso88598e isoir138 csisolatinhebrew hebrew visual
        iso-8859-8-i ISO-8859-8 csiso88598i logical
        iso-8859-10 ISO-8859-10 isoir157 csisolatin6 latin6 l6
        iso-8859-13 ISO-8859-13
        iso-8859-14 ISO-8859-14
        iso-8859-15 ISO-8859-15 csisolatin9 latin9 l9
        iso-8859-16 ISO-8859-16
        ibm866 CP866 cp866 866 csibm866
        koi8-r KOI8-R koi8 koi cskoi8r
        koi8-u KOI8-U koi8ru
        macintosh MACINTOSH mac xmacroman macroman csmacintosh
        x-mac-cyrillic MAC-CYRILLIC xmacukrainian maccyrillic
        gbk GB18030 gb2312 gb231280 csgb2312 csiso58gb231280 isoir58 chinese xgbk cp936 ms936 windows936 euccn
        gb18030 GB18030
        big5 BIG5-HKSCS big5hkscs cnbig5 csbig5 xxbig5 cp950
        euc-jp EUC-JP-MS xeucjp cseucpkdfmtjapanese
        shift_jis CP932 sjis xsjis mskanji ms932 windows31j cp932 csshiftjis
        iso-2022-jp ISO-2022-JP-3 csiso2022jp
        euc-kr UHC ksc56011987 ksc56011989 ksc5601 csksc56011987 cseuckr isoir149 korean windows949 cp949 uhc
        """

    private static let labels: [String: TextEncoding] = {
        var labels: [String: TextEncoding] = [:]
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            let encoding = TextEncoding(name: words[0], iconvName: words[1])
            for label in [key(words[0])] + words.dropFirst(2) { labels[label] = encoding }
        }
        return labels
    }()

    /// Letters and digits only: feeds add hyphens, underscores and blanks at will.
    private static func key(_ label: String) -> String {
        String(decoding: label.lowercased().utf8.filter { (97...122).contains($0) || (48...57).contains($0) }, as: UTF8.self)
    }
}

// MARK: Detection

extension TextEncoding {
    /// The encoding of the byte order mark, and the mark's length.
    static func byteOrderMark(_ head: [UInt8]) -> (encoding: TextEncoding, length: Int)? {
        if head.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if head.starts(with: [0xFF, 0xFE, 0, 0]) { return (.utf32LE, 4) }
        if head.starts(with: [0, 0, 0xFE, 0xFF]) { return (.utf32BE, 4) }
        if head.starts(with: [0xFF, 0xFE]) { return (.utf16LE, 2) }
        if head.starts(with: [0xFE, 0xFF]) { return (.utf16BE, 2) }
        return nil
    }

    /// Detects wide encodings without a mark, from the fact that every document begins with an ASCII character.
    static func widePattern(_ head: [UInt8]) -> TextEncoding? {
        guard head.count >= 4 else { return nil }
        switch (head[0], head[1], head[2], head[3]) {
        case (1..., 0, 1..., 0): return .utf16LE
        case (0, 1..., 0, 1...): return .utf16BE
        case (1..., 0, 0, 0): return .utf32LE
        case (0, 0, 0, 1...): return .utf32BE
        default: return nil
        }
    }

    /// The charset parameter of a Content-Type, whatever separates it from its surroundings.
    static func charset(ofContentType type: String?) -> String? {
        guard let type, let name = type.lowercased().range(of: "charset") else { return nil }
        let value = type.lowercased()[name.upperBound...].drop { " \t=:\"'".contains($0) }
        return String(value.prefix { !" \t;,\"'".contains($0) }).trimmedValue
    }

    /// The encoding that the XML declaration names.
    static func declared(in head: [UInt8]) -> String? {
        head.prefix(1_024).withText { head in
            let bytes = head.bytes
            guard let start = bytes.index(of: "<?xml", from: 0), let end = bytes.index(of: "?>", from: start + 5),
                let key = bytes.index(of: "encoding", from: start + 5) ?? bytes.index(of: "ENCODING", from: start + 5), key < end
            else { return nil }
            func isAround(_ byte: UInt8) -> Bool { Text.isBlank(byte) || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }
            let value = bytes[(key + 8)..<end].drop { isAround($0) || $0 == UInt8(ascii: "=") }.prefix { !isAround($0) }
            return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
        }
    }
}

extension StringProtocol {
    /// The first occurrence of a short ASCII string.
    func range(of needle: String) -> Range<Index>? {
        let needle = Array(needle.utf8)
        var start = utf8.startIndex
        while let first = utf8[start...].firstIndex(of: needle[0]) {
            if utf8[first...].starts(with: needle) {
                return first..<utf8.index(first, offsetBy: needle.count)
            }
            start = utf8.index(after: first)
        }
        return nil
    }
}
