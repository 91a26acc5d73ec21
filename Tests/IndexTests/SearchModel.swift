import CTokenizer
import Domain
import Searching

@testable import Index

/// What a search ought to find, by reading every text of every episode: slow, and short enough to be checked by eye.
struct SearchModel {
    /// Whether an episode matches. Which forms a word has in another spelling is left open.
    enum Answer: Int, Comparable {
        case no, open, yes

        static func < (a: Answer, b: Answer) -> Bool { a.rawValue < b.rawValue }
        static prefix func ! (answer: Answer) -> Answer { answer == .yes ? .no : answer == .no ? .yes : .open }
        init(_ isTrue: Bool) { self = isTrue ? .yes : .no }
    }

    struct Document {
        var episode: Episode
        var podcast: Podcast
        var channel: Channel
        var transcript: [TranscriptSegment] = []
        var texts: [(field: SearchQuery.Field?, tokens: [Token], isASCII: [Bool])] = []
        var language = Language.undetermined

        init(_ episode: Episode, _ podcast: Podcast, _ channel: Channel, _ transcript: [TranscriptSegment], _ language: Language)
        {
            (self.episode, self.podcast, self.channel) = (episode, podcast, channel)
            (self.transcript, self.language) = (transcript, language)
            let item = episode.item
            func add(_ field: SearchQuery.Field?, _ texts: [String?]) {
                for text in texts.compactMap(\.self) {
                    let (tokens, bytes) = (tokens(of: text), Array(text.utf8))
                    self.texts.append((field, tokens, tokens.map { bytes[$0.range].allSatisfy { $0 < 0x80 } }))
                }
            }
            add(nil, IndexedText.bodies(of: item).map { PlainText.text(of: $0.text) })
            add(.title, [item.title, item.itunesTitle])
            add(.podcast, [podcast.settings.title, channel.title ?? podcast.title])
            add(.author, [item.author ?? channel.author ?? podcast.author])
            add(.person, (item.persons.isEmpty ? channel.persons : item.persons).map(\.name))
            add(.keyword, item.tags + item.keywords + channel.categories.flatMap { $0 } + channel.tags + channel.keywords)
            add(.chapter, item.inlineChapters.map(\.title) + transcript.filter(\.isChapter).map(\.text))
            let spoken = transcript.filter { !$0.isChapter }
            add(.transcript, [spoken.filter { !$0.isAd }.map(\.text).joined(separator: "\n")])
            add(.transcript, [spoken.filter(\.isAd).map(\.text).joined(separator: "\n")])
        }
    }

    var documents: [EpisodeID: Document] = [:]
    private let stemmer = Stemmer()

    func answers(_ request: SearchRequest) -> [EpisodeID: Answer] {
        let query = SearchQuery(text: request.text, now: request.now)
        return documents.mapValues { document in
            var answer = query.expression.map { self.answer($0, document, request) ?? .no } ?? .yes
            if query.expression == nil, query.conditions.isEmpty, request.podcast == nil { return .no }
            for condition in query.conditions { answer = min(answer, Answer(holds(condition, document, request))) }
            if let podcast = request.podcast, document.podcast.id != podcast { return .no }
            if let since = request.since, !holds(.init(.after(since)), document, request) { return .no }
            if let until = request.until, !holds(.init(.before(until + 1)), document, request) { return .no }
            return request.hidden.contains(document.episode.id) ? .no : answer
        }
    }

    /// Whether a text shows why a query matches: a word that it asks for, or a form of it.
    func shows(_ text: String, _ query: SearchQuery) -> Bool {
        let (tokens, bytes) = (tokens(of: text), Array(text.utf8))
        var document = Document(episode("x", ""), podcast(), Channel(), [], Language(letters: "en"))
        document.texts = [(nil, tokens, tokens.map { bytes[$0.range].allSatisfy { $0 < 0x80 } })]
        let terms = query.wantedTerms.map { term in
            var term = term
            term.field = nil
            return term
        }
        let pairs = zip(terms, terms.dropFirst()).compactMap { joined([.term($0), .term($1)])?.text }
        return (terms + pairs.map { SearchQuery.Term($0, isPhrase: true, range: 0..<0) }).contains {
            (answer($0, document) ?? .no) != .no
        }
    }

    /// nil if the expression has no words.
    private func answer(_ expression: SearchQuery.Expression, _ document: Document, _ request: SearchRequest) -> Answer? {
        switch expression {
        case .term(let term): return answer(term, document)
        case .condition(let condition): return Answer(holds(condition, document, request))
        case .not(let part): return answer(part, document, request).map { !$0 }
        case .any(let parts): return parts.compactMap { answer($0, document, request) }.max()
        case .all(let parts):
            var answers = parts.map { answer($0, document, request) }
            for (length, words) in [2, 3].flatMap({ length in (0..<max(0, parts.count - length + 1)).map { (length, $0) } }) {
                guard let word = joined(Array(parts[words..<words + length])) else { continue }
                let found = self.answer(SearchQuery.Term(word.text, isPhrase: true, field: word.field, range: 0..<0), document)
                guard let found else { continue }
                for index in words..<words + length { answers[index] = max(answers[index] ?? .no, found) }
            }
            return answers.compactMap(\.self).min()
        }
    }

    /// Words typed apart that may be written as one.
    private func joined(_ parts: [SearchQuery.Expression]) -> (text: String, field: SearchQuery.Field?)? {
        let terms = parts.compactMap { part in if case .term(let term) = part { term } else { nil } }
        guard terms.count == parts.count, terms.allSatisfy({ !$0.isPhrase && !$0.isPrefix && $0.field == terms[0].field }),
            terms.count == 2 || terms[1].text.lowercased() == "and"
        else { return nil }
        let words = [terms[0], terms[terms.count - 1]].map { queryTokens(of: $0.text) }
        guard words.allSatisfy({ $0.count == 1 && $0[0].isWord }) else { return nil }
        let (first, last) = (words[0][0].text, words[1][0].text)
        guard let word = terms.count == 2 ? joinedWord(of: first, last) : first + last else { return nil }
        return (word, terms[0].field)
    }

    private func answer(_ term: SearchQuery.Term, _ document: Document) -> Answer? {
        let words = queryTokens(of: term.text)
        guard let last = words.last else { return nil }
        let isOpen = last.kind == CTokenizerSingle || term.isPrefix && last.isWord
        let isOne = words.count == 1 && last.isWord
        let joined = term.isPhrase || term.isPrefix ? nil : joinedWord(of: term.text)
        var answer = Answer.no
        for (field, tokens, isASCII) in document.texts where term.field == nil || term.field == field {
            for start in tokens.indices {
                let end = start + words.count
                if end <= tokens.count,
                    zip(words, tokens[start..<end]).dropLast().allSatisfy({ $0.text == $1.text && $0.kind == $1.kind }),
                    isOpen
                        ? tokens[end - 1].text.hasPrefix(last.text) && tokens[end - 1].isWord == last.isWord
                        : tokens[end - 1].text == last.text && tokens[end - 1].kind == last.kind
                {
                    return .yes
                }
                // A word that is written with hyphens.
                var (compound, next) = (tokens[start].text, start + 1)
                while next < tokens.count, tokens[next].isJoined {
                    compound += tokens[next].text
                    next += 1
                }
                let isWhole = next > start + 1 && !tokens[start].isJoined && compound.utf8.count <= 40
                if isOne, isWhole, isOpen ? compound.hasPrefix(last.text) : compound == last.text { return .yes }
                if let joined, tokens[start].text == joined || isWhole && compound == joined { return .yes }
                guard !term.isPhrase, !term.isPrefix, let written = joined ?? (isOne ? last.text : nil) else { continue }
                for (word, range) in [(tokens[start].text, start..<start + 1), (isWhole ? compound : "", start..<next)]
                where word.utf8.count > 2 {
                    let isPlain = isASCII[range].allSatisfy(\.self) && term.text.utf8.allSatisfy { $0 < 0x80 }
                    if isPlain, isForm(word, of: joined ?? term.text, document.language) { answer = .yes }
                    let mayBeOther = !isPlain || !Self.isSafe(word) || !Self.isSafe(written)
                    if mayBeOther, word.utf8.prefix(2).elementsEqual(written.utf8.prefix(2)) { answer = max(answer, .open) }
                }
            }
        }
        let isLoose = term.text.contains("&") || term.text.unicodeScalars.contains { $0.value >= 0xAC00 && $0.value < 0xD7B0 }
        return isLoose && !term.isPhrase ? max(answer, .open) : answer
    }

    /// False for words that some other spelling may stand for.
    private static func isSafe(_ word: String) -> Bool { !["ae", "oe", "ue", "aa"].contains { word.contains($0) } }

    private func isForm(_ word: String, of other: String, _ language: Language) -> Bool {
        guard (word + other).utf8.allSatisfy({ $0 < 0x80 }), let stem = stemmer.stem(word, in: language) else { return false }
        return stem == stemmer.stem(other, in: language)
    }

    private func holds(_ condition: SearchQuery.Condition, _ document: Document, _ request: SearchRequest) -> Bool {
        let item = document.episode.item
        let at = document.episode.orderedAt?.seconds
        let value: Bool? =
            switch condition.kind {
            case .after(let time): at.map { $0 >= time.seconds }
            case .before(let time): at.map { $0 < time.seconds }
            case .added(let from, let to):
                document.episode.firstSeenAt.seconds >= from?.seconds ?? .min
                    && document.episode.firstSeenAt.seconds <= to?.seconds ?? .max
            case .longer(let seconds): item.duration.map { $0 > seconds }
            case .shorter(let seconds): item.duration.map { $0 < seconds }
            case .season(let number): item.season?.number == Double(number)
            case .type(let type): item.type == type
            case .inQueue: request.queue.contains(document.episode.id)
            case .tagged(let tag):
                (request.tagged[tag] ?? []).contains(document.episode.id)
                    || (request.taggedPodcasts[tag] ?? []).contains(document.podcast.id)
            case .isWithdrawn: document.episode.isWithdrawn
            case .hasTranscript: document.transcript.contains { !$0.isChapter } || !item.transcripts.isEmpty
            case .hasSource(let isHome): document.transcript.first { !$0.isChapter }.map { $0.isHomemade == isHome } ?? false
            case .hasChapters: item.chapters != nil || !item.inlineChapters.isEmpty
            case .marked(let words): (request.marked[words] ?? []).contains(document.episode.id)
            }
        return value.map { $0 != condition.isNegated } ?? false
    }
}
