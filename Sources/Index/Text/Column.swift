/// The columns of the index, in the order of their numbers.
enum Column: Int, CaseIterable {
    /// Description and content. The first column, because a posting spends a byte more on any other.
    case text
    case title, podcast, author, person, keyword, chapter
    /// See `Facet`.
    case facet
    case transcript
    /// Passages of the transcript that several episodes have.
    case ad
    /// The hyphenated words of the other columns, each joined to one word. Their positions are `compoundSpacing` apart, so that
    /// they are no phrases, and begin with the number of the column that has the word.
    case compound

    static let compoundSpacing = 16

    /// The name in `SearchHit.field`. The snippet determines whether a text is the description or the content.
    var field: String {
        switch self {
        case .text, .compound: "description"
        case .title: "title"
        case .podcast: "podcast"
        case .author: "author"
        case .person: "person"
        case .keyword: "keyword"
        case .chapter: "chapter"
        case .facet: "facet"
        case .transcript, .ad: "transcript"
        }
    }

    /// The weight of one occurrence. A title is chosen with care; a description holds links and thanks as well.
    var weight: Double {
        switch self {
        case .title: 8
        case .podcast: 3
        case .author, .person: 3
        case .keyword, .chapter: 2.5
        case .text, .compound: 1
        case .transcript: 0.5
        // The least that a frequency can hold: words of advertising are found, but rank last. Only facets, which are terms of
        // their own, may weigh nothing.
        case .ad: 0.0625
        case .facet: 0
        }
    }
}
