import Domain
import Testing

@testable import Index

/// The score bound of an episode's summary is never below its score as a hit.
@Suite struct CandidateRankingTests {
    private var made = RandomEpisodes()

    /// An index that has only terms, and the same episodes in a folder.
    private struct Library {
        let fixture: IndexFixture
        let words: LibraryWords
        let candidates: [SearchCandidate]
        let counts: [UInt64: Int]
        let entries: [[UInt8]]

        init(_ podcasts: [(Podcast, [Episode])]) async throws {
            fixture = try IndexFixture()
            try await fixture.index.apply(podcasts.map { .whole($0, Channel(), $1) })
            let parts = try podcasts.map { try PodcastTerms(of: IndexedPodcast($0, Channel(), language: nil, $1, [:])) }
            let episodes = parts.flatMap(\.episodes)
            candidates = episodes.map { SearchCandidate(id: $0.id, published: $0.published, summary: $0.summary) }
            counts = episodes.flatMap(\.terms).reduce(into: [:]) { $0[$1, default: 0] += 1 }
            let entries = Array(Set(parts.flatMap(\.words))).sorted { $0.lexicographicallyPrecedes($1) }
            self.entries = entries
            let languages = LibraryWords.languagesBeginning
            words = LibraryWords(
                episodes: episodes.count, titleBytes: episodes.reduce(0) { $0 + $1.titleBytes },
                textBytes: episodes.reduce(0) { $0 + $1.textBytes },
                languages: entries.filter { $0.starts(with: languages) }.map { Array($0.dropFirst(languages.count)) })
        }

        func ranked(_ search: PartialSearch) -> (best: [RankedCandidate], areMatches: Bool) {
            while true {
                _ = search.candidates
                let questions = words.takeQuestions()
                if questions.isEmpty { return search.ranked(candidates, titled: []) }
                for beginning in questions.beginnings {
                    let behind = entries.filter { $0.starts(with: beginning) }.map { Array($0.dropFirst(beginning.count)) }
                    words.answer(beginning: beginning, behind)
                }
                for term in questions.counts.union(questions.guesses) { words.answer(term, counts[XXH64.hash(term)] ?? 0) }
            }
        }
    }

    @Test mutating func `no hit scores more than its summary says`() async throws {
        let podcasts = [(0, 900), (1, 40), (2, 300)].map { number, count in
            (podcast("pod0000\(number)", title: "Show \(number)"), made.episodes(of: number, count))
        }
        let library = try await Library(podcasts)
        var (plain, phrases, closeness) = (0, (hits: 0, candidates: 0), [Double]())
        for _ in 0..<150 {
            var request = SearchRequest(text: made.query())
            (request.now, request.limit) = (day, 1_000_000)
            let hits = try await library.fixture.index.search(request).hits
            let (ranked, areMatches) = library.ranked(PartialSearch(request, library.words))
            let most = Dictionary(uniqueKeysWithValues: ranked.map { ($0.id, $0.most) })
            for hit in hits where hit.score < 100 {
                let bound = try #require(most[hit.episodeID], "\(request.text)")
                #expect(bound >= hit.score, "\(request.text)")
                // What occurs often is rounded.
                if areMatches { closeness.append(hit.score / bound) }
            }
            #expect(ranked.map(\.most) == ranked.map(\.most).sorted(by: >))
            if areMatches {
                plain += 1
                #expect(ranked.count == hits.count, "\(request.text)")
            }
            if request.text.hasPrefix("\""), !request.text.hasSuffix("o") {
                phrases = (phrases.hits + hits.count, phrases.candidates + ranked.count)
            }
        }
        #expect(plain > 50)
        #expect(closeness.sorted()[closeness.count / 4] > 0.99)
        // Words that stand side by side elsewhere, or by chance, are few.
        #expect(phrases.hits > 20 && phrases.candidates < phrases.hits * 2, "\(phrases)")
    }

    @Test func `what is no summary says nothing`() {
        for bytes: [UInt8] in [[], [1, 2, 3], [0, 0, 255, 255, 255, 255], [1, 1, 1, 0, 0, 0, 7]] {
            #expect(bytes.withUnsafeBytes { TermSummary($0) == nil })
        }
    }
}
