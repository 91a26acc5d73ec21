import Domain
import Testing

@testable import UseCases

/// Testing has tags of its own.
private typealias OwnTag = Domain.Tag

struct EpisodeOrderTests {
    private static let podcast = PodcastID(text: "aaaaaaaaaaaaaaaa")

    private func episode(
        _ name: String, date: Int64? = nil, season: Double? = nil, number: Double? = nil, isWithdrawn: Bool = false
    ) throws -> Episode {
        var item = Item()
        item.title = name
        item.publishedAt = date.map(Timestamp.init(seconds:))
        var enclosure = Enclosure()
        enclosure.url = "https://example.com/\(name).mp3"
        item.enclosures = [enclosure]
        if let season {
            item.season = Season()
            item.season?.number = season
        }
        if let number {
            item.episode = EpisodeNumber()
            item.episode?.number = number
        }
        let id = try #require(EpisodeID(text: "\(Self.podcast.text)-\(name)"))
        return Episode(
            id: id, item: FeedItem(item), firstSeenAt: Timestamp(seconds: 0), changedAt: Timestamp(seconds: 0),
            withdrawnAt: isWithdrawn ? Timestamp(seconds: 1) : nil)
    }

    private func names(_ episodes: [Episode]) -> String {
        episodes.enumerated().sorted {
            EpisodeOrder($0.element, place: $0.offset) < EpisodeOrder($1.element, place: $1.offset)
        }.compactMap(\.element.item.title).joined(separator: " ")
    }

    @Test func `dates come first, then season and number, then the place in the feed`() throws {
        let stored = [
            try episode("zz", date: 5, season: 1, number: 10), try episode("yy", date: 5, season: 1, number: 9),
            try episode("xx", date: 5, season: 2, number: 1), try episode("ww", date: 4, season: 9, number: 9),
            try episode("vv", date: 5), try episode("uu", date: 5), try episode("tt"), try episode("ss"),
            try episode("rr", season: .nan, number: .nan), try episode("qq", season: -.infinity, number: .infinity),
        ]
        #expect(names(stored) == "tt ss rr qq ww vv uu yy zz xx")
    }

    @Test func `only places separate tied episodes`() throws {
        let (a, b) = (try episode("a", date: 5, number: 1), try episode("b", date: 5, number: 1))
        #expect(EpisodeOrder(a).isTied(with: EpisodeOrder(b)))
        #expect(EpisodeOrder(b, place: 1) < EpisodeOrder(a, place: 2))
        #expect(!EpisodeOrder(a).isTied(with: EpisodeOrder(try episode("c", date: 5, number: 2))))
        #expect(!EpisodeOrder(a).isTied(with: EpisodeOrder(try episode("d", date: 6, number: 1))))
    }

    @Test func `the next episode is the one in progress, else the oldest or newest unheard one`() throws {
        let stored = [
            try episode("one", date: 1), try episode("two", date: 2), try episode("three", date: 3), try episode("four", date: 4),
            try episode("gone", date: 5, isWithdrawn: true),
        ]
        func next(
            serial: Bool, begun: [String: Int64] = [:], tags: [String: Set<OwnTag>] = [:]
        ) -> String? {
            let ids = Dictionary(stored.map { ($0.item.title ?? "", $0.id) }) { a, _ in a }
            var (positions, owned) = ([EpisodeID: PlayPosition](), [EpisodeID: Set<OwnTag>]())
            for (name, at) in begun {
                if let id = ids[name] { positions[id] = PlayPosition(episodeID: id, seconds: 9, at: Timestamp(seconds: at)) }
            }
            for (name, tags) in tags { if let id = ids[name] { owned[id] = tags } }
            return NextEpisode.choose(among: stored, isSerial: serial, positions: positions, tags: owned)?.item.title
        }
        #expect(next(serial: true) == "one")
        #expect(next(serial: false) == "four")
        #expect(next(serial: true, tags: ["one": [.played], "two": [.archived]]) == "three")
        #expect(next(serial: false, tags: ["four": [.played, .starred]]) == "three")
        #expect(next(serial: false, begun: ["one": 50, "two": 60]) == "two")
        #expect(next(serial: true, begun: ["one": 50, "gone": 60]) == "gone")
        #expect(next(serial: false, begun: ["one": 50], tags: ["one": [.played]]) == "four")
        let all = Dictionary(stored.map { ($0.item.title ?? "", Set([OwnTag.played])) }) { a, _ in a }
        #expect(next(serial: true, tags: all) == nil)
    }
}
