import Domain
import Testing

@Suite struct FieldsTests {
    /// Values of the reference implementation (`xxhsum -H1`).
    @Test(
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
            ("The quick brown fox jumps over the lazy dog", 0x0B24_2D36_1FDA_71BC),
        ] as [(String, UInt64)])
    func xxh64AgreesWithTheReference(text: String, hash: UInt64) {
        #expect(XXH64.hash(text.utf8) == hash)
    }

    @Test func xxh64DoesNotDependOnHowTheBytesArrive() {
        let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for size in [1, 7, 31, 32, 33, 64, 999] {
            var hasher = XXH64()
            var rest = bytes[...]
            while !rest.isEmpty {
                hasher.update(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(hasher.finish() == XXH64.hash(bytes))
        }
    }

    @Test(arguments: 0..<40) func xxh64TakesANumberAsItsBytes(before: Int) {
        let number: UInt64 = 0x0102_0304_0506_0708
        let text = [UInt8](repeating: 0x20, count: before)
        var hasher = XXH64()
        hasher.update(text)
        hasher.update(number)
        #expect(hasher.finish() == XXH64.hash(text + (1...8).reversed()))
    }

    @Test func digestsTellListsFromTheirJoinedText() {
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
    func timestampsReadWhatTheyWrite(text: String, seconds: Int64) {
        #expect(Timestamp(text)?.seconds == seconds)
        #expect(Timestamp(seconds: seconds).description == text)
    }

    @Test(arguments: ["2025-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01 00:00:00Z", "2026-01-01T24:00:00Z", ""])
    func timestampsRefuseWhatIsNoDate(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func weekdaysCountFromSunday() {
        #expect(Timestamp("2026-11-21T00:00:00Z")?.parts.weekday == 6)
        #expect(Timestamp("1970-01-01T00:00:00Z")?.parts.weekday == 4)
    }

    @Test func idsAreShortStableAndNameTheirPodcast() {
        let podcast = PodcastID(feedURL: "https://example.org/feed.xml")
        #expect(podcast.text.count == 8)
        #expect(podcast == PodcastID(feedURL: "https://example.org/feed.xml"))
        #expect(podcast != PodcastID(feedURL: "https://example.org/feed.xml", attempt: 1))
        let episode = EpisodeID(podcast: podcast, identity: "guid:1")
        #expect(episode.podcastID == podcast)
        #expect(EpisodeID(text: episode.text) == episode)
        #expect(EpisodeID(text: "nohyphen") == nil)
    }
}
