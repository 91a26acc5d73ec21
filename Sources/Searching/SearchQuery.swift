public import Domain

/// The meaning of a user's search text: an expression over words, and conditions on the episode.
///
/// `SearchQuery(text:)` (in QueryParser.swift) reads any text. Invalid parts are searched as words.
public struct SearchQuery: Equatable, Sendable {
    /// nil if there are only conditions, or nothing at all.
    public var expression: Expression?
    /// Conditions that must all hold. Those within an `OR` are in the expression.
    public var conditions: [Condition]
    /// Parts that look like fields or conditions, but are searched as words.
    public var unknown: [UnknownCondition]

    public indirect enum Expression: Equatable, Sendable {
        case term(Term)
        /// Two or more.
        case all([Expression])
        /// Two or more.
        case any([Expression])
        case not(Expression)
        case condition(Condition)
    }

    /// Words that must be adjacent: one word as typed, or a phrase in quotes.
    public struct Term: Equatable, Sendable {
        public var text: String
        /// True for quoted text, which is matched as written, without inflection.
        public var isPhrase: Bool
        /// True if the last word may continue: `pod*`.
        public var isPrefix: Bool
        /// nil for any field.
        public var field: Field?
        /// The range of `text` in the user's text, in UTF-8 offsets.
        public var range: Range<Int>

        public init(_ text: String, isPhrase: Bool = false, isPrefix: Bool = false, field: Field? = nil, range: Range<Int>) {
            self.text = text
            self.isPhrase = isPhrase
            self.isPrefix = isPrefix
            self.field = field
            self.range = range
        }
    }

    /// Fields that can be named in a query, by their names there.
    public enum Field: String, Hashable, Sendable, CaseIterable {
        case title, podcast, author, person, keyword, chapter, transcript

        /// nil for a name that is not one. `said` is another one for `transcript`.
        public init?(name: String) {
            guard let field = name == "said" ? .transcript : Field(rawValue: name) else { return nil }
            self = field
        }
    }

    public struct Condition: Equatable, Sendable {
        public enum Kind: Hashable, Sendable {
            /// Published then or later.
            case after(Timestamp)
            /// Published earlier.
            case before(Timestamp)
            /// First seen between these moments, inclusive; nil for an open end.
            case added(from: Timestamp?, to: Timestamp?)
            /// Seconds.
            case longer(than: Double)
            case shorter(than: Double)
            case season(Int)
            /// `full`, `trailer` or `bonus`.
            case type(String)
            case inQueue
            /// The owner's tag, of the episode or its podcast.
            case tagged(Tag)
            /// No longer in the feed.
            case isWithdrawn
            case hasTranscript
            /// Has a stored transcript, which jimmy made or the publisher.
            case hasSource(isHome: Bool)
            case hasChapters
            /// The note of a bookmark of the owner's.
            case marked(NoteWords)
        }

        public var kind: Kind
        public var isNegated: Bool

        public init(_ kind: Kind, isNegated: Bool = false) {
            self.kind = kind
            self.isNegated = isNegated
        }
    }

    /// The terms that a match should show, in the order typed; excluded terms are left out.
    public var wantedTerms: [Term] {
        func terms(_ expression: Expression) -> [Term] {
            switch expression {
            case .term(let term): [term]
            case .all(let parts), .any(let parts): parts.flatMap(terms)
            case .not, .condition: []
            }
        }
        return expression.map(terms) ?? []
    }

    /// The owner's tags that the query asks for.
    public var ownTags: Set<Tag> {
        Set(allConditions.compactMap { condition in if case .tagged(let tag) = condition.kind { tag } else { nil } })
    }

    /// The words of bookmarks that the query asks for.
    public var noteWords: Set<NoteWords> {
        Set(allConditions.compactMap { condition in if case .marked(let words) = condition.kind { words } else { nil } })
    }

    /// All conditions, including those in alternatives.
    public var allConditions: [Condition] {
        func inside(_ expression: Expression) -> [Condition] {
            switch expression {
            case .term: []
            case .all(let parts), .any(let parts): parts.flatMap(inside)
            case .not(let part): inside(part)
            case .condition(let condition): [condition]
            }
        }
        return conditions + (expression.map(inside) ?? [])
    }
}
