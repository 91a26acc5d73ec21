internal import CTokenizer
internal import Domain
internal import Searching

/// Other forms of a query's word in texts: inflected, with or without a hyphen, or in other letters.
///
/// Only forms that the library contains are used. The word as typed counts most, so its matches come first.
struct WordForms {
    struct Form {
        var words: [MatchExpression.Leaf.Word]
        /// Its weight relative to that of the word as typed.
        var factor: Float
        var episodes = 0
        /// The form, if it is a single word.
        var text: String?
        /// If set, only podcasts in this language match.
        var language: Language?
    }

    private let vocabulary: Vocabulary
    private let stemmer = Stemmer()

    /// Number of forms of one word in one language.
    private static let maxForms = 32

    init(_ vocabulary: Vocabulary) { self.vocabulary = vocabulary }

    /// - Parameter tokens: of the term, which is a word or written like one.
    func forms(of term: SearchQuery.Term, _ tokens: [Token]) -> [Form] {
        guard let last = tokens.last else { return [] }
        if !last.isWord { return koreanForms(of: term.text) }
        guard let word = tokens.count == 1 ? last.text : joinedWord(of: term.text) else { return [] }
        var forms: [Form] = []
        if tokens.count > 1 { forms += existingForms([word], factor: 0.8) }
        if tokens.count == 2, term.text.contains("&") {
            // Some feeds escape the sign twice, which leaves `&amp;`.
            for sign in ["and", "amp"] {
                let words = [tokens[0].text, sign, tokens[1].text].map { MatchExpression.Leaf.Word.term(TermKey(word: $0)) }
                if words.map(vocabulary.episodes).min() ?? 0 > 0 { forms.append(Form(words: words, factor: 0.8)) }
            }
        }
        let written = tokens.count == 1 ? String(decoding: Array(term.text.utf8)[last.range], as: UTF8.self) : word
        forms += inflections(of: word, writtenAs: written)
        guard tokens.count == 1 else { return forms }
        let spellings = [OtherSpellings.spelledOut(term.text), OtherSpellings.contracted(word)].compactMap(\.self)
        forms += existingForms(spellings, factor: 0.8)
        for spelling in spellings { forms += inflections(of: spelling, writtenAs: spelling) }
        return forms
    }

    /// Inflected forms. A query's word has no language, so it is treated as a word of each language of the library's
    /// podcasts, and its forms match only in podcasts of that language.
    private func inflections(of word: String, writtenAs written: String) -> [Form] {
        let isUnknown = vocabulary.presentEpisodes(with: TermKey(word: word), upTo: 0) == 0
        return vocabulary.languages.flatMap { language in
            var stems: Set<String> = []
            if let stem = stemmer.stem(written, in: language) { stems.insert(stem) }
            var words: Set<String> = []
            // Many users omit accents. A word that no document contains is most likely such a word.
            if written.lowercased() == word {
                for stem in isUnknown ? stems : [] {
                    words.formUnion(vocabulary.words(withStem: stem, in: language, isPlain: true))
                }
                stems.formUnion(vocabulary.stems(ofSpellingsOf: word, in: language))
            }
            for stem in stems {
                words.formUnion(vocabulary.words(withStem: stem, in: language))
                if stemmer.stem(stem, in: language) == stem { words.insert(stem) }
            }
            words.remove(word)
            return existingForms(words.sorted(), factor: 0.8, in: language).sorted { $0.episodes > $1.episodes }.prefix(
                Self.maxForms)
        }
    }

    private func koreanForms(of text: String) -> [Form] {
        // The last character before a blank is a token by itself.
        var forms = allWaysSpaced(text).map { tokens(of: $0[0]) + queryTokens(of: $0[1]) }
        if let word = withoutParticle(text) { forms.append(queryTokens(of: word)) }
        return forms.compactMap { tokens in
            let words = tokens.map { MatchExpression.Leaf.Word.term(TermKey($0)) }
            let episodes = words.map(vocabulary.episodes).min() ?? 0
            return episodes > 0 ? Form(words: words, factor: 0.5, episodes: words.count > 1 ? 0 : episodes) : nil
        }
    }

    /// The compound of two terms' words, if the library contains it.
    func joined(_ first: SearchQuery.Term, _ second: SearchQuery.Term) -> Vocabulary.Word? {
        let words = [first, second].map { queryTokens(of: $0.text) }
        guard words.allSatisfy({ $0.count == 1 && $0[0].isWord }), let word = joinedWord(of: words[0][0].text, words[1][0].text)
        else { return nil }
        let episodes = vocabulary.episodes(with: word)
        return episodes > 0 ? Vocabulary.Word(text: word, episodes: episodes) : nil
    }

    /// The compound of the words around an ampersand, if the library contains it.
    func aroundAnd(_ first: SearchQuery.Term, _ second: SearchQuery.Term) -> Vocabulary.Word? {
        let words = [first, second].map { queryTokens(of: $0.text) }
        guard words.allSatisfy({ $0.count == 1 && $0[0].isWord }) else { return nil }
        let word = words[0][0].text + words[1][0].text
        let episodes = vocabulary.episodes(with: word)
        return episodes > 0 ? Vocabulary.Word(text: word, episodes: episodes) : nil
    }

    private func existingForms(_ words: [String], factor: Float, in language: Language? = nil) -> [Form] {
        words.compactMap { word in
            let key = TermKey(word: word)
            let episodes = vocabulary.episodes(with: .term(key))
            return episodes > 0
                ? Form(words: [.term(key)], factor: factor, episodes: episodes, text: word, language: language) : nil
        }
    }
}
