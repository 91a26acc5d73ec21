/// A character encoding of the WHATWG Encoding Standard.
struct TextEncoding: Hashable {
    /// The standard's name, lower case: what `encoding` prints.
    let name: String
    /// What iconv calls it.
    let iconvName: String

    static let utf8 = TextEncoding(name: "utf-8", iconvName: "UTF-8")
    static let utf16LE = TextEncoding(name: "utf-16le", iconvName: "UTF-16LE")
    static let utf16BE = TextEncoding(name: "utf-16be", iconvName: "UTF-16BE")
    static let utf32LE = TextEncoding(name: "utf-32le", iconvName: "UTF-32LE")
    static let utf32BE = TextEncoding(name: "utf-32be", iconvName: "UTF-32BE")
    static let windows1252 = TextEncoding(name: "windows-1252", iconvName: "CP1252")

    /// Two or four bytes a character, so that it cannot be mistaken for any other.
    var isWide: Bool { name.hasPrefix("utf-16") || name.hasPrefix("utf-32") }

    private init(name: String, iconvName: String) {
        self.name = name
        self.iconvName = iconvName
    }

    /// The encoding that a feed or a server names; nil where nobody knows it.
    init?(label: String) {
        if label.withText({ $0.isWord("utf-8") }) {
            self = .utf8
        } else if let label = label.trimmedValue?.lowercased(), let entry = Self.labels[label] {
            self = entry
        } else {
            return nil
        }
    }

    /// One line an encoding: its name, iconv's name, and what feeds call it.
    /// Source: https://encoding.spec.whatwg.org/#names-and-labels
    private static let table = """
        utf-8 UTF-8 utf8 unicode-1-1-utf-8 x-unicode20utf8
        utf-16le UTF-16LE utf-16 utf16 ucs-2 iso-10646-ucs-2 unicode csunicode
        utf-16be UTF-16BE
        utf-32le UTF-32LE utf-32 ucs-4
        utf-32be UTF-32BE
        windows-1252 CP1252 iso-8859-1 iso8859-1 iso_8859-1 iso_8859-1:1987 iso88591 iso-ir-100 latin1 latin-1 l1 ascii us-ascii ansi_x3.4-1968 cp1252 cp819 ibm819 x-cp1252 ansi
        windows-1250 CP1250 cp1250 x-cp1250
        windows-1251 CP1251 cp1251 x-cp1251 win-1251 win1251
        windows-1253 CP1253 cp1253 x-cp1253
        windows-1254 CP1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 iso_8859-9 iso88599 latin5 l5
        windows-1255 CP1255 cp1255 x-cp1255
        windows-1256 CP1256 cp1256 x-cp1256
        windows-1257 CP1257 cp1257 x-cp1257
        windows-1258 CP1258 cp1258 x-cp1258
        windows-874 CP874 cp874 dos-874 tis-620 iso-8859-11 iso8859-11
        iso-8859-2 ISO-8859-2 iso8859-2 iso_8859-2 iso88592 latin2 l2
        iso-8859-3 ISO-8859-3 iso8859-3 iso_8859-3 iso88593 latin3 l3
        iso-8859-4 ISO-8859-4 iso8859-4 iso_8859-4 iso88594 latin4 l4
        iso-8859-5 ISO-8859-5 iso8859-5 iso_8859-5 iso88595 cyrillic
        iso-8859-6 ISO-8859-6 iso8859-6 iso_8859-6 iso88596 arabic
        iso-8859-7 ISO-8859-7 iso8859-7 iso_8859-7 iso88597 greek
        iso-8859-8 ISO-8859-8 iso8859-8 iso_8859-8 iso88598 hebrew visual
        iso-8859-8-i ISO-8859-8 logical
        iso-8859-10 ISO-8859-10 iso8859-10 iso885910 latin6 l6
        iso-8859-13 ISO-8859-13 iso8859-13 iso885913
        iso-8859-14 ISO-8859-14 iso8859-14 iso885914
        iso-8859-15 ISO-8859-15 iso8859-15 iso_8859-15 iso885915 latin9 latin-9 l9
        iso-8859-16 ISO-8859-16
        ibm866 CP866 cp866 866 csibm866
        koi8-r KOI8-R koi8 koi koi8_r cskoi8r
        koi8-u KOI8-U koi8-ru
        macintosh MACINTOSH mac x-mac-roman csmacintosh
        x-mac-cyrillic MAC-CYRILLIC x-mac-ukrainian
        gbk GB18030 gb2312 gb_2312 gb_2312-80 chinese csgb2312 x-gbk cp936 ms936 windows-936 euc-cn
        gb18030 GB18030 gb-18030
        big5 BIG5-HKSCS big5-hkscs cn-big5 csbig5 x-x-big5 cp950
        euc-jp EUC-JP-MS x-euc-jp cseucpkdfmtjapanese eucjp
        shift_jis CP932 shift-jis sjis x-sjis ms_kanji ms932 windows-31j cp932 csshiftjis
        iso-2022-jp ISO-2022-JP csiso2022jp
        euc-kr UHC ks_c_5601-1987 ksc5601 ksc_5601 korean windows-949 cp949 euckr
        """

    private static let labels: [String: TextEncoding] = {
        var labels: [String: TextEncoding] = [:]
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            let encoding = TextEncoding(name: words[0], iconvName: words[1])
            labels[encoding.name] = encoding
            for label in words.dropFirst(2) { labels[label] = encoding }
        }
        return labels
    }()
}

// MARK: What the bytes and their surroundings say

extension TextEncoding {
    /// By the byte order mark, and how long the mark is.
    static func byteOrderMark(_ head: [UInt8]) -> (encoding: TextEncoding, length: Int)? {
        if head.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if head.starts(with: [0xFF, 0xFE, 0, 0]) { return (.utf32LE, 4) }
        if head.starts(with: [0, 0, 0xFE, 0xFF]) { return (.utf32BE, 4) }
        if head.starts(with: [0xFF, 0xFE]) { return (.utf16LE, 2) }
        if head.starts(with: [0xFE, 0xFF]) { return (.utf16BE, 2) }
        return nil
    }

    /// Wide encodings without a mark: every document begins with an ASCII character.
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

    /// The charset parameter of a Content-Type.
    static func charset(ofContentType type: String?) -> String? {
        guard let type else { return nil }
        for parameter in type.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1).map { String($0).trimmedValue ?? "" }
            guard parts.count == 2, parts[0].lowercased() == "charset" else { continue }
            return parts[1].filter { $0 != "\"" && $0 != "'" }.trimmedValue
        }
        return nil
    }

    /// The encoding that the XML declaration names.
    static func declared(in head: [UInt8]) -> String? {
        head.withUnsafeBufferPointer { head in
            let bytes = UnsafeBufferPointer(rebasing: head.prefix(1_024))
            guard let start = bytes.index(of: "<?xml", from: 0), let end = bytes.index(of: "?>", from: start + 5),
                let key = bytes.index(of: "encoding", from: start + 5), key < end,
                let open = bytes[(key + 8)..<end].firstIndex(where: { !Text.isBlank($0) && $0 != UInt8(ascii: "=") }),
                bytes[open] == UInt8(ascii: "\"") || bytes[open] == UInt8(ascii: "'")
            else { return nil }
            let close = bytes.index(of: Unicode.Scalar(bytes[open]), in: open + 1..<end) ?? end
            return String(decoding: UnsafeBufferPointer(rebasing: bytes[open + 1..<close]), as: UTF8.self)
        }
    }
}

extension StringProtocol {
    /// The first place of a short piece of ASCII.
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
