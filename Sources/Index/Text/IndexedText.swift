internal import Domain

/// The columns of the full-text table, in their order there.
enum Column: Int, CaseIterable {
    /// Description and content. The first, because a posting spends a byte more on any other.
    case text
    case title, podcast, author, person, tag, chapter
    /// See `Facet`.
    case facet
    case transcript

    /// The name in `SearchHit.field`. Whether a text is the description or the content, the snippet tells.
    var field: String { self == .text ? "description" : "\(self)" }

    /// What one occurrence counts. A title is chosen with care; a description holds links and thanks as well.
    var weight: Double {
        switch self {
        case .title: 8
        case .podcast: 3
        case .author, .person: 3
        case .tag, .chapter: 2.5
        case .text: 1
        case .transcript: 0.5
        case .facet: 0
        }
    }
}

/// A fact about an episode as a term of the `facet` column: a search for it costs what a search for a word does.
enum Facet {
    static let transcript = TermKey(facet: "transcript")
    static let chapters = TermKey(facet: "chapters")
    static func season(_ number: Int) -> TermKey { TermKey(facet: "season \(number)") }
    static func type(_ type: String) -> TermKey { TermKey(facet: "type \(type)") }
}

/// What the index knows of an episode: the text of each column.
struct IndexedText {
    private var columns = [String](repeating: "", count: Column.allCases.count)
    private(set) var facets: [TermKey]

    subscript(column: Column) -> String {
        get { columns[column.rawValue] }
        set { columns[column.rawValue] = newValue }
    }

    init(_ episode: Episode, of podcast: PodcastText, transcript: [TranscriptSegment], reader: PlainText) {
        facets = IndexedText.facets(of: episode.item, hasTranscript: !transcript.isEmpty)
        self[.title] = joined([episode.item.title, episode.item.itunesTitle])
        self[.podcast] = podcast.title
        self[.author] = episode.item.author ?? podcast.author
        self[.person] = episode.item.persons.isEmpty ? podcast.persons : joined(episode.item.persons.map(\.name))
        self[.tag] = joined(episode.item.tags + episode.item.keywords + [podcast.tags])
        self[.chapter] = joined(episode.item.extras.inlineChapters.map(\.title))
        self[.text] = joined(IndexedText.bodies(of: episode.item).map { reader.text(of: $0.text) })
        self[.transcript] = joined(transcript.map(\.text))
    }

    /// The texts of an episode that are worth their place: feeds love to say the same two or three times.
    static func bodies(of item: Item) -> [(field: String, text: String)] {
        var bodies: [(field: String, text: String)] = []
        let fields = [
            ("description", item.description), ("content", item.content), ("summary", item.summary),
            ("subtitle", item.subtitle),
        ]
        for case (let field, let text?) in fields where !bodies.contains(where: { $0.text.utf8.starts(with: text.utf8) }) {
            bodies.append((field, text))
        }
        return bodies
    }

    private static func facets(of item: Item, hasTranscript: Bool) -> [TermKey] {
        var facets: [TermKey] = []
        if hasTranscript || !item.transcripts.isEmpty { facets.append(Facet.transcript) }
        if item.chapters != nil || !item.extras.inlineChapters.isEmpty { facets.append(Facet.chapters) }
        if let number = item.season?.number, let whole = Int(exactly: number) { facets.append(Facet.season(whole)) }
        if let type = item.type { facets.append(Facet.type(type)) }
        return facets
    }

    /// Differs whenever anything the index keeps of the episode does.
    static func digest(of episode: Episode, of podcast: PodcastText, transcript: [TranscriptSegment]) -> UInt64 {
        var hash = XXH64()
        let facts = [episode.digest.value, UInt64(bitPattern: episode.firstSeenAt.seconds), podcast.digest]
        facts.withUnsafeBytes { hash.update($0) }
        for segment in transcript {
            withUnsafeBytes(of: segment.start ?? -1) { hash.update($0) }
            hash.update(segment.text.utf8)
            hash.update([0xFF])
        }
        return hash.finish()
    }
}

/// What every episode of a podcast is indexed with.
struct PodcastText {
    var title: String
    var author: String
    var persons: String
    var tags: String
    let digest: UInt64

    init(_ podcast: Podcast, _ channel: Channel) {
        title = joined([podcast.settings.title, channel.title ?? podcast.title])
        author = channel.author ?? podcast.author ?? ""
        persons = joined(channel.persons.map(\.name))
        tags = joined(podcast.settings.tags + channel.categories.flatMap { $0 } + channel.tags + channel.keywords)
        digest = XXH64.hash([title, author, persons, tags].joined(separator: "\u{0}").utf8)
    }
}

/// Several texts of one column.
private func joined(_ texts: [String?]) -> String {
    let texts = texts.compactMap { $0 }
    return texts.count == 1 ? texts[0] : texts.joined(separator: "\n")
}
