import Domain

/// The words of a whole library, for a search in an index that has only some of its episodes.
///
/// A search asks as it proceeds. A question without an answer counts as 0 and is noted. The owner of the library
/// answers it, and the search is repeated until no question is open.
public final class LibraryWords {
    /// The open questions of a search.
    public struct Questions: Sendable {
        /// Terms whose numbers of episodes are needed.
        public fileprivate(set) var counts: Set<[UInt8]> = []
        /// Terms that most likely no episode contains.
        public fileprivate(set) var guesses: Set<[UInt8]> = []
        /// Beginnings of entries of the word list whose endings are needed.
        public fileprivate(set) var beginnings: Set<[UInt8]> = []

        public var isEmpty: Bool { counts.isEmpty && guesses.isEmpty && beginnings.isEmpty }
    }

    public private(set) var questions = Questions()
    /// Number of episodes in the library.
    let episodes: Int
    let languages: [Language]
    let weights: FrequencyWeights

    private var counts: [[UInt8]: Int] = [:]
    private var texts: [[UInt8]: [[UInt8]]] = [:]

    /// Number of terms that a prefix may stand for.
    static let maxTerms = 2_000

    /// - Parameters:
    ///   - titleBytes: total length of all titles, by the codes of their lengths; `textBytes` likewise.
    ///   - languages: the endings of the word list's entries that begin with `languagesBeginning`.
    public init(episodes: Int, titleBytes: Int, textBytes: Int, languages: [[UInt8]]) {
        self.episodes = episodes
        self.languages = languages.compactMap { Language(code: $0) }.sorted()
        let count = Double(max(1, episodes))
        weights = FrequencyWeights(averageTitle: Double(titleBytes) / count, averageText: Double(textBytes) / count)
    }

    public static let languagesBeginning = WordEntry.term(TermKey(facet: Facet.languages).bytes)

    // MARK: Answers

    /// The word list's entry for a term.
    public static func entry(of term: [UInt8]) -> [UInt8] { WordEntry.term(term) }

    /// Returns the open questions and clears them.
    public func takeQuestions() -> Questions {
        defer { questions = Questions() }
        return questions
    }

    /// - Parameter count: number of episodes that contain the term.
    public func answer(_ term: [UInt8], _ count: Int) { counts[term] = count }
    public func answer(beginning: [UInt8], _ texts: [[UInt8]]) { self.texts[beginning] = texts }

    // MARK: Questions

    func episodes(with term: TermKey) -> Int { count(of: term.bytes) }

    private func count(of term: [UInt8]) -> Int {
        if let count = counts[term] { return count }
        questions.counts.insert(term)
        return 0
    }

    /// Numbers of episodes for terms of which few are expected to exist.
    func episodes(withEach words: [[UInt8]]) -> [Int] {
        words.map { word in
            if let count = counts[word] { return count }
            questions.guesses.insert(word)
            return 0
        }
    }

    func episodes(prefix: TermKey) -> Int { min(episodes, terms(prefix: prefix).reduce(0) { $0 + episodes(with: $1) }) }

    func terms(prefix: TermKey) -> [TermKey] {
        texts(behind: WordEntry.term(prefix.bytes)).prefix(Self.maxTerms).map { TermKey(bytes: prefix.bytes + $0) }
    }

    /// The endings of all entries of the word list that begin with the given bytes.
    func texts(behind beginning: [UInt8]) -> [[UInt8]] {
        if let endings = texts[beginning] { return endings }
        questions.beginnings.insert(beginning)
        return []
    }
}

/// An entry of the library's word list: a term of its episodes, or a text of `WordFormList`.
enum WordEntry {
    static func term(_ bytes: some Collection<UInt8>) -> [UInt8] { [UInt8(ascii: "t")] + bytes }
}
