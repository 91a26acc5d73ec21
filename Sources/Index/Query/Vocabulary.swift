internal import Domain

/// The words of the index, with the number of episodes that hold each.
struct Vocabulary {
    struct Word {
        var text: String
        var episodes: Int
    }

    private let snapshot: IndexSnapshot
    let allEpisodes: Int
    /// Codes of the languages that podcasts say they are in.
    let languages: [String]

    init(_ snapshot: IndexSnapshot) {
        self.snapshot = snapshot
        allEpisodes = snapshot.episodes
        var languages: Set<String> = []
        for segment in snapshot.segments {
            segment.eachTerm(prefix: Facet.language("")) { walk in
                languages.insert(String(decoding: walk.term.suffix(2), as: UTF8.self))
                return true
            }
        }
        self.languages = languages.sorted()
    }

    func episodes(with word: MatchExpression.Leaf.Word) -> Int {
        switch word {
        case .term(let key):
            snapshot.segments.reduce(0) { $0 + ($1.postings(of: key)?.count ?? 0) }
        case .prefix(let key):
            snapshot.segments.reduce(0) { sum, segment in
                var sum = sum
                segment.eachTerm(prefix: key) { walk in
                    sum += walk.count
                    return sum < allEpisodes
                }
                return sum
            }
        }
    }

    func episodes(with word: String) -> Int { episodes(with: .term(TermKey(word: word))) }

    /// The inflected forms of an English word that the library holds, the most used first; `word` itself is not
    /// among them.
    func inflections(of word: String) -> [Word] {
        guard let stem = EnglishStem.of(word) else { return [] }
        var related = words(prefix: EnglishStem.sharedPrefix(of: stem)) { bytes in
            // No inflection of English adds or takes more.
            guard abs(bytes.count - word.utf8.count) <= 6 else { return false }
            let text = String(decoding: bytes, as: UTF8.self)
            return text != word && EnglishStem.of(text) == stem
        }
        for form in EnglishStem.irregularForms(of: stem) where form != word && !related.contains(where: { $0.text == form }) {
            related.append(Word(text: form, episodes: episodes(with: form)))
        }
        return Array(related.sorted { ($0.episodes, $1.text) > ($1.episodes, $0.text) }.prefix(12))
    }

    /// Words that begin so and pass the test, each once.
    func words(prefix: String, where isWanted: (UnsafeRawBufferPointer) -> Bool) -> [Word] {
        var found: [String: Int] = [:]
        for segment in snapshot.segments {
            var looked = 0
            segment.eachTerm(prefix: TermKey(word: prefix)) { walk in
                looked += 1
                if isWanted(walk.term) { found[String(decoding: walk.term, as: UTF8.self), default: 0] += walk.count }
                return looked < 50_000
            }
        }
        return found.map { Word(text: $0.key, episodes: $0.value) }
    }
}
