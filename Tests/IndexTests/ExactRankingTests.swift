import Domain
import Glibc
import Searching
import Testing

@testable import Index

/// A search that skips matches finds the same best ones as ranking every match.
@Suite struct ExactRankingTests {
    private var made = RandomEpisodes()
    private var dice: Dice {
        get { made.dice }
        set { made.dice = newValue }
    }

    /// Several segments, some of many blocks, with deleted documents.
    @Test mutating func theBestAreThoseOfAllMatches() async throws {
        let fixture = try IndexFixture()
        for round in 0..<6 {
            let podcast = round % 5
            let count = [4_000, 30, 900, 200, 1_500, 3_000][round]
            let made = self.made.episodes(of: podcast, count)
            try await fixture.index.apply([
                .whole(Self.show("pod0000\(podcast)", revision: round + 1), Channel(), made)
            ])
        }
        #expect(fixture.segments.count > 3)
        var matched = 0
        for _ in 0..<200 {
            let query = made.query()
            var request = SearchRequest(text: query)
            if dice.roll(4) > 0 { request.now = day }
            let best = try await fixture.index.search(request).hits
            request.limit = 1_000_000
            let all = try await fixture.index.search(request).hits
            #expect(best == Array(all.prefix(20)), "\(query)")
            let walked = try await fixture.index.episodes(matching: request)
            #expect(Set(all.map(\.episodeID)) == Set(walked) && all.count == walked.count, "\(query)")
            if all.count > 20 { matched += 1 }
        }
        #expect(matched > 100)
    }

    /// Forms that only one of several languages has, and phrases, count like everything else.
    @Test mutating func everyScoreIsWhatItsExplanationAddsUpTo() async throws {
        let fixture = try IndexFixture()
        let words = ["sea", "seas", "radio", "radios", "boat", "boats", "harbour", "harbours", "night", "nights"]
        for (number, language) in ["en", "de", "fr"].enumerated() {
            var channel = Channel()
            channel.language = language
            let made = (0..<300).map { place in
                let text = (0..<6 + dice.roll(20)).map { _ in words[dice.roll(words.count)] }.joined(separator: " ")
                return episode("e\(place)", "day \(place)", age: Int64(place), of: "pod0000\(number)") { $0.description = text }
            }
            try await fixture.index.apply([.whole(Self.show("pod0000\(number)", revision: 1), channel, made)])
        }
        let queries = [
            "radio sea", "sea", "boat night", "\"sea radio\" OR harbour", "(\"night boat\" OR seas) radio", "boat* sea",
        ]
        for query in queries {
            var request = SearchRequest(text: query)
            request.explains = true
            request.limit = 1_000
            let hits = try await fixture.index.search(request).hits
            #expect(hits.count > 100)
            for hit in hits {
                let explanation = try #require(hit.explanation)
                let score = explanation.terms.reduce(0) { $0 + $1.score } * explanation.freshness
                #expect(abs(hit.score - score) < 1e-4 * score, "\(query): \(hit.score) and \(score) of \(hit.episodeID)")
            }
        }
    }

    private static func show(_ id: String, revision: Int) -> Podcast { podcast(id, title: "Show \(id)", revision: revision) }

    /// Against scores computed from the texts alone.
    @Test mutating func scoresAreThoseOfTheFormula() async throws {
        let fixture = try IndexFixture()
        let made = self.made.episodes(of: 0, 3_000)
        try await fixture.index.apply([.whole(podcast(title: ""), Channel(), made)])
        let texts = made.map { Text($0) }
        let count = Double(texts.count)
        let usualTitle = texts.reduce(0) { $0 + $1.titleLength } / count
        let usualText = texts.reduce(0) { $0 + $1.textLength } / count
        for word in RandomEpisodes.words.prefix(40) {
            let holding = Double(texts.count { $0.title.contains(word) || $0.text.contains(word) || $0.tags.contains(word) })
            let rarity = log(1 + (count - holding + 0.5) / (holding + 0.5))
            let request = SearchRequest(text: "\"\(word)\"")
            for hit in try await fixture.index.search(request).hits where hit.score < 100 {
                let text = try #require(texts.first { $0.id == hit.episodeID })
                var weight = text.tags.contains(word) ? 2.5 : 0
                weight += 8 * Double(text.title.count { $0 == word }) / (0.5 + 0.5 * text.titleLength / usualTitle)
                weight += Double(text.text.count { $0 == word }) / (0.25 + 0.75 * text.textLength / usualText)
                let score = rarity * weight * 2.2 / (weight + 1.2)
                #expect(abs(hit.score - score) < 1e-4 * score, "\(word) in \(hit.episodeID)")
            }
        }
    }

    private struct Text {
        var id: EpisodeID
        var title: [String]
        var text: [String]
        var tags: [String]
        /// As the index keeps them: exact up to 32, then sixteen steps for each doubling.
        var titleLength: Double
        var textLength: Double

        init(_ episode: Episode) {
            let (title, text) = (episode.item.title ?? "", episode.item.description ?? "")
            id = episode.id
            self.title = title.split(separator: " ").map(String.init)
            self.text = text.split(separator: " ").map(String.init)
            tags = episode.item.tags
            titleLength = Double(LengthCode(bytes: title.utf8.count).bytes)
            textLength = Double(LengthCode(bytes: text.utf8.count).bytes)
        }
    }
}

/// Small random numbers, the same in every run.
struct Dice {
    private var state: UInt64 = 7

    mutating func roll(_ sides: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % sides
    }
}
