internal import Domain
internal import Memory

/// The indexed texts of an episode, column by column. It is filled again for each of many episodes.
struct IndexedText: ~Copyable {
    private var bytes = GrowingBytes()
    /// The end of each column in `bytes`.
    private var ends = [Int](repeating: 0, count: Column.allCases.count)
    /// The offsets in each column at which another text begins: a phrase ends there.
    private var breaks = [[Int]](repeating: [], count: Column.allCases.count)
    /// The ranges in `bytes` of the description, the content and so on.
    private var bodies: [Range<Int>] = []
    private(set) var facets: [TermKey] = []
    private(set) var language = Language.undetermined
    /// The segments of the transcript: the start time in seconds, and the end in `bytes`.
    private(set) var spoken: [(start: Double?, end: Int)] = []
    /// The length in bytes of the title, which another title may follow in the same column.
    private(set) var titleLength = 0

    mutating func fill(_ episode: Episode, of podcast: PodcastText, transcript: [TranscriptSegment]) {
        let item = episode.item
        bytes.removeAll()
        facets = IndexedText.facets(of: item, podcast, hasTranscript: transcript.contains { !$0.isChapter })
        if let spoken = transcript.first(where: { !$0.isChapter }) {
            facets.append(spoken.isHomemade ? Facet.homemade : Facet.published)
        }
        if episode.isWithdrawn { facets.append(Facet.withdrawn) }
        language = podcast.language
        spoken.removeAll(keepingCapacity: true)
        for column in Column.allCases {
            let start = bytes.count
            breaks[column.rawValue].removeAll(keepingCapacity: true)
            switch column {
            case .text: addBodies(of: item.texts)
            case .title:
                item.texts.withBytes(of: .title) { $0.withBytes { add($0, to: column, since: start) } }
                titleLength = bytes.count - start
                item.texts.withBytes(of: .itunesTitle) { $0.withBytes { add($0, to: column, since: start) } }
            case .podcast: for title in podcast.titles { add(title, to: column, since: start) }
            case .author: add(item.author ?? podcast.author, to: column, since: start)
            case .person:
                for name in item.persons.isEmpty ? podcast.persons : item.persons.compactMap(\.name) {
                    add(name, to: column, since: start)
                }
            case .keyword:
                for tag in item.tags { add(tag, to: column, since: start) }
                for keyword in item.keywords { add(keyword, to: column, since: start) }
                for tag in podcast.tags { add(tag, to: column, since: start) }
            case .chapter:
                for chapter in item.inlineChapters { add(chapter.title, to: column, since: start) }
                for chapter in transcript where chapter.isChapter { add(chapter.text, to: column, since: start) }
            case .facet, .compound: break
            case .transcript:
                for segment in transcript where !segment.isChapter && !segment.isAd {
                    add(segment.text, to: column, since: start)
                    spoken.append((segment.start, bytes.count))
                }
            case .ad: for segment in transcript where segment.isAd { add(segment.text, to: column, since: start) }
            }
            ends[column.rawValue] = bytes.count
        }
    }

    private mutating func addBodies(of texts: ItemTexts) {
        let start = bytes.count
        bodies.removeAll(keepingCapacity: true)
        IndexedText.eachBody(of: texts) { field in
            let end = bytes.count
            separate(.text, since: start)
            texts.withBytes(of: field) { PlainText.append($0, to: &bytes) }
            let body = end..<bytes.count
            if bodies.contains(where: { RepeatedText.text(part($0), beginsWith: part(body)) }) {
                bytes.cut(to: end)
                breaks[Column.text.rawValue].removeAll { $0 > end - start }
            } else {
                bodies.append(body)
            }
        }
    }

    private func part(_ range: Range<Int>) -> ByteView { bytes.view.part(range.lowerBound, range.count) }

    /// Adds a text to the column that begins at `start`. Line feeds separate the texts of a column.
    @inline(never) private mutating func add(_ text: String?, to column: Column, since start: Int) {
        text?.withBytes { add($0, to: column, since: start) }
    }

    @inline(never) private mutating func add(_ text: ByteView, to column: Column, since start: Int) {
        guard !text.isEmpty else { return }
        separate(column, since: start)
        bytes.append(text)
    }

    /// Ends the text before the next one.
    private mutating func separate(_ column: Column, since start: Int) {
        guard bytes.count > start else { return }
        bytes.append(UInt8(ascii: "\n"))
        // Sentences are spoken across the segments of a transcript.
        if column != .transcript, column != .ad { breaks[column.rawValue].append(bytes.count - start) }
    }

    /// Calls `body` with the range in the column of each of its texts.
    func eachText(of column: Column, _ body: (Range<Int>) -> Void) {
        var start = 0
        for next in breaks[column.rawValue] {
            body(start..<next - 1)
            start = next
        }
        body(start..<self[column].count)
    }

    /// True if the column has the same texts as that of another episode.
    func isSame(_ column: Column, as other: borrowing IndexedText) -> Bool {
        breaks[column.rawValue] == other.breaks[column.rawValue] && ByteView.order(self[column], other[column]) == 0
    }

    /// Valid until the next `fill`.
    subscript(column: Column) -> ByteView {
        let start = column.rawValue == 0 ? 0 : ends[column.rawValue - 1]
        return bytes.view.part(start, ends[column.rawValue] - start)
    }

    /// The text of a segment of the transcript.
    func spoken(_ index: Int) -> ByteView {
        let start = index == 0 ? ends[Column.transcript.rawValue - 1] : spoken[index - 1].end
        return bytes.view.part(start, spoken[index].end - start)
    }

    /// The texts of an episode, each once.
    static func bodies(of item: Item) -> [(field: String, text: String)] {
        var bodies: [(field: String, text: String)] = []
        eachBody(of: item.texts) { bodies.append(($0.name.description, item.texts[$0] ?? "")) }
        return bodies
    }

    /// The field of the first of these texts.
    static func body(of texts: ItemTexts) -> ItemTexts.Field {
        ItemTexts.bodies.indices.map { ItemTexts.bodies[$0] }.first { !texts.isEmpty($0) } ?? .description
    }

    private static func eachBody(of texts: ItemTexts, _ body: (ItemTexts.Field) -> Void) {
        let fields = ItemTexts.bodies
        for index in fields.indices {
            let field = fields[index]
            let isRedundant = texts.isEmpty(field) || (0..<index).contains { texts.isSame(fields[$0], as: field) }
            if !isRedundant { body(field) }
        }
    }

    private static func facets(of item: Item, _ podcast: PodcastText, hasTranscript: Bool) -> [TermKey] {
        var facets: [TermKey] = []
        if hasTranscript || !item.transcripts.isEmpty { facets.append(Facet.transcript) }
        if item.chapters != nil || !item.inlineChapters.isEmpty { facets.append(Facet.chapters) }
        if let number = item.season?.number, let whole = Int(exactly: number) { facets.append(Facet.season(whole)) }
        if let type = item.type { facets.append(Facet.type(type)) }
        facets.append(Facet.language(podcast.language))
        facets += podcast.titleFacets
        return facets
    }

    /// Changes whenever anything changes that the index stores of the episode.
    static func digest(of episode: Episode, of podcast: PodcastText, transcript: [TranscriptSegment]) -> UInt64 {
        var hash = XXH64()
        hash.update(episode.digest.value)
        hash.update(UInt64(bitPattern: episode.firstSeenAt.seconds))
        hash.update(podcast.digest)
        hash.update(episode.isWithdrawn ? 1 : 0 as UInt64)
        for segment in transcript {
            hash.update((segment.start ?? -1).bitPattern)
            hash.update(segment.text.utf8)
            hash.update([segment.isChapter ? 0xFE : segment.isAd ? 0xFC : segment.isHomemade ? 0xFD : 0xFF])
        }
        return hash.finish()
    }
}
