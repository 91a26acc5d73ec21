import Domain
import Glibc
import Library
import LoopbackServer
import Results
import Testing
import UseCases

/// Testing has tags of its own.
private typealias OwnTag = Domain.Tag

/// Which episodes are new to the owner, and that no change loses a tag.
@Suite struct NewEpisodesTests {
    private func new(_ house: Household) async throws -> Set<String> {
        let library = try await house.library(.read)
        let ids = try await library.tags.episodes(tagged: [.new])[.new] ?? []
        return Set(try await library.episodes.episodes(ids).compactMap(\.item.title))
    }

    private func tag(_ house: Household, _ words: [String], _ title: String) async throws {
        let episode = try #require(try await house.episodes().first { $0.item.title == title })
        _ = try await house.library().tags.edit(TagEdit(words), of: [episode.id])
    }

    private func tags(_ house: Household) async throws -> [String: Set<OwnTag>] {
        let library = try await house.library(.read)
        let episodes = try await house.episodes()
        let tags = try await library.tags.tags(of: episodes.map(\.id))
        return Dictionary(
            episodes.compactMap { episode in tags[episode.id].map { (episode.item.title ?? "", $0) } }, uniquingKeysWith: { $1 })
    }

    private func unsubscribe(_ house: Household, keepingEpisodes: Bool = false) async throws {
        let library = try await house.library()
        let unsubscribe = UnsubscribeFromPodcast(library, index: house.index)
        try await unsubscribe(try await library.podcasts.all(), keepingEpisodes: keepingEpisodes, now: house.now)
    }

    @Test func `the first fetch brings nothing new`() async throws {
        let house = try Household()
        house.serve("/a", ["1": "One"])
        house.serve("/empty", [:])
        _ = try await house.subscribe("/a", "/empty")
        _ = try await house.subscribe("/b", fetching: false)
        house.serve("/b", ["1": "B one"])
        try await house.refresh()
        #expect(try await new(house) == [])
        house.serve("/a", ["2": "Two", "1": "One"])
        house.serve("/empty", ["1": "Late one"])
        try await house.refresh()
        #expect(try await new(house) == ["Two", "Late one"])
        house.serve("/a", ["3": "Three", "2": "Two", "1": "One"])
        try await house.refresh()
        #expect(try await new(house) == ["Two", "Late one", "Three"])
    }

    @Test func `a first fetch may bring the newest few`() async throws {
        let house = try Household()
        house.serve("/a", ["3": "Three", "2": "Two", "1": "One"])
        _ = try await house.subscribe("/a", fetching: false)
        try await house.refresh {
            $0.mode = .all
            $0.newOnSubscribe = 2
        }
        #expect(try await new(house) == ["Three", "Two"])
    }

    @Test func `what was seen before is not new again`() async throws {
        let house = try Household()
        house.serve("/a", ["1": "One"])
        _ = try await house.subscribe("/a")
        house.serve("/a", ["2": "Two", "1": "One"])
        try await house.refresh()
        try await tag(house, ["-new", "+starred"], "Two")
        house.serve("/a", ["1": "One"])  // withdrawn
        try await house.refresh()
        house.serve("/a", ["2": "Two again", "1": "One"])  // back, with another title
        try await house.refresh()
        #expect(try await new(house) == [])
        #expect(try await tags(house) == ["Two again": [.starred]])
    }

    @Test func `another guid for the same enclosure keeps its tags`() async throws {
        let house = try Household()
        func feed(_ guid: String) -> String {
            """
            <rss version="2.0"><channel><title>A</title><item><title>One</title><guid>\(guid)</guid>\
            <enclosure url="http://m.example/1.mp3" type="audio/mpeg"/></item></channel></rss>
            """
        }
        house.server.on("/a", .feed(feed("1")))
        _ = try await house.subscribe("/a")
        try await tag(house, ["+later"], "One")
        house.server.on("/a", .feed(feed("other")))
        try await house.refresh()
        #expect(try await new(house) == [])
        #expect(try await tags(house) == ["One": [try #require(OwnTag("later"))]])
    }

    @Test func `a move keeps tags and brings nothing new`() async throws {
        let house = try Household()
        house.serve("/old", ["1": "One"])
        _ = try await house.subscribe("/old")
        try await tag(house, ["+starred"], "One")
        house.serve("/new", ["1": "One"])
        house.server.on("/old", .redirect(301, to: "/new"))
        #expect(try await house.refresh().outcomes.map(\.kind) == [.moved])
        #expect(try await new(house) == [])
        #expect(try await tags(house) == ["One": [.starred]])
    }

    @Test func `what a repair brings back is not new`() async throws {
        let house = try Household()
        house.serve("/a", ["2": "Two", "1": "One"])
        _ = try await house.subscribe("/a")
        try await tag(house, ["+starred"], "Two")
        let podcast = try #require(try await house.podcasts().first)
        for folder in ["podcasts", "backup/podcasts"] { house.cutFile("\(folder)/\(podcast.id).jsonl") }
        #expect(try await Library.repair(house.folder + "/library", waitSeconds: 5).waiting == [podcast.id])
        house.pass(hours: 1)
        let (outcomes, _) = try await house.refresh()
        #expect(outcomes.first?.added.isEmpty == false)
        #expect(try await new(house) == [])
        #expect(try await tags(house) == ["Two": [.starred]])
        house.serve("/a", ["3": "Three", "2": "Two", "1": "One"])
        try await house.refresh()
        #expect(try await new(house) == ["Three"])
    }

    @Test(arguments: [true, false]) func `tags return with a subscription`(keepingEpisodes: Bool) async throws {
        let house = try Household()
        house.serve("/a", ["2": "Two", "1": "One"])
        _ = try await house.subscribe("/a")
        try await tag(house, ["+starred"], "Two")
        try await unsubscribe(house, keepingEpisodes: keepingEpisodes)
        let library = try await house.library(.read)
        #expect(try await library.tags.waitingTags().map(\.key) == ["2"])
        let dump = DumpTags(library)
        #expect(try await dump().lines.map(\.text) == ["+starred -- \(house.server.url)/a 2"])
        _ = try await house.subscribe("/a", fetching: false)
        try await house.refresh()
        #expect(try await tags(house) == ["Two": [.starred]])
        #expect(try await house.library(.read).tags.waitingTags() == [])
    }

    @Test func `restored lines wait for their episode`() async throws {
        let house = try Household()
        house.serve("/a", ["1": "One"])
        _ = try await house.subscribe("/a")
        try await tag(house, ["+old"], "One")
        let library = try await house.library()
        let restore = RestoreTags(library)
        let text = """
            # a comment
            +starred -- \(house.server.url.replacing("http://", with: "http://ann:pw@"))/a 1
            +played -- \(house.server.url)/a 2
            +later -- https://other.example/feed g

            """
        let report = try await restore(text, now: house.now)
        #expect(report.episodes == 1)
        #expect(report.waiting.map(\.key) == ["2", "g"])
        #expect(try await tags(house) == ["One": [.starred]])
        house.serve("/a", ["2": "Two", "1": "One"])
        try await house.refresh()
        #expect(try await tags(house) == ["One": [.starred], "Two": [.played]])
        #expect(try await house.library(.read).tags.waitingTags().map(\.key) == ["g"])
        await #expect(throws: MalformedTagLine(number: 2)) {
            try await restore("+x -- http://a.example/f g\n+y http://a\n", now: house.now)
        }
        #expect(try await house.library(.read).tags.waitingTags().map(\.key) == ["g"])
    }
}

extension Household {
    /// Loses the file's last line.
    fileprivate func cutFile(_ name: String) {
        let path = "\(folder)/library/\(name)"
        guard let file = fopen(path, "r+") else { return }
        fseek(file, -20, SEEK_END)
        ftruncate(fileno(file), ftell(file))
        fclose(file)
    }
}
