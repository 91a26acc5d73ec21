import Domain

/// What the words of a whole library are, for a search in an index that has only some of its episodes.
///
/// A search asks as it goes; what is not known yet counts as nothing, and is noted. Who has the library answers, and the
/// search is made again, until nothing is asked any more.
public final class LibraryWords {
    /// What a search wants to know.
    public struct Questions: Sendable {
        /// Terms: how many episodes have each?
        public fileprivate(set) var counts: Set<[UInt8]> = []
        /// Terms that most likely no episode has.
        public fileprivate(set) var guesses: Set<[UInt8]> = []
        /// Beginnings of entries of the word list: what stands behind them?
        public fileprivate(set) var beginnings: Set<[UInt8]> = []

        public var isEmpty: Bool { counts.isEmpty && guesses.isEmpty && beginnings.isEmpty }
    }

    public private(set) var questions = Questions()
    /// All episodes of the library.
    let episodes: Int
    let languages: [Language]
    let weights: FrequencyWeights

    private var counts: [[UInt8]: Int] = [:]
    private var texts: [[UInt8]: [[UInt8]]] = [:]

    /// Terms that one prefix may stand for.
    static let mostTerms = 2_000

    /// - Parameters:
    ///   - titleBytes: of all titles, by the codes of their lengths; so `textBytes`.
    ///   - languages: entries of the word list that begin with `languagesBeginning`, without that.
    public init(episodes: Int, titleBytes: Int, textBytes: Int, languages: [[UInt8]]) {
        self.episodes = episodes
        self.languages = languages.compactMap { Language(code: $0) }.sorted()
        let count = Double(max(1, episodes))
        weights = FrequencyWeights(averageTitle: Double(titleBytes) / count, averageText: Double(textBytes) / count)
    }

    public static let languagesBeginning = WordEntry.term(TermKey(facet: Facet.languages).bytes)

    // MARK: Answers

    /// What the word list has for a term.
    public static func entry(of term: [UInt8]) -> [UInt8] { WordEntry.term(term) }

    /// Takes the questions that are open.
    public func takeQuestions() -> Questions {
        defer { questions = Questions() }
        return questions
    }

    /// - Parameter count: of episodes that have the term.
    public func answer(_ term: [UInt8], _ count: Int) { counts[term] = count }
    public func answer(beginning: [UInt8], _ texts: [[UInt8]]) { self.texts[beginning] = texts }

    // MARK: What a search asks

    func episodes(with term: TermKey) -> Int { count(of: term.bytes) }

    private func count(of term: [UInt8]) -> Int {
        if let count = counts[term] { return count }
        questions.counts.insert(term)
        return 0
    }

    /// Terms of which few are expected to be there.
    func episodes(withEach words: [[UInt8]]) -> [Int] {
        words.map { word in
            if let count = counts[word] { return count }
            questions.guesses.insert(word)
            return 0
        }
    }

    func episodes(prefix: TermKey) -> Int { min(episodes, terms(prefix: prefix).reduce(0) { $0 + episodes(with: $1) }) }

    func terms(prefix: TermKey) -> [TermKey] {
        texts(behind: WordEntry.term(prefix.bytes)).prefix(Self.mostTerms).map { TermKey(bytes: prefix.bytes + $0) }
    }

    /// What stands behind the beginning in each entry of the word list that begins with it.
    func texts(behind beginning: [UInt8]) -> [[UInt8]] {
        if let known = texts[beginning] { return known }
        questions.beginnings.insert(beginning)
        return []
    }
}

/// An entry of the library's word list: a term of its episodes, or a text of `WordFormList`.
enum WordEntry {
    static func term(_ bytes: some Collection<UInt8>) -> [UInt8] { [UInt8(ascii: "t")] + bytes }
}
