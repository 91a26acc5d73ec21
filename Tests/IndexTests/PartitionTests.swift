import Domain
import Searching
import SeededNumbers
import Testing

@testable import Index

/// How documents are spread over segments is chance: several threads write them. No answer may depend on it.
@Suite struct PartitionTests {
    /// A segment knows how a word is mostly spelled in it.
    private static func plain(_ suggestion: String?) -> String? { suggestion?.replacing("é", with: "e") }

    @Test(arguments: 1...4) func `answers do not depend on which podcasts share a segment`(seed: UInt64) async throws {
        var dice = SplitMix(seed: seed)
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &dice)] }
        let beginnings = ["li", "lib", "lith", "ha", "har", "no", "nov", "é", "st"]
        let middles = ["ro", "us", "ve", "é", "e", "an", "um", "ing", ""]
        let words = (0..<400).map { _ in pick(beginnings) + (0...2).map { _ in pick(middles) }.joined() }
        let changes = (10..<50).map { number in
            let id = "pod000\(number)"
            let episodes = (0..<12).map { place in
                episode("e\(place)", pick(words), age: Int64(pick([0, 1, 2, 3])), of: id) {
                    $0.description = (0...pick([2, 20])).map { _ in pick(words) }.joined(separator: " ")
                }
            }
            return IndexChange.whole(podcast(id, title: "Show \(number % 7)"), Channel(), episodes)
        }
        let (singly, batches) = (try IndexFixture(), try IndexFixture())
        for change in changes { try await singly.index.apply([change]) }
        var rest = changes.shuffled(using: &dice)
        while !rest.isEmpty {
            let count = min(rest.count, pick([1, 3, 9]))
            try await batches.index.apply(Array(rest.prefix(count)))
            rest.removeFirst(count)
        }
        #expect(batches.segments.count > 1)
        for _ in 0..<60 {
            let text = (0..<pick([1, 1, 2, 3])).map { number in
                let word = pick(words)
                return (number > 0 ? pick(["", "", "OR ", "-"]) : "") + pick(["", "", "", "title:"])
                    + pick([
                        word, word, String(word.prefix(2)) + "*", String(word.prefix(3)) + "*", word + "e",
                        "\"\(word) \(pick(words))\"",
                    ])
            }.joined(separator: " ")
            for limit in [3, 20, 1_000] {
                var request = SearchRequest(text: text)
                (request.limit, request.now, request.facets) = (limit, day, [.podcast, .year])
                request.sort = pick([.relevance, .relevance, .date, .oldest])
                let (first, second) = (try await singly.index.search(request), try await batches.index.search(request))
                #expect(first.hits == second.hits, "\(text) \(limit) \(request.sort)")
                #expect(Self.plain(first.suggestion) == Self.plain(second.suggestion), "\(text)")
                #expect(first.facets == second.facets, "\(text)")
                let matches = (
                    try await singly.index.episodes(matching: request), try await batches.index.episodes(matching: request)
                )
                #expect(matches.0 == matches.1, "\(text)")
            }
        }
    }
}
