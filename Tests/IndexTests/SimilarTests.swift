import Domain
import Index
import Searching
import Testing

/// Episodes that share telling words with one.
@Suite struct SimilarTests {
    private func fixture() async throws -> IndexFixture {
        let fixture = try IndexFixture()
        let shows: [(id: String, titles: [String])] = [
            ("pod00001", ["Lighthouse keepers of Norway", "Bread and butter", "The lighthouse lamp and its keepers"]),
            ("pod00002", ["Keepers in a storm: the lighthouse at Skerryvore", "Gardening in spring", "A lamp for every room"]),
            ("pod00003", ["Butter", "The storm of 1953", "What is new in spring"]),
        ]
        for (id, titles) in shows {
            let episodes = titles.enumerated().map { number, title in episode("e\(number)", title, age: Int64(number), of: id) }
            try await fixture.index.apply([.whole(podcast(id), Channel(), episodes)])
        }
        return fixture
    }

    private func similar(_ title: String, _ id: String, in index: SegmentIndex, limit: Int = 10) async throws -> [SimilarHit] {
        try await index.similar(to: episode("e0", title, of: id), of: podcast(id), limit: limit)
    }

    @Test func `other podcasts come first and terms are the reason`() async throws {
        let fixture = try await fixture()
        let hits = try await similar("Lighthouse keepers of Norway", "pod00001", in: fixture.index)
        #expect(hits.map(\.episodeID.text) == ["pod00002-e0", "pod00001-e2"])
        #expect(hits.map { Set($0.terms) } == [["lighthouse", "keepers"], ["lighthouse", "keepers"]])
    }

    /// In a small library one rare word in common is enough; common words tell nothing.
    @Test func `nothing is like an episode of its own`() async throws {
        let fixture = try await fixture()
        for (title, podcast) in [("Bread and butter", "pod00001"), ("What is new in the spring", "pod00003")] {
            #expect(try await similar(title, podcast, in: fixture.index).allSatisfy { $0.terms.count == 1 })
        }
        #expect(try await similar("", "pod00003", in: fixture.index).isEmpty)
    }

    @Test func `it is the same after the index was made again`() async throws {
        let (first, second) = (try await fixture(), try await fixture())
        let hits = try await similar("Lighthouse keepers of Norway", "pod00001", in: first.index)
        #expect(try await similar("Lighthouse keepers of Norway", "pod00001", in: second.index) == hits)
        #expect(try await similar("Lighthouse keepers of Norway", "pod00001", in: first.index, limit: 1) == Array(hits.prefix(1)))
    }

    /// Most of the best matches share one word only.
    @Test func `few similar episodes are the first of many`() async throws {
        var made = RandomEpisodes()
        let fixture = try IndexFixture()
        var first: [Episode] = []
        for (number, count) in [900, 40, 300, 700].enumerated() {
            let some = made.episodes(of: number, count)
            if number == 0 { first = Array(some.prefix(20)) }
            try await fixture.index.apply([.whole(podcast("pod0000\(number)", title: ""), Channel(), some)])
        }
        for one in first {
            let all = try await fixture.index.similar(to: one, of: podcast(), limit: 3_000)
            #expect(try await fixture.index.similar(to: one, of: podcast(), limit: 10) == Array(all.prefix(10)))
        }
    }
}
