public import Domain
public import Results
import Searching

/// The results of a search: podcasts with that title, then episodes, each with the matching snippet.
public struct SearchView: View {
    let outcome: SearchOutcome

    public init(_ outcome: SearchOutcome) { self.outcome = outcome }

    public var episodeIDs: [EpisodeID] { outcome.episodes.map(\.episode.id) }

    public func lines(for display: Display) -> [String] {
        if !display.isTerminal { return outcome.podcasts.map(record) + outcome.episodes.map(record) }
        return outcome.podcasts.flatMap { block($0, display) } + outcome.episodes.flatMap { block($0, display) }
    }

    /// A record with the columns of an episode's, without title and snippet.
    private func record(_ podcast: Podcast) -> String {
        [podcast.id.text, podcast.latestEpisodeAt?.description ?? "", podcast.displayTitle, "", ""].map(\.oneLine)
            .joined(separator: "\t")
    }

    private func block(_ podcast: Podcast, _ display: Display) -> [String] {
        let episodes = podcast.episodeCount == 1 ? "1 episode" : "\(podcast.episodeCount) episodes"
        let facts = ["podcast", episodes, podcast.latestEpisodeAt.map { "newest \($0.relative(to: display.now))" }]
            .compactMap { $0?.oneLine }.joined(separator: ", ")
        return [
            display.styled(podcast.displayTitle.oneLine.truncated(to: display.width), .bold),
            "  \(display.styled(podcast.id.text, .dim))  "
                + facts.truncated(to: max(display.width - podcast.id.text.count - 4, 0)),
        ]
    }

    private func record(_ result: FoundEpisode) -> String {
        [
            result.episode.id.text, result.episode.item.publishedAt?.description ?? "", result.podcastTitles,
            result.episode.item.title ?? "", timedSnippet(result),
        ].map(\.oneLine).joined(separator: "\t")
    }

    /// The snippet, and its time in a transcript.
    private func timedSnippet(_ result: FoundEpisode) -> String {
        (result.start.map { position($0) + " " } ?? "") + result.snippet.marked
    }

    /// The title, the facts and the snippet.
    private func block(_ result: FoundEpisode, _ display: Display) -> [String] {
        let item = result.episode.item
        let facts = [item.numbering, result.episode.orderedAt?.relative(to: display.now), item.duration.map(formattedDuration)]
        let title = (item.title ?? "(no title)").oneLine
        let snippet = result.snippet.text.oneLine
        let isTitleAlone = snippet == title
        // The podcast's title is among the facts.
        let isShown = [result.podcast.displayTitle, result.podcast.title ?? ""].contains { $0.oneLine == snippet }
        var lines =
            isTitleAlone
            ? result.snippet.marked.oneLine.wrapped(to: display.width).map { highlighted($0, display, in: .bold) }
            : [display.styled(title.truncated(to: display.width), .bold)]
        lines += FactsLine.lines(display.shown(result.episode.id), result.podcastTitles, facts, display)
        if !snippet.isEmpty, !isTitleAlone, !isShown {
            let marked = timedSnippet(result).oneLine.wrapped(to: max(display.width - 2, 20))
            lines += marked.map { "  " + highlighted($0, display) }
        }
        if let others = otherMoments(result) {
            lines += others.wrapped(to: max(display.width - 2, 20)).map { "  " + display.styled($0, .dim) }
        }
        if let start = result.start {
            let episodeAndTime = "\(display.shown(result.episode.id))@\(formattedDuration(start))"
            lines.append("  " + display.styled("jimmy play \(episodeAndTime)", .dim))
        }
        if let explanation = result.explanation {
            lines += explanation.lines(score: result.score).flatMap { $0.wrapped(to: max(display.width - 4, 20)) }.map {
                "    " + display.styled($0, .dim)
            }
        }
        return lines
    }

    /// `also at 12:34, 45:10 and 3 more`; nil if there is one place.
    private func otherMoments(_ result: FoundEpisode) -> String? {
        let others = result.moments.compactMap(\.start).filter { $0 != result.start }.prefix(Self.shownMoments)
        guard !others.isEmpty else { return nil }
        let more = result.momentCount - others.count - 1
        let times = others.map(formattedDuration).joined(separator: ", ")
        return "also at \(times)" + (more > 0 ? " and \(grouped(more)) more" : "")
    }

    private static let shownMoments = 5

    /// Matches are shown in colour, or between ‹ and › without colour.
    private func highlighted(_ line: String, _ display: Display, in style: Style? = nil) -> String {
        guard display.hasColor else { return line }
        let base = style.map { "\u{1B}[0m\u{1B}[\($0.rawValue)m" } ?? "\u{1B}[0m"
        let marked = line.replacing(Snippet.openingMark, with: "\u{1B}[\(Style.match.rawValue)m").replacing(
            Snippet.closingMark, with: base)
        return style == nil ? marked : base + marked + "\u{1B}[0m"
    }

    public func jsonLines(_ emit: (String) -> Void) {
        for podcast in outcome.podcasts { emit(jsonLine(TitledRow(podcast: podcast))) }
        for result in outcome.episodes { emit(jsonLine(Row(result: result, isBySound: outcome.isBySound))) }
        if !outcome.facets.isEmpty { emit(jsonLine(FacetRow(outcome))) }
    }

    /// A podcast whose title equals the query.
    private struct TitledRow: Fields {
        let podcast: Podcast

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("type", "podcast")
            PodcastFields(podcast).visit(&visitor)
        }
    }

    private struct Row: Fields {
        let result: FoundEpisode
        let isBySound: Bool

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            EpisodeRow(ListedEpisode(podcast: result.podcast, episode: result.episode, tags: result.tags)).visit(&visitor)
            visitor.number("score", result.score)
            visitor.text("field", result.field)
            visitor.text("snippet", result.snippet.marked)
            visitor.objects("matches", result.snippet.markedRanges)
            visitor.number("start", result.start)
            if result.momentCount > 1 {
                visitor.objects("moments", result.moments.map(Moment.init))
                visitor.integer("momentCount", result.momentCount)
            }
            visitor.flag("bySound", isBySound ? true : nil)
            visitor.flag("mostWords", result.hasMostWords ? true : nil)
            visitor.objects("alsoIn", result.others.map(OtherRow.init))
            visitor.object("explanation", result.explanation.map(ExplanationFields.init))
        }
    }

    /// A place of the transcript.
    private struct Moment: Fields {
        let snippet: Snippet

        init(_ snippet: Snippet) { self.snippet = snippet }

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.number("start", snippet.start)
            visitor.text("snippet", snippet.marked)
        }
    }

    /// The same episode in another podcast.
    private struct OtherRow: Fields {
        let listing: FoundEpisode.OtherListing

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("id", listing.id.text)
            visitor.text("podcastID", listing.podcast.id.text)
            visitor.text("podcastTitle", listing.podcast.displayTitle)
        }
    }

    /// Notes on parts of the query that were searched as words, and on omitted results.
    public var notes: [String] {
        outcome.unknown.map(\.note) + (outcome.isBySound ? [Self.bySound] : [])
            + (outcome.episodes.contains(where: \.hasMostWords) ? [Self.mostWords] : [])
            + [outcome.episodes.isEmpty ? nil : CutList.note(shown: shown, of: outcome.total), postponed].compactMap(\.self)
    }

    private static let bySound = "Nothing matches as typed; this is what sounds like it in transcripts."

    private static let mostWords = "Nowhere are all of these words said together; some results have most of them."

    private var shown: Int { outcome.episodes.reduce(0) { $0 + 1 + $1.others.count } }

    private var postponed: String? {
        guard outcome.postponed > 0 else { return nil }
        let podcasts = outcome.postponed == 1 ? "1 podcast is" : "\(outcome.postponed) podcasts are"
        return "\(podcasts) not indexed yet, so results may be missing; 'jimmy search --wait' indexes them first."
    }

    /// The message if nothing matched.
    public static func nothing(for text: String, suggestion: String?) -> String {
        let hint = suggestion.map { " Did you mean ‘\($0.oneLine)’?" } ?? ""
        return "Nothing found for ‘\(text.oneLine.truncated(to: 200))’.\(hint)"
    }

    /// The heading of results for another query than the one that was asked for.
    public static func heading(_ alternative: SearchAlternative, insteadOf text: String) -> String {
        let asked = "Nothing found for ‘\(text.oneLine.truncated(to: 200))’"
        func quoted(_ words: [String]) -> String { words.map { "‘\($0.oneLine)’" }.joined(separator: ", ") }
        switch alternative {
        case .spelling(let text): return "\(asked). Results for \(quoted([text])):"
        case .without(let words):
            return "\(asked): no match for \(quoted(words)). Results without \(words.count == 1 ? "it" : "them"):"
        case .apart(let word): return "\(asked): no episode has all of these words. Results without \(quoted([word])):"
        }
    }

    /// The failures because of which results may be missing.
    public var failures: [FailureLine] {
        var failures: [FailureLine] = []
        if var line = outcome.indexFailure.map({ FailureLine($0) }) {
            line.advice = "it could not be updated, so results may be missing"
            failures.append(line)
        }
        if let unread { failures.append(FailureLine(unread, doing: "library")) }
        if !damaged.isEmpty {
            failures.append(
                FailureLine(
                    damaged.joined(separator: ", "), "damaged, and not searched", status: .badData,
                    advice: "'jimmy verify --repair' restores what it can"))
        }
        return failures
    }

    /// If results may be missing, an empty result does not mean that nothing matches.
    public var status: ExitStatus {
        if let unread { return FailureLine(unread, doing: "library").status }
        guard outcome.episodes.isEmpty, outcome.podcasts.isEmpty else { return .done }
        return failures.map(\.status).first { $0 != .locked } ?? .incomplete
    }

    private var damaged: [String] { outcome.unreadable.filter(\.isDamaged).map(\.id.text) }
    /// Why a podcast that may be undamaged could not be read.
    private var unread: LibraryFailure? { outcome.unreadable.first { !$0.isDamaged }?.failure }
}

extension FoundEpisode {
    /// The titles of all podcasts that list the episode.
    fileprivate var podcastTitles: String {
        ([podcast] + others.map(\.podcast)).map(\.displayTitle).joined(separator: " / ")
    }
}

extension UnreadablePodcast {
    fileprivate var isDamaged: Bool {
        if case .damaged = failure { true } else { false }
    }
}

extension Snippet {
    /// U+2039 and U+203A, which are rare in text and readable.
    static let openingMark = "‹"
    static let closingMark = "›"

    /// The text with its matches between marks.
    var marked: String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var end = 0
        for match in matches where match.lowerBound >= end && match.upperBound <= bytes.count {
            result += bytes[end..<match.lowerBound]
            result += Self.openingMark.utf8
            result += bytes[match]
            result += Self.closingMark.utf8
            end = match.upperBound
        }
        return String(decoding: result + bytes[end...], as: UTF8.self)
    }

    /// The ranges of the matches in `marked`, without their marks.
    var markedRanges: [CharacterRange] {
        let bytes = Array(text.utf8)
        func count(_ range: Range<Int>) -> Int { bytes[range].count { $0 & 0xC0 != 0x80 } }
        var ranges: [CharacterRange] = []
        var (end, characters) = (0, 0)
        for match in matches where match.lowerBound >= end && match.upperBound <= bytes.count {
            characters += count(end..<match.lowerBound) + 1
            ranges.append(CharacterRange(offset: characters, length: count(match)))
            characters += count(match) + 1
            end = match.upperBound
        }
        return ranges
    }

    /// Counted in Unicode code points, as jq and Python count.
    struct CharacterRange: Fields {
        var offset: Int
        var length: Int

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.integer("offset", offset)
            visitor.integer("length", length)
        }
    }
}
