import Addresses
import Domain
import Testing

@Suite struct URLReferenceTests {
    /// Source: RFC 3986, section 5.4.
    @Test(arguments: [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
        ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
        ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
        ("..g", "http://a/b/c/..g"), ("./g/.", "http://a/b/c/g/"), ("g/../h", "http://a/b/c/h"),
        ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
    ])
    func `RFC examples`(reference: String, expected: String) {
        #expect(URLReference.resolve(reference, against: "http://a/b/c/d;p?q#f") == expected)
    }

    @Test func `an absolute URL is kept as written`() {
        let url = "HTTPS://CDN.Example.COM:443/a/../b/%7Euser?x=a%20b&y=%2F#t"
        #expect(URLReference.resolve(url, against: "https://example.com/feed") == url)
    }

    @Test func `blanks are encoded inside and dropped around`() {
        #expect(
            URLReference.resolve(" \n https://a.example/my show/ep\n1.mp3 ", against: nil)
                == "https://a.example/my%20show/ep1.mp3")
    }

    @Test(arguments: [nil, "", "not a url", "urn:x:y", "/only/a/path"])
    func `without a usable base it stays as written`(base: String?) {
        #expect(URLReference.resolve("ep/1.mp3", against: base) == "ep/1.mp3")
    }

    @Test func `a base without path gets one`() {
        #expect(URLReference.resolve("1.mp3", against: "https://a.example") == "https://a.example/1.mp3")
    }
}
