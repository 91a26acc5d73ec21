import Testing

@testable import Domain

@Suite struct ShortIDsTests {
    @Test func `as many characters as tell it from all others, and eight at least`() {
        #expect(ShortIDs.length(of: "abcdefghjkmnp", among: ["abcdefghjkmnp"]) == nil)
        #expect(ShortIDs.length(of: "abcdefghjkmnp", among: ["abcdefg0jkmnp"]) == nil)
        #expect(ShortIDs.length(of: "abcdefghjkmnp", among: ["abcdefgh0kmnp"]) == 9)
        #expect(ShortIDs.length(of: "abcdefghjkmnp", among: ["abcdefgh0kmnp", "abcdefghjkmn0"]) == 13)
    }

    @Test func `each half of an episode's id is shortened by itself`() throws {
        let podcast = PodcastID(text: "abcdefghjkmnp")
        let episode = try #require(EpisodeID(text: "abcdefghjkmnp-0123456789abc"))
        #expect(ShortIDs().text(podcast) == "abcdefgh")
        #expect(ShortIDs().text(episode) == "abcdefgh-01234567")
        let short = ShortIDs(podcasts: [podcast: 10], episodes: [episode: 9])
        #expect(short.text(podcast) == "abcdefghjk")
        #expect(short.text(episode) == "abcdefghjk-012345678")
    }
}
