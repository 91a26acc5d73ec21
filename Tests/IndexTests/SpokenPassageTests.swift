import Domain
import Searching
import SeededNumbers
import Testing

@testable import Index

/// Words that are said close together rank first, and the search that skips documents finds them all.
@Suite struct SpokenPassageTests {
    private static let words = RandomEpisodes.words

    private struct Library {
        let fixture: IndexFixture
        var spoken: [EpisodeID: [String]] = [:]

        func search(_ text: String, limit: Int = 20, _ change: (inout SearchRequest) -> Void = { _ in }) async throws
            -> [SearchHit]
        {
            var request = SearchRequest(text: text)
            (request.limit, request.explains) = (limit, true)
            change(&request)
            return try await fixture.index.search(request).hits
        }
    }

    /// Several segments, with deleted documents, and episodes without a transcript.
    private func library(_ random: inout SplitMix) async throws -> Library {
        var library = Library(fixture: try IndexFixture())
        for (round, count) in [300, 40, 200, 300].enumerated() {
            let show = podcast("pod0000\(round % 3)", title: "Show", revision: round + 1)
            var (episodes, transcripts): ([Episode], [EpisodeID: [TranscriptSegment]]) = ([], [:])
            for number in 0..<count {
                let one = episode("e\(number)", "day \(number)", age: Int64(number), of: show.id.text) {
                    if number % 5 == 0 { $0.description = Self.words.prefix(4).joined(separator: " ") }
                }
                episodes.append(one)
                library.spoken[one.id] = nil
                if number % 4 == 3 { continue }
                let spoken = (0..<Int.random(in: 100...400, using: &random)).map { _ in Self.word(&random) }
                library.spoken[one.id] = spoken
                transcripts[one.id] = stride(from: 0, to: spoken.count, by: 10).map {
                    TranscriptSegment(start: Double($0), text: spoken[$0..<min($0 + 10, spoken.count)].joined(separator: " "))
                }
            }
            try await library.fixture.index.apply([.whole(show, Channel(), episodes, transcripts: transcripts)])
        }
        return library
    }

    private static func word(_ random: inout SplitMix) -> String {
        let share = Double.random(in: 0..<1, using: &random)
        return words[Int(400 * share * share * share)]
    }

    private static func query(_ random: inout SplitMix) -> [String] {
        var words: Set<String> = []
        let count = Int.random(in: 2...6, using: &random)
        while words.count < count { words.insert(word(&random)) }
        return words.sorted()
    }

    @Test func `the best are those of all matches, and as close as the transcripts say`() async throws {
        var random = SplitMix(seed: 3)
        let library = try await library(&random)
        var close = 0
        for round in 0..<60 {
            let words = Self.query(&random)
            let quoted = words.map { "\"\($0)\"" }
            let isAny = round % 3 == 2
            let inner = quoted.joined(separator: isAny ? " OR " : " ")
            let text = round % 2 == 0 ? "said:(\(inner))" : inner
            let now = round % 5 == 0 ? nil : day as Timestamp?
            let best = try await library.search(text) { $0.now = now }
            let all = try await library.search(text, limit: 100_000) { $0.now = now }
            // Those with most of the words are added to few matches.
            guard !all.contains(where: \.hasMostWords) else { continue }
            let isSame = best == Array(all.prefix(20))
            #expect(isSame, "\(text)")
            for hit in all {
                let explanation = try #require(hit.explanation)
                let score = (explanation.terms.reduce(0) { $0 + $1.score } + explanation.closeness) * explanation.freshness
                #expect(abs(hit.score - score) < 1e-4 * score, "\(text)")
                if isAny { continue }
                let rarities = Dictionary(uniqueKeysWithValues: zip(words, explanation.terms.map(\.rarity)))
                let strength = Ranking.closenessStrength(of: words.count, isSpokenOnly: round % 2 == 0)
                let closeness = Self.closeness(of: words, in: library.spoken[hit.episodeID] ?? [], rarities) * strength
                #expect(abs(closeness - explanation.closeness) < 1e-6, "\(text) in \(hit.episodeID)")
                if closeness > 0 { close += 1 }
            }
        }
        #expect(close > 150)
    }

    /// The closeness of the best window with all words.
    private static func closeness(of words: [String], in spoken: [String], _ rarities: [String: Double]) -> Double {
        var best = 0.0
        for first in spoken.indices where words.contains(spoken[first]) {
            for span in words.count...Ranking.maxPassage(of: words.count) where first + span <= spoken.count {
                let window = Set(spoken[first..<(first + span)])
                guard words.allSatisfy(window.contains) else { continue }
                let rarity = words.reduce(0) { $0 + (rarities[$1] ?? 0) }
                best = max(best, rarity * Ranking.closeness(Double(words.count) / Double(span)))
            }
        }
        return best
    }

    /// A passage as it is remembered is found first, in `said:` and in a search of everything.
    @Test func `a passage ranks its episode first, also in another order and with a word too few or too many`() async throws {
        var random = SplitMix(seed: 5)
        let library = try await library(&random)
        let episodes = library.spoken.keys.sorted()
        for _ in 0..<25 {
            let wanted = episodes[Int.random(in: episodes.indices, using: &random)]
            let spoken = library.spoken[wanted] ?? []
            let count = Int.random(in: 6...12, using: &random)
            let first = Int.random(in: 0...(spoken.count - count), using: &random)
            let passage = Array(spoken[first..<(first + count)])
            let shuffled = passage.shuffled(using: &random)
            for (how, words) in [
                ("as said", passage), ("another order", shuffled), ("a word too few", Array(shuffled.dropFirst())),
                ("a word too many", shuffled + ["zeppelin"]),
            ] {
                let text = words.joined(separator: " ")
                #expect(try await library.search("said:(\(text))", limit: 1).first?.episodeID == wanted, "\(how): \(text)")
                let phrase = try await library.search("said:\"\(text)\"", limit: 1).first
                #expect(phrase?.episodeID == wanted, "\(how): \"\(text)\"")
                if count > 9 {
                    #expect(try await library.search(text, limit: 1).first?.episodeID == wanted, "\(how): \(text)")
                }
            }
        }
    }

    @Test func `all words are in each result by date`() async throws {
        var random = SplitMix(seed: 7)
        let library = try await library(&random)
        for _ in 0..<30 {
            let words = Self.query(&random)
            let text = words.map { "said:\"\($0)\"" }.joined(separator: " ")
            let found = try await library.search(text, limit: 1_000) { $0.sort = .date }.map(\.episodeID)
            let wanted = library.spoken.filter { Set(words).isSubset(of: $0.value) }.keys
            guard !wanted.isEmpty else { continue }
            #expect(found.sorted() == wanted.sorted(), "\(text)")
        }
    }

    @Test func `words close together rank above many of them far apart, and below a title that has them`() async throws {
        let fixture = try IndexFixture()
        func said(_ text: String) -> [TranscriptSegment] { [TranscriptSegment(start: 0, text: text)] }
        let filler = (0..<60).map { "filler\($0)" }.joined(separator: " ")
        let (far, near, titled) = (
            episode("far", "Monday"), episode("near", "Tuesday", age: 900),
            episode("titled", "Keeper lamp bay storm, part two", age: 900)
        )
        let often = ["keeper", "lamp", "bay", "storm"].map { Array(repeating: $0, count: 9).joined(separator: " ") }
        try await fixture.index.apply([
            .whole(
                podcast(), Channel(), [far, near, titled],
                transcripts: [
                    far.id: said(often.joined(separator: " \(filler) ")),
                    near.id: said("\(filler) in that storm the keeper lit the lamp of the bay \(filler)"),
                ])
        ])
        var request = SearchRequest(text: "said:(keeper lamp bay storm)")
        request.now = day
        #expect(try await fixture.index.search(request).hits.map(\.episodeID) == [near.id, far.id])
        request.text = "keeper lamp bay storm"
        let everywhere = try await fixture.index.search(request).hits.map(\.episodeID)
        #expect(everywhere.firstIndex(of: titled.id) ?? 9 < everywhere.firstIndex(of: near.id) ?? 0, "\(everywhere)")
        request.text = "said:(keeper lamp fog storm)"
        let most = try await fixture.index.search(request).hits
        #expect(most.map(\.episodeID) == [near.id] && most.first?.hasMostWords == true)
        #expect(try await fixture.search("said:(keeper lamp fog)").isEmpty)
        request.text = "said:\"the keeper lit a lamp\""
        #expect(try await fixture.index.search(request).hits.map(\.episodeID) == [near.id])
        request.text = "said:(keeper lamp fog storm) -title:tuesday"
        #expect(try await fixture.index.search(request).hits.isEmpty)
    }
}
