import Domain
import Testing

@testable import Recording

/// What is a secret, and that none of it stays.
@Suite struct RedactionTests {
    private func key(_ library: String = "library") throws -> RunKey {
        try RunKey { includingSecrets, give in
            try Array((library + (includingSecrets ? " and secrets" : "")).utf8).withUnsafeBytes { try give($0) }
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
    func secretsOfAURL(_ url: String, _ secrets: [String]) { #expect(Secrets.parts(of: url).map(String.init) == secrets) }

    @Test func equalStaysEqualUnderOneKeyOnly() throws {
        let (one, two) = (Redactor(key: try key()), Redactor(key: try key("another")))
        let first = one.redacted(url: "http://a.example/?token=topsecret")
        #expect(first == one.redacted(url: "http://a.example/?token=topsecret"))
        #expect(first != two.redacted(url: "http://a.example/?token=topsecret"))
        #expect(!first.contains("topsecret"))
    }

    @Test func onlyTheLibraryOpensAMark() throws {
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

    @Test func headsKeepWhatAReplayNeeds() throws {
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

    @Test(arguments: [1, 2, 3, 7, 50, 1_000]) func secretsInPiecesAreFound(_ size: Int) throws {
        let redactor = Redactor(key: try key())
        let text = "<a>topsecret</a>top<b>secret topsecrettopsecret</b> ada99 tops"
        var body = BodyRedactor(["topsecret", "ada99"], redactor)
        var redacted: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            redacted += body.add(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        redacted += body.finish()
        let told = String(decoding: redacted, as: UTF8.self)
        #expect(!told.contains("topsecret") && !told.contains("ada99"))
        let sealed = Dictionary(redactor.takeNew().map { ($0.mark, $0.sealed) }, uniquingKeysWith: { $1 })
        #expect(OpenedSecrets(sealed, try key()).restored(redacted) == Array(text.utf8))
    }
}
