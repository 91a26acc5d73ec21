import Domain
import Testing

@Suite struct FieldsTests {
    @Test func `digests tell lists from their joined text`() {
        var one = Item()
        one.tags = ["ab"]
        var two = Item()
        two.tags = ["a", "b"]
        #expect(ContentDigest(of: one) != ContentDigest(of: two))
        var three = Item()
        three.title = "ab"
        #expect(ContentDigest(of: one) != ContentDigest(of: three))
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2000-02-29T23:59:59Z", 951_868_799), ("2026-11-21T02:45:20Z", 1_795_229_120),
            ("1969-12-31T23:59:59Z", -1), ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, Int64)])
    func `timestamps read what they write`(text: String, seconds: Int64) {
        #expect(Timestamp(text)?.seconds == seconds)
        #expect(Timestamp(seconds: seconds).description == text)
    }

    @Test(arguments: ["2025-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01 00:00:00Z", "2026-01-01T24:00:00Z", ""])
    func `timestamps refuse what is no date`(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func `weekdays count from Sunday`() {
        #expect(Timestamp("2026-11-21T00:00:00Z")?.parts.weekday == 6)
        #expect(Timestamp("1970-01-01T00:00:00Z")?.parts.weekday == 4)
    }

    @Test func `ids are short, stable and name their podcast`() {
        let podcast = PodcastID(feedURL: "https://example.org/feed.xml")
        #expect(podcast.text.count == 13)
        #expect(podcast == PodcastID(feedURL: "https://example.org/feed.xml"))
        #expect(podcast != PodcastID(feedURL: "https://example.org/feed.xml", attempt: 1))
        let episode = EpisodeID(podcast: podcast, identity: "guid:1")
        #expect(episode.podcastID == podcast)
        #expect(EpisodeID(text: episode.text) == episode)
        #expect(EpisodeID(text: "nohyphen") == nil)
    }
}
