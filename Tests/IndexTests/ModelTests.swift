import Domain
import Searching
import SeededNumbers
import Testing

@testable import Index

/// Searches find what reading every text finds, whatever happened to the index before.
@Suite struct ModelTests {
    @Test(arguments: 1...3) func `after any history a search finds what the texts say`(seed: UInt64) async throws {
        var library = RandomLibrary(seed: seed)
        let fixture = try IndexFixture()
        for round in 0..<4 {
            for _ in 0..<library.pick([1, 2, 4]) { try await fixture.index.apply(library.changes()) }
            // Their languages were decided again.
            let stale = try await fixture.index.stale(library.revisions)
            try await fixture.index.apply(stale.map { library.current($0) })
            try await library.learnLanguages(of: fixture.index)
            try await check(&library, fixture, "seed \(seed), round \(round)")
        }
        let rebuilt = try IndexFixture()
        try await rebuilt.index.apply(library.all)
        try await library.learnLanguages(of: rebuilt.index)
        try await check(&library, rebuilt, "seed \(seed), rebuilt")
    }

    /// Many words have long beginnings in common.
    @Test func `words and beginnings are found among thousands of words`() async throws {
        var dice = SplitMix(seed: 1)
        func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &dice) }
        let beginnings = ["", "a", "internationalization", "internationalizationofeverything", "qu"]
        let words = (0..<6_000).map { _ in beginnings[roll(5)] + String(roll(60_000), radix: 36) }
        let fixture = try IndexFixture()
        var titles: [String: [String]] = [:]
        for podcastID in ["pod00000", "pod00001"] {
            let made = (0..<1_500).map { place -> Episode in
                let title = (0...roll(2)).map { _ in words[roll(roll(words.count) + 1)] }
                titles["\(podcastID)-e\(place)"] = title
                return episode("e\(place)", title.joined(separator: " "), age: Int64(roll(3_000)), of: podcastID)
            }
            try await fixture.index.apply([.whole(podcast(podcastID, title: ""), Channel(), made)])
        }
        for _ in 0..<40 {
            let word = words[roll(2_000)]
            let beginning = String(word.prefix(1 + roll(word.count)))
            let (whole, begun) = (
                titles.filter { $0.value.contains(word) }, titles.filter { $0.value.contains { $0.hasPrefix(beginning) } }
            )
            #expect(try await Set(fixture.search("\"\(word)\"") { $0.limit = 10_000 }) == Set(whole.keys), "\(word)")
            #expect(try await Set(fixture.search("\(beginning)*") { $0.limit = 10_000 }) == Set(begun.keys), "\(beginning)*")
        }
    }

    private func check(_ library: inout RandomLibrary, _ fixture: IndexFixture, _ when: String) async throws {
        for _ in 0..<16 {
            var request = library.request()
            let note = Comment(rawValue: "\(request.text) (\(when))")
            let answers = library.model.answers(request)
            request.limit = 100_000
            let ids = try await fixture.index.episodes(matching: request)
            let wrong = answers.filter { id, answer in answer != .open && (answer == .yes) != ids.contains(id) }
            #expect(wrong.isEmpty, note)
            #expect(Set(ids).count == ids.count && ids.allSatisfy { answers[$0] != nil }, note)
            let dates = ids.map { library.model.documents[$0]?.episode.orderedAt?.seconds ?? .min }
            #expect(dates == dates.sorted(by: >), note)
            #expect(try await fixture.index.count(matching: request) == ids.count, note)
            let ranked = try await checkPages(of: request, ids, dates.count { $0 != .min }, fixture.index, note)
            checkSnippets(ranked.prefix(5), library.model, request, fixture.index, note)
        }
    }

    /// - Parameters:
    ///   - ids: all matches, newest first, of which so many are `dated`.
    /// - Returns: all hits, best first.
    private func checkPages(
        of request: SearchRequest, _ ids: [EpisodeID], _ dated: Int, _ index: SegmentIndex, _ note: Comment
    ) async throws -> [SearchHit] {
        var request = request
        request.facets = [.podcast]
        let oldest = Array(ids.prefix(dated).reversed() + ids.dropFirst(dated).reversed())
        var ranked: [SearchHit] = []
        for (sort, limit) in [(SearchRequest.Sort.relevance, 100_000), (.relevance, 7), (.date, 7), (.oldest, 7)] {
            (request.sort, request.limit) = (sort, limit)
            let results = try await index.search(request)
            if results.isBySound || results.hits.contains(where: \.hasMostWords) { continue }
            let found = results.hits.map(\.episodeID)
            switch sort {
            case .date: #expect(found == Array(ids.prefix(limit)), note)
            case .oldest: #expect(found == Array(oldest.prefix(limit)), note)
            case .relevance where limit == 7: #expect(results.hits == Array(ranked.prefix(limit)), note)
            case .relevance:
                #expect(Set(found) == Set(ids) && found.count == ids.count, note)
                ranked = results.hits
            }
            let total = results.total
            #expect(total.isExact ? total.count == ids.count : total.count <= ids.count, note)
            #expect(results.facets[.podcast, default: []].reduce(0) { $0 + $1.count } == ids.count, note)
        }
        return ranked
    }

    /// What is marked is what the query asks for.
    private func checkSnippets(
        _ hits: some Sequence<SearchHit>, _ model: SearchModel, _ request: SearchRequest, _ index: SegmentIndex, _ note: Comment
    ) {
        let query = SearchQuery(text: request.text, now: request.now)
        let maker = index.snippets(for: request)
        for hit in hits {
            guard let document = model.documents[hit.episodeID] else { continue }
            let snippet =
                hit.field == "transcript"
                ? maker.snippet(of: hit, in: document.transcript)
                : maker.snippet(of: hit, in: document.episode, of: document.podcast)
            let bytes = Array(snippet.text.utf8)
            var end = 0
            for range in snippet.matches {
                #expect(range.lowerBound >= end && range.upperBound <= bytes.count, note)
                let piece = String(validating: bytes[range.clamped(to: end..<bytes.count)], as: UTF8.self)
                #expect(piece.map { model.shows($0, query) } == true, note)
                end = range.upperBound
            }
        }
    }
}
