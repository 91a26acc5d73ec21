public import Domain

/// Episodes of one podcast in the form that the index takes.
public struct IndexedPodcast: Sendable {
    public var podcast: Podcast
    public var channel: Channel
    /// The language that was decided for the podcast; nil to decide by the episodes.
    public var language: String?
    public var episodes: [Episode]
    public var transcripts: [EpisodeID: [TranscriptSegment]]

    public init(
        _ podcast: Podcast, _ channel: Channel, language: String?, _ episodes: [Episode],
        _ transcripts: [EpisodeID: [TranscriptSegment]]
    ) {
        (self.podcast, self.channel, self.language) = (podcast, channel, language)
        (self.episodes, self.transcripts) = (episodes, transcripts)
    }

    /// The code of a language; nil if none was decided.
    public static func languageCode(_ code: String) -> String? { code == Language.undetermined.code ? nil : code }

    /// The language for `PodcastTerms`.
    var decidedLanguage: Language {
        if let language, let decided = Language(code: language.utf8), decided != .undetermined { return decided }
        return LanguageDecision.language(declared: channel.language, episodes)
    }
}

extension PodcastTerms {
    /// The terms are those of a segment with these episodes, so they match exactly what a search in a folder finds.
    ///
    /// - Throws: `IndexFailure`.
    public init(of part: IndexedPodcast) throws {
        let small = try SmallIndex([part])
        let language = part.decidedLanguage
        var episodes: [EpisodeTerms] = []
        var words: Set<[UInt8]> = []
        for segment in small.snapshot.segments {
            var terms = [[UInt64]](repeating: [], count: segment.documents)
            var summaries = [TermSummaryBuilder](repeating: TermSummaryBuilder(), count: segment.documents)
            let walk = TermWalk(segment)
            while !walk.isAtEnd {
                let bytes = Array(walk.term)
                words.insert(WordEntry.term(bytes))
                let reader = PostingsReader(walk.postings, in: segment)
                let hash = XXH64.hash(bytes)
                for block in 0..<reader.blocks {
                    reader.load(block)
                    for index in 0..<reader.size {
                        let document = Int(reader.documents[index])
                        terms[document].append(hash)
                        summaries[document].add(hash, reader.frequency(index))
                        PositionsReader.each(reader.positions(index)) { column, position in
                            guard column != UInt8(Column.facet.rawValue) else { return }
                            summaries[document].add(Occurrence(column: column, position: position))
                        }
                    }
                }
                walk.advance()
            }
            segment.eachForm([]) { words.insert(Array($0)) }
            for document in 0..<segment.documents {
                guard let id = segment.id(of: document) else { continue }
                let lengths = segment.lengths(document)
                terms[document].append(Self.term(ofTitle: segment.facts(document).titleHash))
                episodes.append(
                    EpisodeTerms(
                        id: id, published: Int64(segment.published(document)),
                        titleBytes: LengthCode(value: UInt8(lengths >> 8)).bytes,
                        textBytes: LengthCode(value: UInt8(lengths & 0xFF)).bytes, terms: terms[document].sorted(),
                        summary: summaries[document].finish(lengths: lengths)))
            }
        }
        self.init(
            podcast: part.podcast.id,
            state: IndexedState(
                revision: part.podcast.contentRevision, digest: PodcastText(part.podcast, part.channel, language).digest,
                language: language.code),
            episodes: episodes, words: words.sorted { $0.lexicographicallyPrecedes($1) })
    }

    /// The term that stands for exactly this title.
    static func term(ofTitle hash: UInt64) -> UInt64 { XXH64.hash("title \(hash)".utf8) }
}
