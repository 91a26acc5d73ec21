import Domain
import Testing

struct MediaNameTests {
    private func path(
        _ template: String, title: String = "Bath", season: Double? = nil, number: Double? = nil
    ) throws -> String {
        var item = Item()
        item.title = title
        if let season {
            item.season = Season()
            item.season?.number = season
        }
        if let number {
            item.episode = EpisodeNumber()
            item.episode?.number = number
        }
        var podcast = Podcast(id: PodcastID(text: "aaaa"), feedURL: "http://a.example/", subscribedAt: Timestamp(seconds: 0))
        podcast.title = "Coast"
        let id = try #require(EpisodeID(text: "aaaa-bbbb"))
        let episode = Episode(
            id: id, item: FeedItem(item), firstSeenAt: Timestamp(seconds: 0), changedAt: Timestamp(seconds: 0))
        let name = try #require(MediaName(template))
        return name.path(of: ListedEpisode(podcast: podcast, episode: episode), ext: "mp3")
    }

    @Test(arguments: [
        ("{season}x{episode} {title}.{ext}", "Bath.mp3", "2x3 Bath.mp3"),
        ("S{season}E{episode} - {title}.{ext}", "Bath.mp3", "S2E3 - Bath.mp3"),
        ("{date} {title}.{ext}", "Bath.mp3", "Bath.mp3"),
        ("{podcast}/{title} {season}.{ext}", "Coast/Bath.mp3", "Coast/Bath 2.mp3"),
        ("{title} ({episode}).{ext}", "Bath .mp3", "Bath (3).mp3"),
    ]) func `what a feed lacks leaves no signs behind`(template: String, bare: String, full: String) throws {
        if !template.contains("(") && !template.contains("{season}.{ext}") { #expect(try path(template) == bare) }
        #expect(try path(template, season: 2, number: 3) == full)
    }

    @Test(arguments: [(".NET Baths", "_.NET Baths.mp3"), ("...and done", "_...and done.mp3"), (".jimmy", "_.jimmy.mp3")])
    func `no file is hidden`(title: String, name: String) throws {
        #expect(try path("{title}.{ext}", title: title) == name)
    }

    @Test func `a podcast's folder is kept, where the template has one`() throws {
        let usual = try #require(MediaName(MediaName.usual))
        #expect(usual.podcastFolder(in: "Old Name/2025-01-01 A.mp3") == "Old Name")
        #expect(usual.podcastFolder(in: "A.mp3") == nil)
        #expect(try #require(MediaName("{podcast} {title}.{ext}")).podcastFolder(in: "Old A.mp3") == nil)
    }
}
