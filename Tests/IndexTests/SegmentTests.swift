import Domain
import Index
import Searching
import Testing

/// An index of many segments gives the same results as an index of one segment.
@Suite struct SegmentTests {
    let many: IndexFixture
    let one: IndexFixture

    init() throws { (many, one) = (try IndexFixture(), try IndexFixture()) }

    private static let words = ["tea", "coffee", "cake", "lemon", "running", "run", "river", "東京", "大阪", "ship", "shipping"]

    private func made(_ dice: inout Dice, podcast: Int, _ number: Int) -> Episode {
        func text(_ dice: inout Dice, _ count: Int) -> String {
            (0..<count).map { _ in Self.words[min(dice.roll(11), dice.roll(11))] }.joined(separator: " ")
        }
        let title = text(&dice, 2)
        return episode("e\(number)", title, age: Int64(dice.roll(400)), of: "pod0000\(podcast)") { item in
            item.description = text(&dice, 12)
            item.duration = Double(dice.roll(7_200))
            if dice.roll(5) == 0 { item.publishedAt = nil }
            if dice.roll(4) == 0 { item.type = "bonus" }
        }
    }

    /// Adds, changes and removes episodes and podcasts in `many` for 120 rounds; `one` gets only the outcome.
    ///
    /// - Parameter isSaved: true to save the index after each round; otherwise one writer writes all rounds.
    private func fill(isSaved: Bool = true) async throws {
        var dice = Dice()
        var expected: [Int: [Int: Episode]] = [:]
        var revisions: [Int: Int] = [:]
        for round in 0..<120 {
            let podcast = dice.roll(5)
            let id = "pod0000\(podcast)"
            if dice.roll(15) == 0 {
                expected[podcast] = nil
                revisions[podcast] = nil
                try await add(.removed(PodcastID(text: id)), isSaved: isSaved)
                continue
            }
            var changed: [Episode] = []
            for _ in 0..<(1 + dice.roll(6)) {
                let number = dice.roll(60)
                if changed.contains(where: { $0.id.text == "\(id)-e\(number)" }) { continue }
                changed.append(made(&dice, podcast: podcast, number))
                expected[podcast, default: [:]][number] = changed.last
            }
            revisions[podcast, default: 0] += 1
            let head = Self.show(id, revisions[podcast] ?? 1)
            if round % 10 == 9 {
                let dropped = expected[podcast]?.keys.min() ?? 0
                expected[podcast]?[dropped] = nil
                try await add(.whole(head, Channel(), expected[podcast].map { Array($0.values) } ?? []), isSaved: isSaved)
            } else {
                try await add(.episodes(of: head, after: head.contentRevision - 1, Channel(), changed), isSaved: isSaved)
            }
        }
        try await many.index.save(revision: nil)
        // One by one, because podcasts that are added together are distributed over several segments.
        for number in expected.keys.sorted() {
            let episodes = (expected[number] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
            try await one.index.add([.whole(Self.show("pod0000\(number)", revisions[number] ?? 1), Channel(), episodes)])
        }
        try await one.index.save(revision: nil)
        let wanted = Dictionary(uniqueKeysWithValues: revisions.map { (PodcastID(text: "pod0000\($0.key)"), $0.value) })
        #expect(try await many.another().stale(wanted) == [])
        #expect(try await one.another().stale(wanted) == [])
    }

    private func add(_ change: IndexChange, isSaved: Bool) async throws {
        try await many.index.add([change])
        if isSaved { try await many.index.save(revision: nil) }
    }

    private static func show(_ id: String, _ revision: Int) -> Podcast { podcast(id, title: "Show \(id)", revision: revision) }

    @Test(arguments: [true, false]) func `the same is found however it came in`(isSaved: Bool) async throws {
        try await fill(isSaved: isSaved)
        #expect(one.segments.count == 1)
        #expect((2...13).contains(many.segments.count), "merged now and then: \(many.segments)")
        let queries = [
            "tea", "coffee cake", "\"tea cake\"", "tea OR lemon", "cake -tea", "-tea", "run", "ship*", "title:tea", "東", "東京",
            "\"running river\"", "type:bonus", "type:bonus tea", "longer:30m", "after:2023-06-01", "before:2023-06-01 tea",
            "-before:2023-06-01", "podcast:show", "lemon shipping", "nothing", "\"ship shipping\" OR \"tea coffee\"",
            "podcast:pod00003 tea",
        ]
        for query in queries {
            let wanted = try await Set(one.search(query) { $0.limit = 1_000 })
            let matches = try await many.search(query) { $0.limit = 1_000 }
            #expect(Set(matches) == wanted && matches.count == wanted.count, "\(query)")
            let newest = try await many.search(query) { request in
                request.limit = 1_000
                request.podcast = PodcastID(text: "pod00001")
            }
            #expect(Set(newest) == wanted.filter { $0.hasPrefix("pod00001") }, "\(query) in one podcast")
        }
    }

    /// A term in more than 128 documents has skips.
    @Test func `rare and common words meet`() async throws {
        let episodes = (0..<3_000).map { number in
            episode(
                "e\(number)", "common\(number % 2 == 0 ? " even" : "")\(number % 701 == 0 ? " rare" : "")", age: Int64(number))
        }
        try await one.index.apply([.whole(podcast(), Channel(), episodes)])
        #expect(
            try await one.search("common rare") { $0.sort = .date }
                == ["e0", "e701", "e1402", "e2103", "e2804"].map { "pod00000-" + $0 })
        #expect(try await one.search("rare even") { $0.sort = .date } == ["e0", "e1402", "e2804"].map { "pod00000-" + $0 })
        #expect(try await one.search("even -rare") { $0.limit = 10_000 }.count == 1_497)
        #expect(try await one.search("\"common even\"") { $0.limit = 10_000 }.count == 1_500)
    }
}
