import Addresses
import Domain
import Testing

@testable import Fetching

/// Which cookies a request of a chain carries (RFC 6265).
@Suite struct CookieJarTests {
    private let now = Timestamp(seconds: 1_800_000_000)
    private func url(_ text: String) throws -> WebURL { try #require(WebURL(text)) }

    @Test func `hosts and paths decide which cookies are sent`() throws {
        let cases: [(set: String, from: String, to: String, sent: String?)] = [
            ("a=1", "https://a.example/x/y", "https://a.example/x/z", "a=1"),
            ("a=1", "https://a.example/x/y", "https://a.example/xy", nil),
            ("a=1", "https://a.example/x/y", "https://b.a.example/x/y", nil),
            ("a=1; Domain=.a.example; Path=/", "https://b.a.example/x", "https://a.example/", "a=1"),
            ("a=1; Domain=other.example", "https://a.example/", "https://other.example/", nil),
            ("a=1; Domain=example", "https://a.example/", "https://b.example/", nil),
            ("a=1; Domain=0.0.1", "https://127.0.0.1/", "https://10.0.0.1/", nil),
            ("a=1; Secure; Path=/", "http://a.example/", "https://a.example/", nil),
            ("a=1; Path=/x/", "https://a.example/x/y", "https://a.example/x", nil),
            ("a=1; Path=/x", "https://a.example/x/y", "https://a.example/x", "a=1"),
            ("a=1; Path=x", "https://a.example/f/y", "https://a.example/f/z", "a=1"),
            ("a=1; Domain=a.example", "https://a.example/", "https://nota.example/", nil),
            ("a=1; Domain=b.a.example", "https://a.example/", "https://b.a.example/", nil),
            ("a=1; Max-Age=0", "https://a.example/", "https://a.example/", nil),
            ("  a = 1 ; path=/f", "https://a.example/", "https://a.example/f/g", "a=1"),
            ("=1", "https://a.example/", "https://a.example/", nil), ("a", "https://a.example/", "https://a.example/", nil),
        ]
        for (set, from, to, sent) in cases {
            var jar = CookieJar()
            jar.store(set, from: try url(from), now: now)
            #expect(jar.header(for: try url(to)) == sent, "\(set)")
        }
    }

    @Test(arguments: [
        ("Max-Age=0", false), ("Max-Age=-99999999999999999999", false), ("Max-Age=99999999999999999999", true),
        ("Max-Age=1.5", true), ("Max-Age=60", true), ("Expires=Thu, 01 Jan 1970 00:00:00 GMT", false),
        ("expires=Thu, 01-Jan-70 00:00:01 GMT", false), ("Expires=Thu Jan  1 00:00:00 1970", false),
        ("Expires=Fri, 15 Jan 2027 08:00:00 GMT", false), ("Expires=Fri, 15 Jan 2027 08:00:01 GMT", true),
        ("Expires=Fri, 01 Jan 2038 00:00:00 GMT", true), ("Expires=soon", true), ("Expires=0", true),
        ("Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60", true),
        ("Max-Age=0; Expires=Fri, 01 Jan 2038 00:00:00 GMT", false),
    ])
    func `a cookie that has expired is removed, and Max-Age counts more than Expires`(attributes: String, stays: Bool) throws {
        let here = try url("https://a.example/x/y")
        var jar = CookieJar()
        jar.store("a=1", from: here, now: now)
        jar.store("a=2; \(attributes)", from: here, now: now)
        #expect(jar.header(for: here) == (stays ? "a=2" : nil))
    }

    @Test func `a cookie is replaced by its name, and longer paths come first`() throws {
        let here = try url("https://a.example/x/y")
        var jar = CookieJar()
        for cookie in ["a=1; Path=/", "b=2; Path=/x", "a=3; Path=/"] { jar.store(cookie, from: here, now: now) }
        #expect(jar.header(for: here) == "b=2; a=3")
        jar.store("a=; Max-Age=-1; Path=/", from: here, now: now)
        #expect(jar.header(for: here) == "b=2")
    }
}
