import Addresses
import Domain
import Testing

struct FeedURLTests {
    @Test(arguments: [
        ("https://example.com/feed.xml", "https://example.com/feed.xml"),
        (" \u{FEFF}HTTPS://Example.COM:443/Feed.xml#top\n", "https://example.com/Feed.xml"),
        ("http://example.com", "http://example.com/"),
        ("http://example.com?format=rss", "http://example.com/?format=rss"),
        ("feed://example.com/rss", "http://example.com/rss"),
        ("feed:https://example.com/rss", "https://example.com/rss"),
        ("feed://https://example.com/rss", "https://example.com/rss"),
        ("pcast:example.com/rss", "http://example.com/rss"),
        ("podcast://example.com/rss", "http://example.com/rss"),
        ("ITPC://example.com/rss", "http://example.com/rss"),
        ("example.com/feed", "https://example.com/feed"),
        ("me:secret@example.com/feed", "https://example.com/feed"),
        ("https://example.com.:443/feed", "https://example.com/feed"),
        ("localhost:8080/feed", "http://localhost:8080/feed"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080/"),
        ("http://[::1]:8080/feed", "http://[::1]:8080/feed"),
        ("https://bücher.example/a b?q=ü", "https://xn--bcher-kva.example/a%20b?q=%C3%BC"),
        ("https://example.com/a/../b/./c", "https://example.com/b/c"),
        ("<https://example.com/feed>", "https://example.com/feed"),
        ("file:///home/me/my%20feed.xml", "file:///home/me/my%20feed.xml"),
    ])
    func `reads what people type`(text: String, url: String) {
        #expect(FeedURL.parse(text)?.url == url)
    }

    @Test(arguments: [
        "", "  ", "feed:", "https://", "http:///path", "mailto:me@example.com", "javascript:alert(1)", "ftp://example.com/feed",
        "feed:file:///etc/passwd", "http://exa mple.com/", "http://example.com:0/", "http://example.com:99999/",
        "http://example.com:8x/", "word", "file://server/share", "http://a%00b/",
    ])
    func `refuses what cannot be a feed`(text: String) {
        #expect(FeedURL.parse(text) == nil)
    }

    @Test(arguments: [
        "https://münchen.de/feed", "https://MÜNCHEN.DE/feed", "https://mu\u{308}nchen.de/feed", "https://xn--mnchen-3ya.de/feed",
        "https://XN--MNCHEN-3YA.de/feed", "https://münchen。de/feed", "münchen.de/feed", "https://münchen.de./feed",
    ])
    func `an internationalized name is one host`(text: String) throws {
        let feed = try #require(FeedURL.parse(text))
        #expect(feed.url == "https://xn--mnchen-3ya.de/feed")
        #expect(feed.hostKey == "https://xn--mnchen-3ya.de")
    }

    /// It is never requested, whatever else the URL has.
    @Test func `a fragment changes nothing`() {
        let schemes = ["http://", "https://", "HTTP://", "ftp://", "https:/"]
        let hosts = [
            "a.example", "A.example", "a.example.", ".", "", "a_b-c", "127.0.0.1", "[::1]", "ü.example", "me@a.example", "a b",
        ]
        let ports = ["", ":", ":80", ":443", ":8080", ":08080", ":+81", ":65536", ":0", ":8x"]
        let paths = [
            "", "/", "/feed", "/a/../b", "/a/./b", "/.a", "/a.", "/a b", "/a%20b", "/ü", "/a\\b", "/a|b", "/a\"b", "/a@b:c",
            "/{}",
        ]
        let queries = ["", "?", "?a=b", "?a=/./b", "?a?b", "?a=ü", "?a=\\"]
        for scheme in schemes {
            for host in hosts {
                for port in ports {
                    for path in paths {
                        for query in queries {
                            let text = scheme + host + port + path + query
                            #expect(WebURL(text) == WebURL(text + "#"), "\(text)")
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: ["https://ex℀mple.com/", "https://a\u{200B}\u{2028}.de/", "https://\u{AD}/"])
    func `refuses names that nobody can register`(text: String) {
        #expect(WebURL(text) == nil)
    }

    @Test func `user and password are kept apart`() throws {
        let feed = try #require(FeedURL.parse("https://me%40home:p%3Aw@d@example.com:8443/feed"))
        #expect(feed.url == "https://example.com:8443/feed")
        #expect(feed.credentials == Credentials(user: "me@home", password: "p:w@d"))
        #expect(feed.hostKey == "https://example.com:8443")
        #expect(FeedURL.parse("https://token@example.com/")?.credentials == Credentials(user: "token", password: ""))
    }

    @Test(arguments: [
        ("http://a.example/", "http://A.example/x", true), ("http://a.example/", "https://a.example/", true),
        ("https://a.example/", "http://a.example/", false), ("http://a.example/", "http://b.example/", false),
        ("http://a.example/", "http://a.example:8080/", false), ("http://a.example:8080/", "https://a.example/", false),
        ("http://a.example/", "http://sub.a.example/", false),
    ])
    func `user and password belong to one server`(from: String, to: String, isSame: Bool) throws {
        #expect(try #require(WebURL(from)).sharesCredentials(with: try #require(WebURL(to))) == isSame)
    }

    @Test func `only a guessed scheme has another`() {
        #expect(FeedURL.overHTTP(" example.com/feed")?.url == "http://example.com/feed")
        for typed in ["https://example.com/feed", "HTTPS://example.com/feed", "feed:https://example.com/", "localhost/feed", "?"]
        {
            #expect(FeedURL.overHTTP(typed) == nil, "\(typed)")
        }
    }

    @Test func `a file keeps its path`() throws {
        let feed = try #require(FeedURL.file(path: "/tmp/100% mine?.xml"))
        #expect(feed.url == "file:///tmp/100%25%20mine%3F.xml")
        #expect(FeedURL.filePath(feed.url) == "/tmp/100% mine?.xml")
        #expect(FeedURL.filePath("https://example.com/") == nil)
        #expect(FeedURL.file(path: "relative.xml") == nil)
    }

    @Test(arguments: [
        ("next.xml", "https://example.com/a/next.xml"),
        ("/next.xml", "https://example.com/next.xml"),
        ("../next.xml", "https://example.com/next.xml"),
        ("?page=2", "https://example.com/a/feed?page=2"),
        ("//other.example/x", "https://other.example/x"),
        ("http://other.example", "http://other.example/"),
        ("a b", "https://example.com/a/a%20b"),
    ])
    func `references are resolved`(reference: String, url: String) throws {
        let base = try #require(WebURL("https://example.com/a/feed?page=1"))
        #expect(base.resolving(reference)?.text == url)
    }

    @Test(arguments: ["file:///etc/passwd", "gopher://example.com/", "", "data:text/xml,<rss/>"])
    func `references lead to the web only`(reference: String) throws {
        let base = try #require(WebURL("https://example.com/a/feed"))
        #expect(base.resolving(reference) == nil)
    }
}
