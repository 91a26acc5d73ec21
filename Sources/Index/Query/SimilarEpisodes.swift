internal import CTokenizer
internal import Domain
internal import Searching

/// Finds the episodes that share the most distinctive words with an episode: words of its title and text that few
/// others contain.
///
/// Episodes of other podcasts come first. The score is the sum of BM25 over these words; age does not count. The result
/// does not depend on the history of the index: replaced documents are not counted, and the usual lengths are fixed.
struct SimilarEpisodes {
    private let snapshot: IndexSnapshot
    private let vocabulary: Vocabulary

    /// The number of words compared.
    private static let maxTerms = 12
    /// The number of words that a hit lists.
    private static let maxReasons = 5
    /// Bytes of a usual title and text. The index's own averages include replaced documents.
    private static let (usualTitle, usualText) = (40.0, 1_000.0)
    /// A single shared word is a coincidence, unless there are few episodes.
    private var minShared: Int { vocabulary.allEpisodes < Self.smallLibrary ? 1 : 2 }
    private static let smallLibrary = 200

    init(_ snapshot: IndexSnapshot) {
        self.snapshot = snapshot
        vocabulary = Vocabulary(snapshot)
    }

    func hits(like episode: Episode, of podcast: Podcast, limit: Int) -> [SimilarHit] {
        let (terms, words) = distinctiveTerms(of: episode, podcast)
        guard terms.count >= minShared, limit > 0 else { return [] }
        let others = hits(terms, words, episode.id, isOwnPodcast: false, limit)
        return others.count < limit ? others + hits(terms, words, episode.id, isOwnPodcast: true, limit - others.count) : others
    }

    // MARK: Terms

    /// The most distinctive terms of an episode, best first, and the episode's spelling of each.
    private func distinctiveTerms(of episode: Episode, _ podcast: Podcast) -> (terms: [TermKey], words: [String]) {
        var weights: [TermKey: Double] = [:]
        var words: [TermKey: String] = [:]
        var text = IndexedText()
        text.fill(episode, of: PodcastText(podcast, Channel(), .undetermined), transcript: [])
        let tokenizer = Tokenizer()
        for column in [Column.title, .text] {
            let bytes = text[column]
            tokenizer.withTokens(of: bytes) { tokens in
                for token in tokens where isDistinctive(token) {
                    let key = TermKey(token)
                    weights[key, default: 0] += column.weight
                    if words[key] == nil {
                        words[key] = String(decoding: bytes[Int(token.start)..<Int(token.end)], as: UTF8.self).lowercased()
                    }
                }
            }
        }
        // A word of many episodes is not distinctive, and a word of this episode alone leads nowhere.
        let maxEpisodes = max(3, vocabulary.allEpisodes / 20)
        let ranked = weights.compactMap { key, weight -> (key: TermKey, score: Double)? in
            let episodes = vocabulary.presentEpisodes(with: key, upTo: maxEpisodes)
            guard (2...maxEpisodes).contains(episodes) else { return nil }
            return (key, Ranking.rarity(episodes, of: vocabulary.allEpisodes) * Ranking.saturated(weight))
        }
        let best = ranked.sorted { ($1.score, $0.key) < ($0.score, $1.key) }.prefix(Self.maxTerms).map(\.key)
        return (best, best.map { words[$0] ?? $0.word })
    }

    private func isDistinctive(_ token: CToken) -> Bool {
        guard token.isWord else { return token.kind == CTokenizerPair }
        let isNumber = token.key.allSatisfy { (48...57).contains($0) }
        return token.key.count > 2 && !isNumber && !LanguageProfiles.isCommon(String(decoding: token.key, as: UTF8.self))
    }

    // MARK: Hits

    private func hits(
        _ terms: [TermKey], _ words: [String], _ id: EpisodeID, isOwnPodcast: Bool, _ limit: Int
    ) -> [SimilarHit] {
        let expression = MatchExpression(anyOf: terms, id.podcastID, isWithin: isOwnPodcast, vocabulary: vocabulary)
        let best = BestCandidates(snapshot, limit: min(limit, 1 << 20) + 16, sort: .relevance)
        let weights = FrequencyWeights(averageTitle: Self.usualTitle, averageText: Self.usualText)
        let plan = SearchPlan(
            expression: expression, ranking: Ranking(expression, snapshot, now: nil, weights: weights),
            filter: DocumentFilter([], SearchRequest(text: "")), vocabulary: vocabulary, best: best, minTerms: minShared)
        for number in snapshot.segments.indices { SegmentSearch(plan, in: number).addAll() }
        // Equal scores are ordered by id: positions in the index depend on when the episodes were added.
        let hits = best.sorted.compactMap { hit($0, plan, words) }.filter {
            $0.episodeID != id && $0.terms.count >= minShared
        }
        .sorted { ($1.score, $0.episodeID) < ($0.score, $1.episodeID) }
        return Array(hits.prefix(limit))
    }

    private func hit(_ candidate: Candidate, _ plan: SearchPlan, _ words: [String]) -> SimilarHit? {
        let segment = snapshot.segments[candidate.segment]
        let weigher = Weigher(plan.ranking.weights, segment)
        let matches = SegmentMatches(plan.expression, in: candidate.segment, of: vocabulary)
        matches.cursor.advance(to: candidate.document)
        guard matches.cursor.document == candidate.document, let id = segment.id(of: candidate.document) else { return nil }
        var shared: [(term: Int, score: Double)] = []
        matches.eachScoringLeaf { leaf, cursor in
            guard let term = leaf.term else { return }
            shared.append((term, plan.ranking.score(weigher.weigh(cursor.frequency, of: candidate.document), term: term)))
        }
        shared.sort { ($1.score, $0.term) < ($0.score, $1.term) }
        return SimilarHit(
            episodeID: id, score: candidate.score, terms: shared.prefix(Self.maxReasons).map { words[$0.term] })
    }
}
