public import Domain
public import Searching

/// Cuts out the part of an episode's text that shows why it matched.
public struct SnippetMaker: SnippetMaking {
    /// Length in bytes of the text around the matches; a line or two on a terminal.
    private static let length = 200

    private var wanted: [WantedText]
    private let terms: [SearchQuery.Term]

    public init(_ request: SearchRequest) {
        terms = SearchQuery(text: request.text, now: request.now).wantedTerms
        wanted = Self.wanted(terms)
    }

    /// In a hit with most of the words, those of a phrase count each for itself.
    private func maker(for hit: SearchHit) -> Self {
        guard hit.hasMostWords, terms.contains(where: \.isPhrase) else { return self }
        var maker = self
        maker.wanted = Self.wanted(terms.flatMap(RememberedPassage.words))
        return maker
    }

    private static func wanted(_ terms: [SearchQuery.Term]) -> [WantedText] {
        let joined = zip(terms, terms.dropFirst()).compactMap { first, second -> WantedText? in
            guard !first.isPhrase, !second.isPhrase, let word = joinedWord(of: first.text, second.text) else { return nil }
            return WantedText(SearchQuery.Term(word, field: first.field, range: first.range), written: word)
        }
        return joined
            + terms.flatMap { term in
                var spellings = [term.text]
                if !term.isPhrase, !term.isPrefix {
                    spellings += [
                        joinedWord(of: term.text), OtherSpellings.spelledOut(term.text), withoutParticle(term.text),
                        OtherSpellings.contracted(tokens(of: term.text).map(\.text).joined()),
                    ].compactMap(\.self)
                    spellings += allWaysSpaced(term.text).map { $0.joined(separator: " ") }
                }
                return spellings.compactMap { WantedText(term, written: $0) }
            }
    }

    /// Uses the field that matched; if that does not show the match, the first other field that does.
    public func snippet(of hit: SearchHit, in episode: Episode, of podcast: Podcast) -> Snippet {
        let fields = SnippetMaker.fields(of: episode, of: podcast)
        let ordered = fields.filter { $0.field == hit.field } + fields.filter { $0.field != hit.field }
        for (field, html) in ordered {
            let text = PlainText.text(of: html)
            let matches = matches(in: text, field: field, hit.forms)
            if !matches.isEmpty { return cut(text, matches, field) }
        }
        let shown = ordered.first { !$0.text.isEmpty }
        return cut(PlainText.text(of: shown?.text ?? ""), [], hit.field)
    }

    /// Uses the part of a transcript, or of chapters, that shows most of the query. It begins with the segment of the
    /// first match.
    public func snippet(of hit: SearchHit, in transcript: [TranscriptSegment]) -> Snippet {
        let maker = maker(for: hit)
        // For a single term the index has determined the time; several terms may occur together elsewhere.
        if maker.wanted.count == 1, let start = hit.start,
            let index = transcript.firstIndex(where: { ($0.start ?? 0) > start - 0.01 })
        {
            let snippet = maker.snippet(of: Array(transcript[index...].prefix(12)), hit.forms)
            if !snippet.matches.isEmpty { return snippet }
        }
        return maker.snippet(of: transcript, hit.forms)
    }

    /// Two lines are one place, so that words on both sides of a line's end are found.
    public func moments(
        of hit: SearchHit, in transcript: [TranscriptSegment], limit: Int
    ) -> (shown: [Snippet], count: Int) {
        let field = (transcript.first?.isChapter == true ? Column.chapter : .transcript).field
        let maker = maker(for: hit)
        let matches = maker.matches(in: transcript.map(\.text).joined(separator: "\n"), field: field, hit.forms)
        guard !matches.isEmpty else { return ([], 0) }
        // The line in which each match begins.
        var lines: [Int] = []
        var (line, end) = (0, transcript[0].text.utf8.count)
        for match in matches {
            while match.range.lowerBound > end, line + 1 < transcript.count {
                line += 1
                end += transcript[line].text.utf8.count + 1
            }
            lines.append(line)
        }
        func terms(from first: Int) -> Int {
            let inside = matches.indices[first...].prefix { lines[$0] <= lines[first] + 1 }
            return Set(inside.map { matches[$0].term }).count
        }
        let most = matches.indices.map(terms).max() ?? 0
        var starts: [Int] = []
        var last = -2
        for index in matches.indices where terms(from: index) == most && lines[index] > last + 1 {
            last = lines[index]
            starts.append(last)
        }
        let shown = starts.prefix(limit).map { maker.snippet(of: Array(transcript[$0...].prefix(12)), hit.forms) }
        return (shown.filter { !$0.matches.isEmpty }, starts.count)
    }

    private func snippet(of transcript: [TranscriptSegment], _ forms: [String: Set<String>]) -> Snippet {
        let field = (transcript.first?.isChapter == true ? Column.chapter : .transcript).field
        let text = transcript.map(\.text).joined(separator: "\n")
        let matches = matches(in: text, field: field, forms)
        let window = window(Array(text.utf8), matches)
        guard let first = matches.first(where: { window.contains($0.range.lowerBound) }) else {
            return Snippet(field: field, text: "", matches: [])
        }
        var shownSegments: [TranscriptSegment] = []
        var start: Double?
        var end = 0
        for segment in transcript {
            end += segment.text.utf8.count + 1
            if shownSegments.isEmpty { start = segment.start ?? start }
            if end > first.range.lowerBound { shownSegments.append(segment) }
            if end > first.range.upperBound + (segment.isChapter ? 0 : Self.length) { break }
        }
        let piece = shownSegments.map(\.text).joined(separator: "\n")
        var snippet = cut(piece, self.matches(in: piece, field: field, forms), field)
        snippet.start = start
        return snippet
    }

    private static func fields(of episode: Episode, of podcast: Podcast) -> [(field: String, text: String)] {
        let item = episode.item
        let names = item.persons.compactMap(\.name).joined(separator: ", ")
        let tags = (item.tags + item.keywords).joined(separator: ", ")
        let chapters = item.inlineChapters.compactMap(\.title).joined(separator: " · ")
        let others: [(field: Column, text: String)] = [
            (.title, item.title ?? ""), (.title, item.itunesTitle ?? ""), (.chapter, chapters), (.person, names),
            (.author, item.author ?? podcast.author ?? ""), (.keyword, tags), (.podcast, podcast.displayTitle),
        ]
        return IndexedText.bodies(of: item) + others.map { ($0.field.field, $0.text) }
    }

    // MARK: Matches

    private struct Match {
        var range: Range<Int>
        var term: Int
    }

    /// - Parameter forms: other forms of the query's words.
    private func matches(in text: String, field: String, _ forms: [String: Set<String>]) -> [Match] {
        let wanted = self.wanted.enumerated().filter { $0.element.field.map { $0.rawValue == field } ?? true }
            .map { (number: $0.offset, term: $0.element, forms: $0.element.otherForms(in: forms)) }
        guard !text.isEmpty, !wanted.isEmpty else { return [] }
        let words = TextTokens(text)
        var matches: [Match] = []
        for start in words.indices {
            for (number, term, forms) in wanted {
                let isOtherForm = forms.contains { words.has($0, at: start) }
                guard let range = isOtherForm ? words[start].range : term.range(in: words, at: start, text) else { continue }
                if let last = matches.last, last.range.upperBound > range.lowerBound {
                    matches[matches.count - 1].range = last.range.lowerBound..<max(last.range.upperBound, range.upperBound)
                } else {
                    matches.append(Match(range: range, term: number))
                }
            }
        }
        return matches
    }

    // MARK: The cut

    private func cut(_ text: String, _ matches: [Match], _ field: String) -> Snippet {
        let bytes = Array(text.utf8)
        let window = self.window(bytes, matches)
        var out: [UInt8] = []
        var ranges: [Range<Int>] = []
        if window.lowerBound > 0 { out += "…".utf8 }
        let prefix = out.count
        var shown = matches.filter { $0.range.lowerBound >= window.lowerBound && $0.range.upperBound <= window.upperBound }[...]
        var start: Int?
        for index in window {
            if let match = shown.first, match.range.lowerBound == index { start = out.count }
            if bytes[index] <= 32 {
                if out.count > prefix, out.last != 32 { out.append(32) }
            } else {
                out.append(bytes[index])
            }
            if let match = shown.first, match.range.upperBound == index + 1, let begin = start {
                ranges.append(begin..<out.count)
                shown = shown.dropFirst()
                start = nil
            }
        }
        if out.last == 32, ranges.last?.upperBound != out.count { out.removeLast() }
        if window.upperBound < bytes.count { out += "…".utf8 }
        return Snippet(field: field, text: String(decoding: out, as: UTF8.self), matches: ranges)
    }

    /// The range of about `length` bytes that shows most of the terms, beginning and ending between words.
    private func window(_ bytes: [UInt8], _ matches: [Match]) -> Range<Int> {
        guard bytes.count > Self.length else { return 0..<bytes.count }
        var best = (terms: 0, matches: matches[..<0])
        for first in matches.indices {
            let end = matches[first].range.lowerBound + Self.length * 3 / 4
            let inside = matches[first...].prefix { $0.range.upperBound <= end }
            let terms = Set(inside.map(\.term)).count
            if (terms, inside.count) > (best.terms, best.matches.count) { best = (terms, inside) }
        }
        let first = best.matches.first?.range ?? matches.first?.range ?? 0..<0
        var start = max(0, min(first.lowerBound - Self.length / 4, bytes.count - Self.length))
        var end = min(bytes.count, max(start + Self.length, first.upperBound))
        if start > 0 {
            start = bytes[start..<max(start, first.lowerBound)].firstIndex { $0 <= 32 }.map { $0 + 1 } ?? start
            while start < bytes.count, isInsideCharacter(bytes[start]) { start += 1 }
        }
        if end < bytes.count {
            let shown = max(start, best.matches.last?.range.upperBound ?? first.upperBound)
            end = bytes[min(shown, end)..<end].lastIndex { $0 <= 32 } ?? end
            while end < bytes.count, isInsideCharacter(bytes[end]) { end += 1 }
        }
        return start..<max(start, end)
    }

    private func isInsideCharacter(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
