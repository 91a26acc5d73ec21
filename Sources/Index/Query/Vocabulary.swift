internal import Domain

/// The words of the index, with the numbers of episodes that contain them.
struct Vocabulary {
    struct Word {
        var text: String
        var episodes: Int
    }

    let snapshot: IndexSnapshot
    let allEpisodes: Int
    /// The languages of the library's podcasts.
    let languages: [Language]
    private let cache = Cache()

    /// Results of look-ups: a search looks up most words several times.
    private final class Cache {
        var postings: [TermKey: [Postings?]] = [:]
        var prefixes: [TermKey: [[Postings]]] = [:]
    }

    /// Number of terms of a segment that a prefix may stand for.
    private static let maxTerms = 20_000
    /// Number of episodes up to which a suggestion is looked for in all segments.
    private static let fewEpisodes = 50_000

    init(_ snapshot: IndexSnapshot) {
        self.snapshot = snapshot
        allEpisodes = snapshot.episodes
        languages = Set(snapshot.segments.flatMap(\.languages)).sorted()
    }

    /// The postings of a term for each segment; nil for segments without the term.
    func postings(of term: TermKey) -> [Postings?] {
        if let postings = cache.postings[term] { return postings }
        let postings = snapshot.segments.map { $0.postings(of: term) }
        cache.postings[term] = postings
        return postings
    }

    /// The postings of a segment's terms with this prefix.
    func postings(prefix: TermKey, in segment: Int) -> [Postings] { postings(prefix: prefix)[segment] }

    private func postings(prefix: TermKey) -> [[Postings]] {
        if let postings = cache.prefixes[prefix] { return postings }
        let postings = snapshot.segments.map { segment in
            var all: [Postings] = []
            segment.eachTerm(prefix: prefix) { walk in
                all.append(walk.postings)
                return all.count < Self.maxTerms
            }
            return all
        }
        cache.prefixes[prefix] = postings
        return postings
    }

    func episodes(with word: MatchExpression.Leaf.Word) -> Int {
        switch word {
        case .term(let key): postings(of: key).reduce(0) { $0 + ($1?.count ?? 0) }
        case .prefix(let key):
            min(allEpisodes, postings(prefix: key).reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } })
        }
    }

    /// A number that the episodes with a word are not fewer than: those with one beginning may contain several words of it.
    func minEpisodes(with word: MatchExpression.Leaf.Word) -> Int {
        switch word {
        case .term: episodes(with: word)
        case .prefix(let key): postings(prefix: key).reduce(0) { $0 + ($1.map(\.count).max() ?? 0) }
        }
    }

    /// Number of episodes that contain a term, without deleted documents that wait for a merge. Deleted documents are
    /// only excluded if that may bring the number down to `maxCount`.
    func presentEpisodes(with term: TermKey, upTo maxCount: Int) -> Int {
        let all = episodes(with: .term(term))
        let deletions = snapshot.deleted.reduce(0) { $0 + $1.count }
        guard deletions > 0, all - deletions <= maxCount else { return all }
        var present = 0
        for ((segment, postings), deleted) in zip(zip(snapshot.segments, postings(of: term)), snapshot.deleted) {
            guard let postings else { continue }
            guard deleted.count > 0 else {
                present += postings.count
                continue
            }
            let cursor = TermCursor(postings, in: segment, column: nil)
            cursor.advance(to: 0)
            while cursor.document != .max {
                if !deleted.contains(cursor.document) { present += 1 }
                cursor.advance(to: cursor.document + 1)
            }
        }
        return present
    }

    func episodes(with word: String) -> Int { episodes(with: .term(TermKey(word: word))) }

    /// Words with this stem in the documents of a language.
    ///
    /// - Parameter isPlain: true to find the words that have this stem if their accents are removed.
    func words(withStem stem: String, in language: Language, isPlain: Bool = false) -> Set<String> {
        texts(WordFormList.forms(of: stem.utf8, in: language, isPlain: isPlain), in: language)
    }

    /// The stems of a word's accented spellings in the documents of a language.
    func stems(ofSpellingsOf word: String, in language: Language) -> Set<String> {
        texts(WordFormList.variants(of: word.utf8, in: language), in: language)
    }

    /// The most common spelling of a word, with its accents.
    func usualSpelling(of word: String) -> String {
        var segments: [String: Int] = [:]
        for segment in snapshot.segments {
            segment.eachForm(WordFormList.spellings(of: word.utf8)) {
                segments[String(decoding: $0, as: UTF8.self), default: 0] += 1
            }
        }
        return segments.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? word
    }

    private func texts(_ beginning: [UInt8], in language: Language) -> Set<String> {
        var texts: Set<String> = []
        for segment in snapshot.segments where segment.languages.contains(language) {
            segment.eachForm(beginning) { texts.insert(String(decoding: $0, as: UTF8.self)) }
        }
        return texts
    }

    // MARK: Spelling

    /// All segments of a small library. Of a larger one, some of the largest, which contain nearly every word worth
    /// suggesting.
    private func usualSegments(_ count: Int) -> ArraySlice<Segment> {
        let isSmall = snapshot.episodes <= Self.fewEpisodes
        return snapshot.segments.sorted { $0.documents > $1.documents }.prefix(isSmall ? .max : count)
    }

    /// Number of episodes that contain each of the words; small segments of a large library are not counted.
    func usage(of words: [[UInt8]]) -> [Int] {
        var usage = [Int](repeating: 0, count: words.count)
        for segment in usualSegments(2) {
            for (index, word) in words.enumerated() {
                word.withBytes { usage[index] += segment.postings(of: $0)?.count ?? 0 }
            }
        }
        return usage
    }

    /// Words with this prefix that pass the test, once for each segment; those of small segments of a large library are
    /// missing.
    func usualWords(prefix: String, where isWanted: (ByteView) -> Bool) -> [Word] {
        var words: [Word] = []
        for segment in usualSegments(1) {
            var examined = 0
            segment.eachTerm(prefix: TermKey(word: prefix)) { walk in
                examined += 1
                if isWanted(walk.term) {
                    words.append(Word(text: String(decoding: walk.term, as: UTF8.self), episodes: walk.count))
                }
                return examined < 50_000
            }
        }
        return words
    }
}
