import Testing

@testable import Parsing

@Suite struct TextEncodingTests {
    @Test(arguments: [
        ("utf8", "utf-8"), ("UTF_8", "utf-8"), ("ISO_8859-1:1987", "windows-1252"), ("csISOLatin1", "windows-1252"),
        ("CP-1252", "windows-1252"), ("Windows 1251", "windows-1251"), ("iso-ir-101", "iso-8859-2"), ("ELOT_928", "iso-8859-7"),
        ("iso-8859-8-i", "iso-8859-8-i"), ("csiso58gb231280", "gbk"), ("ks_c_5601-1989", "euc-kr"), ("x-mac-roman", "macintosh"),
    ])
    func `labels in any spelling`(label: String, name: String) {
        #expect(TextEncoding(label: label)?.name == name)
    }

    @Test(arguments: ["", "-", "foo", "utf-7", "iso-8859-17"])
    func `what is no label`(label: String) {
        #expect(TextEncoding(label: label) == nil)
    }

    @Test(arguments: [
        "text/xml; charset=koi8-r", "TEXT/XML; CHARSET=\"koi8-r\"", "text/xml;charset='koi8-r';x=y", "text/xml, charset = koi8-r",
        "text/xml charset=koi8-r, text/xml", "charset:koi8-r",
    ])
    func `charset of a media type`(type: String) {
        #expect(TextEncoding.charset(ofContentType: type) == "koi8-r")
    }

    @Test(arguments: ["", "text/xml", "text/xml; charset=", "text/xml; charset=\"\""])
    func `media types without a charset`(type: String) {
        #expect(TextEncoding.charset(ofContentType: type) == nil)
    }

    @Test(arguments: [
        "<?xml version=\"1.0\" encoding=\"koi8-r\"?>", "<?xml version='1.0' encoding = 'koi8-r' standalone='yes'?>",
        "\n<?xml encoding=koi8-r?>", "<?xml ENCODING=\" koi8-r \"?>",
    ])
    func `encoding of a declaration`(head: String) {
        #expect(TextEncoding.declared(in: Array(head.utf8)) == "koi8-r")
    }
}
