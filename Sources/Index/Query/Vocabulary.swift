internal import Domain

/// The words of the index, with the number of episodes that hold each.
struct Vocabulary {
    struct Word {
        var text: String
        var episodes: Int
    }

    let snapshot: IndexSnapshot
    let allEpisodes: Int
    /// Codes of the languages that podcasts say they are in.
    let languages: [String]
    private let cache = Cache()

    /// What was looked up: a search asks for most words twice or more.
    private final class Cache {
        var postings: [TermKey: [Postings?]] = [:]
        var prefixes: [TermKey: [[Postings]]] = [:]
    }

    /// Terms of a segment that one prefix may stand for.
    private static let mostTerms = 20_000

    init(_ snapshot: IndexSnapshot) {
        self.snapshot = snapshot
        allEpisodes = snapshot.episodes
        languages = Set(snapshot.segments.flatMap(\.languages)).sorted()
    }

    /// Where a term stands, for each segment; nil in those that do not have it.
    func postings(of term: TermKey) -> [Postings?] {
        if let known = cache.postings[term] { return known }
        let postings = snapshot.segments.map { $0.postings(of: term) }
        cache.postings[term] = postings
        return postings
    }

    /// The terms of a segment that begin so.
    func postings(prefix: TermKey, in segment: Int) -> [Postings] { postings(prefix: prefix)[segment] }

    private func postings(prefix: TermKey) -> [[Postings]] {
        if let known = cache.prefixes[prefix] { return known }
        let postings = snapshot.segments.map { segment in
            var all: [Postings] = []
            segment.eachTerm(prefix: prefix) { walk in
                all.append(walk.postings)
                return all.count < Self.mostTerms
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

    func episodes(with word: String) -> Int { episodes(with: .term(TermKey(word: word))) }

    /// The inflected forms of an English word that the library holds, the most used first; `word` itself is not
    /// among them.
    func inflections(of word: String) -> [Word] {
        guard let stem = EnglishStem.of(word) else { return [] }
        let prefix = EnglishStem.sharedPrefix(of: stem)
        var related = words(prefix: prefix) { bytes in
            // No inflection of English adds or takes more, and none that is longer than its word ends in other letters.
            guard abs(bytes.count - word.utf8.count) <= 6, let last = bytes.last,
                bytes.count <= prefix.utf8.count + 2 || last == UInt8(ascii: "s") || last == UInt8(ascii: "d")
                    || last == UInt8(ascii: "g")
            else { return false }
            let text = String(decoding: bytes, as: UTF8.self)
            return text != word && EnglishStem.of(text) == stem
        }
        for form in EnglishStem.irregularForms(of: stem) where form != word && !related.contains(where: { $0.text == form }) {
            related.append(Word(text: form, episodes: episodes(with: form)))
        }
        return Array(related.sorted { ($0.episodes, $1.text) > ($1.episodes, $0.text) }.prefix(12))
    }

    /// Words that begin so and pass the test, each once.
    private func words(prefix: String, where isWanted: (UnsafeRawBufferPointer) -> Bool) -> [Word] {
        var found: [String: Int] = [:]
        for segment in snapshot.segments {
            eachWord(prefix: prefix, in: segment) { walk in
                if isWanted(walk.term) { found[String(decoding: walk.term, as: UTF8.self), default: 0] += walk.count }
            }
        }
        return found.map { Word(text: $0.key, episodes: $0.value) }
    }

    private func eachWord(prefix: String, in segment: Segment, _ body: (TermWalk) -> Void) {
        var words = 0
        segment.eachTerm(prefix: TermKey(word: prefix)) { walk in
            words += 1
            body(walk)
            return words < 50_000
        }
    }

    // MARK: Spelling

    /// The largest segments, which hold nearly every word that is worth being offered.
    private var largest: ArraySlice<Segment> { snapshot.segments.sorted { $0.documents > $1.documents }.prefix(2) }

    /// How many episodes hold each of many words; those in small segments are not counted.
    func usage(of words: [[UInt8]]) -> [Int] {
        var usage = [Int](repeating: 0, count: words.count)
        for segment in largest {
            for (index, word) in words.enumerated() {
                word.withUnsafeBytes { usage[index] += segment.postings(of: $0)?.count ?? 0 }
            }
        }
        return usage
    }

    /// Words of the largest segment that begin so and pass the test.
    func usualWords(prefix: String, where isWanted: (UnsafeRawBufferPointer) -> Bool) -> [Word] {
        guard let segment = largest.first else { return [] }
        var found: [Word] = []
        eachWord(prefix: prefix, in: segment) { walk in
            if isWanted(walk.term) {
                found.append(Word(text: String(decoding: walk.term, as: UTF8.self), episodes: walk.count))
            }
        }
        return found
    }
}
