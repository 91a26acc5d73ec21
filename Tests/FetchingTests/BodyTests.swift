import Domain
import Fetching
import LoopbackServer
import Synchronization
import Testing

/// Content encodings, size limits, and bodies that end before they should.
struct BodyTests {
    let server: LoopbackServer
    init() throws { server = try LoopbackServer() }

    static let text = "hello, hello, hello feed"
    static let gzip = base64("H4sIAAAAAAACA8tIzcnJ11HIQKIU0lJTUwDQJZzuGAAAAA==")
    static let zlib = base64("eNrLSM3JyddRyECiFNJSU1MAauYIiQ==")
    static let rawDeflate = base64("y0jNycnXUchAohTSUlNTAA==")
    static let zstd = base64("KLUv/SQYlQAAYGhlbGxvLCAgZmVlZAEA4ooRL1gFJQ==")
    static let br: [UInt8] = [
        27, 23, 0, 248, 141, 212, 78, 249, 195, 80, 84, 101, 104, 13, 194, 194, 246, 166, 20, 137, 167, 18, 184, 100, 213, 2, 1,
    ]
    static let markup = Array("\n<rss version=\"2.0\"/>".utf8)
    /// 1,000,000 spaces in gzip in gzip.
    static let twice = base64("H4sIAAAAAAACA5Pv5mAAASbmtwcbQYzDClN/Bss9CWVkGAWjYBQMebCe7TqH2mkHJ34GAF6/2zHsAwAA")

    private func serve(_ body: [UInt8], _ encoding: String?) {
        server.on("/feed", Reply(200, headers: encoding.map { [("Content-Encoding", $0)] } ?? [], body: body))
    }

    @Test(arguments: [
        ("gzip", gzip), ("x-gzip", gzip), ("GZIP", gzip), ("deflate", zlib), ("deflate", rawDeflate), ("br", br), ("zstd", zstd),
        ("identity", Array(text.utf8)), ("gzip", Array(text.utf8)), ("", gzip),
    ])
    func `encodings are undone`(encoding: String, body: [UInt8]) async throws {
        serve(body, encoding.isEmpty ? nil : encoding)
        let (response, text) = try await fetch("\(server.url)/feed")
        #expect(text == Self.text)
        #expect(response.bytes == body.count)
        #expect(response.bodyHash == XXH64.hash(body))
    }

    @Test(arguments: [
        ("deflate", gzip), ("br", gzip), ("gzip", zlib), ("gzip, gzip", gzip), ("", zstd), ("br", markup), ("deflate", markup),
        ("utf-8", markup), ("compress", markup), ("gzip, br", markup),
    ])
    func `the first bytes tell the encoding whatever the server declares`(encoding: String, body: [UInt8]) async throws {
        serve(body, encoding.isEmpty ? nil : encoding)
        let text = try await fetch("\(server.url)/feed").text
        #expect(text == (body == Self.markup ? String(decoding: Self.markup, as: UTF8.self) : Self.text))
    }

    @Test func `a compressed file that was compressed again is undone twice`() async throws {
        serve(Self.twice, "gzip")
        #expect(try await fetch("\(server.url)/feed").text == String(repeating: " ", count: 1_000_000))
    }

    @Test(arguments: [("gzip", gzip), ("zstd", zstd)])
    func `all members are read`(encoding: String, body: [UInt8]) async throws {
        serve(body + body + body, encoding)
        #expect(try await fetch("\(server.url)/feed").text == Self.text + Self.text + Self.text)
    }

    @Test func `padding after the last member is passed over`() async throws {
        serve(Self.gzip + [0, 0, 0, 0], "gzip")
        #expect(try await fetch("\(server.url)/feed").text == Self.text)
    }

    @Test func `encodings in encodings are undone in turn`() async throws {
        serve(Self.twice, "gzip, gzip")
        #expect(try await fetch("\(server.url)/feed").text == String(repeating: " ", count: 1_000_000))
    }

    @Test(arguments: [("gzip", gzip), ("deflate", zlib), ("br", br), ("zstd", zstd)])
    func `a stream that is cut off is no answer`(encoding: String, body: [UInt8]) async {
        serve(Array(body.dropLast(9)), encoding)
        #expect(await failure(of: "\(server.url)/feed")?.code == .protocol)
    }

    @Test func `a broken stream is no answer`() async {
        serve(Array(Self.gzip[..<12] + Self.gzip[20...]), "gzip")
        #expect(await failure(of: "\(server.url)/feed")?.code == .protocol)
    }

    @Test func `an encoding nobody asked for is no answer`() async {
        serve(Array(Self.text.utf8), "compress")
        #expect(await failure(of: "\(server.url)/feed")?.code == .protocol)
    }

    @Test func `the known body is not decoded`() async throws {
        serve(Self.gzip, "gzip")
        let (response, text) = try await fetch("\(server.url)/feed") { $0.lastBodyHash = XXH64.hash(Self.gzip) }
        #expect(response.body == .sameBytes)
        #expect(text.isEmpty)
    }

    @Test func `the limit counts decoded bytes`() async {
        serve(Self.twice, "gzip, gzip")
        let failure = await failure(of: "\(server.url)/feed") { $0.limits.maxBodySize = 500_000 }
        #expect(failure?.code == .tooLarge)
    }

    @Test(arguments: [Reply.Framing.contentLength, .chunked, .untilClose])
    func `the limit holds for every framing`(framing: Reply.Framing) async throws {
        server.on("/feed", Reply(200, body: Array(repeating: 32, count: 100_000)).with { $0.framing = framing })
        #expect(await failure(of: "\(server.url)/feed") { $0.limits.maxBodySize = 99_999 }?.code == .tooLarge)
        #expect(try await fetch("\(server.url)/feed") { $0.limits.maxBodySize = 100_000 }.text.utf8.count == 100_000)
    }

    @Test(arguments: [Reply.Framing.contentLength, .chunked])
    func `a body that is cut off is no answer`(framing: Reply.Framing) async {
        server.on(
            "/feed",
            Reply(200, body: Array(repeating: 32, count: 10_000)).with {
                $0.framing = framing
                $0.cutAfter = 5_000
            })
        #expect(await failure(of: "\(server.url)/feed")?.code == .protocol)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nContent-Le",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "<rss/>",
        "",
    ])
    func `what is no HTTP is no answer`(answer: String) async {
        server.on("/feed", .raw(answer))
        #expect(await failure(of: "\(server.url)/feed")?.code == .protocol)
    }

    @Test func `headers without end are cut off`() async {
        let line = "X-Long: " + String(repeating: "a", count: 8_000) + "\r\n"
        server.on("/feed", .raw("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 100) + "\r\nx"))
        #expect(await failure(of: "\(server.url)/feed")?.code == .protocol)
    }

    @Test func `a body in pieces arrives whole`() async throws {
        server.on(
            "/feed",
            Reply(200, body: Array(Self.text.utf8)).with {
                $0.framing = .chunked
                $0.drip = (1, 0.001)
            })
        #expect(try await fetch("\(server.url)/feed").text == Self.text)
    }

    @Test func `a slow reader gets all of a long body`() async throws {
        let text = String(repeating: "0123456789abcdef", count: 1 << 16)
        server.on("/feed", .feed(text))
        var request = FetchRequest(url: "\(server.url)/feed")
        request.limits.timeout = 20
        var hash = XXH64()
        let fetcher = CurlFetcher(userAgent: "jimmy-tests")
        _ = try await fetcher.fetch(request, Politeness.generous().visit()) { _, bytes in
            for _ in 0..<200_000 where bytes.isEmpty { Issue.record("an empty piece") }
            hash.update(bytes)
        }
        #expect(hash.finish() == XXH64.hash(text.utf8))
    }

    @Test func `a body is received after it was admitted once`() async throws {
        server.on("/feed", .feed(String(repeating: "x", count: 1 << 20)))
        let admissions = Atomic(0)
        let (_, text) = try await fetch("\(server.url)/feed") { request in
            request.admitBody = { admissions.add(1, ordering: .relaxed) }
        }
        #expect(text.utf8.count == 1 << 20)
        #expect(admissions.load(ordering: .relaxed) == 1)

        let refusal = await failure(of: "\(server.url)/none") { $0.admitBody = { Issue.record("there is no body") } }
        #expect(refusal != nil)
    }

    @Test func `what the reader throws ends the transfer`() async {
        struct Enough: Error {}
        server.on("/feed", .feed(String(repeating: "x", count: 1 << 20)))
        let fetcher = CurlFetcher(userAgent: "jimmy-tests")
        await #expect(throws: Enough.self) {
            _ = try await fetcher.fetch(FetchRequest(url: "\(server.url)/feed"), Politeness.generous().visit()) { _, _ in
                throw Enough()
            }
        }
    }
}

/// Test data as text.
func base64(_ text: String) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var bytes = [UInt8]()
    var bits = 0
    var value = 0
    for character in text.utf8 {
        guard let digit = alphabet.firstIndex(of: character) else { break }
        value = (value << 6 | digit) & 0xFFFFFF
        bits += 6
        if bits >= 8 {
            bits -= 8
            bytes.append(UInt8(value >> bits & 0xFF))
        }
    }
    return bytes
}
