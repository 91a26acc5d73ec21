import Domain
import Searching
import Testing

@testable import Index

/// Matches that nothing of the query tells apart.
@Suite struct EqualMatchesTests {
    private static let podcasts = (10..<26).map { "pod000\($0)" }

    /// Of each podcast, three episodes of each of two days.
    private static func changes() -> [IndexChange] {
        podcasts.map { id in
            let episodes = (1...6).map { number in
                episode("e\(number)", "Storm", age: Int64(number % 2), of: id) {
                    $0.episode = EpisodeNumber()
                    $0.episode?.number = Double(number)
                }
            }
            return .whole(podcast(id, title: "Weather"), Channel(), episodes)
        }
    }

    /// The episodes as lists have them, newest first.
    private static let listed =
        podcasts.reversed().flatMap { id in [6, 4, 2].map { "\(id)-e\($0)" } }
        + podcasts.reversed().flatMap { id in [5, 3, 1].map { "\(id)-e\($0)" } }

    private func check(_ fixture: IndexFixture) async throws {
        for limit in [1, 5, 20, 40, 96] {
            for (sort, order) in [
                (SearchRequest.Sort.relevance, Self.listed), (.date, Self.listed), (.oldest, Self.listed.reversed()),
            ] {
                let found = try await fixture.search("storm") {
                    ($0.limit, $0.sort, $0.now) = (limit, sort, day)
                }
                #expect(found == Array(order.prefix(limit)), "\(limit) by \(sort)")
            }
            var request = SearchRequest(text: "storm")
            (request.limit, request.offset) = (limit, 7)
            let ids = try await fixture.index.episodes(matching: request).map(\.text)
            #expect(ids == Array(Self.listed.dropFirst(7).prefix(limit)))
        }
    }

    @Test func `written by several threads they are in the order of lists`() async throws {
        let fixture = try IndexFixture()
        try await fixture.index.apply(Self.changes())
        try await check(fixture)
    }

    @Test func `in several segments they are in the same order`() async throws {
        let fixture = try IndexFixture()
        let changes = Self.changes()
        for start in [8, 0, 12, 4] { try await fixture.index.apply(Array(changes[start..<start + 4])) }
        #expect(fixture.segments.count == 4)
        try await check(fixture)
    }

    @Test func `merged segments have them in the same order`() async throws {
        let fixture = try IndexFixture()
        for change in Self.changes().shuffled() { try await fixture.index.apply([change]) }
        #expect(fixture.segments.count == 5)
        try await check(fixture)
    }

    /// Each change makes a segment of its own.
    @Test func `changed episodes keep their place among those of their date`() async throws {
        func numbered(_ number: Int, _ title: String) -> Episode {
            episode("e\(number)", title) {
                $0.episode = EpisodeNumber()
                $0.episode?.number = Double(number)
            }
        }
        func seen(_ number: Int, _ title: String) -> Episode {
            var seen = episode("s\(number)", title, age: 1)
            seen.firstSeenAt = day + Int64(number)
            return seen
        }
        let fixture = try IndexFixture()
        let all = (1...3).map { numbered($0, "Storm") } + (1...3).map { seen($0, "Storm") }
        try await fixture.index.apply([.whole(podcast(), Channel(), all)])
        let changed = [numbered(1, "Storm again"), seen(2, "Storm again")]
        try await fixture.index.apply([.episodes(of: podcast(revision: 2), after: 1, Channel(), changed)])
        #expect(fixture.segments.count == 2)
        let listed = ["e3", "e2", "e1", "s3", "s2", "s1"].map { "pod00000-" + $0 }
        #expect(try await fixture.search("storm") { $0.sort = .date } == listed)
        #expect(try await fixture.search("storm") { $0.sort = .oldest } == listed.reversed())
        #expect(try await fixture.index.episodes(matching: SearchRequest(text: "storm")).map(\.text) == listed)
    }
}
