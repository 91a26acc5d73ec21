import Domain
import Testing

@testable import Recording

/// Which texts count as secrets, and that none of them remains.
@Suite struct RedactionTests {
    private func key(_ library: String = "library") throws -> RunKey {
        try RunKey { includingSecrets, give in
            try give(Array((library + (includingSecrets ? " and secrets" : "")).utf8).span.bytes)
        }
    }

    @Test(arguments: [
        ("http://radio.example/feed.xml", []),
        ("http://radio.example/night-radio/season2/2024-01/feed.xml", []),
        ("http://ada:s3cret@radio.example/feed.xml", ["ada", "s3cret"]),
        ("http://radio.example/feed.xml?token=topsecret&page=2", ["topsecret", "2"]),
        ("http://radio.example/feed/x7k9q2ab/rss.xml", ["x7k9q2ab"]),
        ("http://radio.example/private/letters/feed", ["letters"]),
        ("http://radio.example/token/letters/feed", ["letters"]),
        ("/rss/123e4567-e89b-12d3-a456-426614174000", ["123e4567-e89b-12d3-a456-426614174000"]),
    ])
    func `secrets of a URL`(_ url: String, _ secrets: [String]) {
        #expect(Secrets.parts(of: url).map { String($0.text) } == secrets)
    }

    @Test(arguments: [
        ("<image><url>https://img.example/podcasts/x7k9q2ab/cover.jpg?aid=rss_feed&w=300</url></image>", []),
        ("<itunes:image href=\"https://img.example/5e2c0ce8-7a1b-11ec-90d6-0242ac120003/c.png\"/>", []),
        ("<link>https://radio.example/shows/x7k9q2ab</link>", []),
        ("<atom:link rel=\"hub\" href=\"https://hub.example/x7k9q2ab\"/>", []),
        ("<atom:link rel='self' href='https://radio.example/f/x7k9q2ab?a=1&amp;token=letters'/>", ["x7k9q2ab", "letters"]),
        ("<link href=https://radio.example/f?sid=x7k9q2ab rel=next>", ["x7k9q2ab"]),
        ("<itunes:new-feed-url> https://radio.example/x7k9q2ab </itunes:new-feed-url>", ["x7k9q2ab"]),
        ("<itunes:new-feed-url><![CDATA[https://radio.example/x7k9q2ab]]></itunes:new-feed-url>", ["x7k9q2ab"]),
        ("<image><url>https://ada9:s3cret@img.example/a.jpg?token=letters</url></image>", ["ada9", "s3cret", "letters"]),
    ])
    func `secrets in a feed's head`(_ element: String, _ secrets: [String]) {
        let feed = "<rss><channel><title>Night</title>\(element)<item><link>http://a.example/f?token=later99</link></item>"
        #expect(FeedHead.secrets(of: Array(feed.utf8)) == Set(secrets))
    }

    @Test func `secrets in a JSON Feed's head`() {
        let feed = #"""
            {"title": "Night", "icon": "https://img.example/i1c0n9q2/i.png",
            "feed_url": "https:\/\/radio.example\/f\/x7k9q2ab", "next_url" : "/f?page=2&sid=letters", "items": [{}]}
            """#
        #expect(FeedHead.secrets(of: Array(feed.utf8)) == ["x7k9q2ab", "letters"])
    }

    @Test func `equal stays equal under one key only`() throws {
        let (one, two) = (Redactor(key: try key()), Redactor(key: try key("another")))
        let first = one.redacted(url: "http://a.example/?token=topsecret")
        #expect(first == one.redacted(url: "http://a.example/?token=topsecret"))
        #expect(first != two.redacted(url: "http://a.example/?token=topsecret"))
        #expect(!first.contains("topsecret"))
    }

    @Test func `what a replay depends on in a head stays`() throws {
        let redactor = Redactor(key: try key())
        let range = "Content-Range: bytes 0-5/6"
        #expect(redactor.redacted(header: range, knowing: []) == range)
        let cookie = redactor.redacted(header: "Set-Cookie: a=s3cret; Path=/; Max-Age=0", knowing: [])
        #expect(cookie.hasPrefix("Set-Cookie: a=") && cookie.hasSuffix("; Path=/; Max-Age=0") && !cookie.contains("s3cret"))
    }

    @Test func `only the library opens a mark`() throws {
        let redactor = Redactor(key: try key())
        let text = redactor.redacted(url: "http://ada:s3cret@a.example/?token=" + String(repeating: "long ", count: 20))
        let sealed = Dictionary(redactor.takeNew().map { ($0.mark, $0.sealed) }, uniquingKeysWith: { $1 })
        let opened = OpenedSecrets(sealed, try key()).restored(Array(text.utf8))
        #expect(
            String(decoding: opened, as: UTF8.self) == "http://ada:s3cret@a.example/?token="
                + String(repeating: "long ", count: 20))
        #expect(OpenedSecrets(sealed, try key("another")).restored(Array(text.utf8)) == Array(text.utf8))
        #expect(OpenedSecrets(sealed, nil).restored(Array(text.utf8)) == Array(text.utf8))
    }

    @Test func `heads keep what a replay needs`() throws {
        let redactor = Redactor(key: try key())
        let head = """
            HTTP/1.1 302 Found\r
            Set-Cookie: session=cookie99\r
            X-Odd: one\r
             folded99\r
            ETag: "abc"\r
            Location: http://b.example/?token=topsecret\r
            \r

            """
        let redacted = String(decoding: redactor.redacted(head: Array(head.utf8), knowing: []), as: UTF8.self)
        for secret in ["cookie99", "folded99", "topsecret"] { #expect(!redacted.contains(secret)) }
        #expect(redacted.contains("ETag: \"abc\"\r\n"))
        #expect(redacted.contains("Location: http://b.example/?token=redacted-"))
        #expect(redacted.hasSuffix("\r\n\r\n"))
    }

    @Test(arguments: [1, 2, 3, 7, 50, 1_000], CodeUnits.allCases)
    func `secrets in pieces are found`(_ size: Int, _ units: CodeUnits) throws {
        let redactor = Redactor(key: try key())
        let text = "<a>topsecret</a>top<b>secret topsecrettopsecret</b> ada99 tops"
        var body = BodyRedactor(["topsecret", "ada99"], redactor, in: units)
        var redacted: [UInt8] = []
        var remaining = units.encoded(text)[...]
        while !remaining.isEmpty {
            redacted += body.add(Array(remaining.prefix(size)))
            remaining = remaining.dropFirst(size)
        }
        redacted += body.finish()
        let output = String(decoding: units.utf8(redacted), as: UTF8.self)
        #expect(!output.contains("topsecret") && !output.contains("ada99") && output.hasSuffix("tops"))
        let sealed = Dictionary(redactor.takeNew().map { ($0.mark, $0.sealed) }, uniquingKeysWith: { $1 })
        #expect(OpenedSecrets(sealed, try key()).restored(redacted) == units.encoded(text))
    }

    @Test(arguments: [CodeUnits.utf16LittleEndian, .utf16BigEndian], ["", "\u{FEFF}"])
    func `secrets of a feed in UTF-16 are found`(_ units: CodeUnits, _ mark: String) throws {
        let feed =
            mark + #"<rss><channel><atom:link rel="self" href="http://a.example/feed?auth=letters"/><title>é</title><item>"#
        let page = Redactor(key: try key()).redacted(page: units.encoded(feed), knowing: ["ada99"])
        #expect(FeedHead.secrets(of: units.encoded(feed)) == ["letters"])
        #expect(String(decoding: units.utf8(page), as: UTF8.self).contains("?auth=redacted-"))
    }

    @Test func `a page without secrets stays as it is`() throws {
        let page = Array("no such file".utf8)
        #expect(Redactor(key: try key()).redacted(page: page, knowing: []) == page)
    }
}
