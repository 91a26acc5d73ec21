import Domain
import Testing

@testable import UseCases

/// Which file is the episode, what a file is, and what it is called.
@Suite struct EnclosureTests {
    private func item(_ enclosures: (url: String, type: String?)...) -> Item {
        var item = Item()
        item.enclosures = enclosures.map { url, type in
            var enclosure = Enclosure()
            (enclosure.url, enclosure.type) = (url, type)
            return enclosure
        }
        return item
    }

    @Test func `the first audio or video is chosen, by type or by extension`() {
        let mp3 = "https://a.example/1.mp3"
        let choices: [(Item, String?)] = [
            (item(("https://a.example/1.jpg", "image/jpeg"), (mp3, "audio/mpeg")), mp3),
            (item(("https://a.example/1.jpg", "audio/mpeg"), (mp3, nil)), mp3),
            (item(("https://a.example/notes.pdf", "application/pdf"), (mp3, "application/octet-stream")), mp3),
            (item(("https://a.example/get?id=1", nil), (mp3, nil)), mp3),
            (item(("https://a.example/1.torrent", nil), ("https://a.example/get?id=1", nil)), "https://a.example/get?id=1"),
            (item(("https://a.example/live.m3u8", "audio/x-mpegurl"), (mp3, nil)), mp3),
            (item(("https://a.example/1.jpg", "image/jpeg"), ("https://a.example/1.pdf", nil)), nil),
            (item(("file:///etc/passwd", "audio/mpeg"), (mp3, "audio/mpeg")), mp3),
            (item(("1.mp3", "audio/mpeg")), nil), (Item(), nil),
        ]
        for (item, url) in choices { #expect(item.chosenEnclosure?.url == url, "\(item.enclosures)") }
    }

    @Test func `an alternate enclosure serves if there is no other`() {
        var one = item(("https://a.example/1.jpg", "image/jpeg"))
        func alternate(_ uri: String, _ type: String, isDefault: Bool = false) -> AlternateEnclosure {
            var (alternate, source) = (AlternateEnclosure(), MediaSource())
            source.uri = uri
            (alternate.type, alternate.default, alternate.sources) = (type, isDefault, [source])
            return alternate
        }
        one.extras.alternateEnclosures = [
            alternate("ipfs://abc", "audio/opus", isDefault: true), alternate("https://a.example/1.opus", "audio/opus"),
            alternate("https://a.example/2.mp3", "audio/mpeg", isDefault: true),
        ]
        #expect(one.chosenEnclosure?.url == "https://a.example/2.mp3")
        #expect(one.safeEnclosures.map(\.url) == ["https://a.example/2.mp3", "https://a.example/1.jpg"])
        #expect(one.forOtherPrograms.extras.alternateEnclosures[0].sources == [])
        one.enclosures += item(("https://a.example/get", "")).enclosures
        #expect(one.chosenEnclosure?.url == "https://a.example/2.mp3")
    }

    @Test func `the signature decides, then the server, then the URL, then the feed`() {
        func ext(_ start: [UInt8], _ server: String?, _ url: String = "/a", _ feed: String? = nil) -> String? {
            MediaSignature.fileExtension(of: start, serverType: server, url: url, feedType: feed)
        }
        let noise: [UInt8] = [1, 2, 3, 200]
        #expect(ext(Array("ID3\u{4}".utf8), "text/html") == "mp3")
        #expect(ext(Array("ID3\u{4}".utf8), "text/html", "/a.aac") == "aac")
        #expect(ext([0xFF, 0xFB, 0x90, 0x64], nil) == "mp3")
        // Layer III of MPEG-2 and 2.5, and with a checksum; layer II.
        for second: UInt8 in [0xF3, 0xE3, 0xFA] { #expect(ext([0xFF, second, 0x64, 0xC4], nil) == "mp3") }
        #expect(ext([0xFF, 0xFD, 0xA4, 4], nil) == "mp2")
        let tag = Array("ID3\u{4}\0\0\0\0\0\u{2}..".utf8)
        #expect(ext(tag + [0xFF, 0xF1, 0x50, 0x80], "audio/mpeg") == "aac")
        #expect(ext(tag + Array("fLaC".utf8), "audio/mpeg") == "flac")
        #expect(ext(tag + [0xFF, 0xFB, 0x90, 0x64], "text/html", "/a.aac") == "mp3")
        // The tag with a cover is longer than what is examined.
        #expect(ext(Array("ID3\u{4}\0\0\0\u{7F}\0\0".utf8) + [UInt8](repeating: 9, count: 2_000), "text/html") == "mp3")
        let pictures: [[UInt8]] = [
            [0, 0, 0, 28] + Array("ftypavif".utf8), [0, 0, 0, 28] + Array("ftypheic".utf8), Array("RIFF1234WEBPVP8 ".utf8),
            [0x1F, 0x8B, 8, 0], [0x49, 0x49, 0x2A, 0], Array("Rar!".utf8), Array("d8:announce20:x".utf8),
        ]
        for picture in pictures { #expect(ext(picture, "audio/mpeg", "/a.mp3", "audio/mpeg") == nil, "\(picture)") }
        #expect(ext([0xFF, 0xF9, 0x50, 0x80], "audio/mpeg") == "aac")
        #expect(ext([0x1A, 0x45, 0xDF, 0xA3, 0x42, 0x82] + Array("webm".utf8), nil) == "webm")
        #expect(ext([0, 0, 0, 24] + Array("ftypmp42".utf8), nil, "/a", "audio/x-m4a") == "m4a")
        #expect(ext([0, 0, 0, 24] + Array("ftypmp42".utf8), "video/mp4") == "mp4")
        #expect(ext([0, 0, 0, 24] + Array("ftypmp42".utf8), "video/mp4", "/a", "audio/mpeg") == "mp4")
        #expect(ext(Array("https://cdn.example/a.mp3".utf8), "audio/mpeg") == nil)
        // One word may be anything: the server's type decides.
        #expect(ext(Array("Forbidden".utf8), "text/plain") == nil && ext(Array("Forbidden".utf8), "audio/mpeg") == "mp3")
        #expect(ext(Array("RIFF1234WAVE".utf8), nil) == "wav")
        #expect(ext(noise, "audio/flac", "/a.mp3", "audio/mpeg") == "flac")
        #expect(ext(noise, "application/octet-stream", "/a.ogg", "audio/mpeg") == "ogg")
        #expect(ext(noise, nil, "/get.aspx", "audio/mpeg") == "mp3")
        #expect(ext(noise, nil, "/get.aspx") == "bin")
        #expect(ext(noise, "text/html") == nil)
        #expect(ext(noise, "image/png") == nil)
        // UTF-16 begins like a frame of layer I.
        #expect(ext([0xFF, 0xFE] + "<p>no file".utf8.flatMap { [$0, 0] }, "audio/mpeg") == nil)
        #expect(ext([], "audio/mpeg") == "mp3")
    }

    @Test(arguments: ["aux", "con", "NUL", "aux ", "con .x", "com1", "lpt¹", "CONIN$", "nul.tar"])
    func `a name that Windows reserves is not used, with any extension and with blanks`(title: String) throws {
        var item = Item()
        item.title = title
        let now = Timestamp(seconds: 0)
        let podcast = Podcast(id: PodcastID(text: "p"), feedURL: "https://a.example/feed", subscribedAt: now)
        let id = EpisodeID(podcast: podcast.id, identity: "guid:1")
        let episode = Episode(id: id, item: FeedItem(item), firstSeenAt: now, changedAt: now)
        let listed = ListedEpisode(podcast: podcast, episode: episode)
        for template in ["{title}.{ext}", "{title} .{ext}", "{title}/a.{ext}", "{title}"] {
            let path = try #require(MediaName(template)).path(of: listed, ext: "mp3")
            #expect(path.hasPrefix("_"), "\(path)")
            // exFAT and vfat drop blanks and dots at the end of a name.
            for part in path.split(separator: "/") { #expect(part.last != " " && part.last != ".") }
        }
    }
}
