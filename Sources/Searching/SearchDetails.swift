import Domain

/// A property by which the matches of a search are counted.
public enum SearchFacet: String, Sendable, CaseIterable {
    case podcast, year, language
}

public struct FacetCount: Equatable, Sendable {
    /// A podcast's id, a year, or a language's code.
    public var value: String
    public var count: Int

    public init(value: String, count: Int) {
        self.value = value
        self.count = count
    }
}

/// Explains a hit's rank: its score is the sum of its terms' scores, times `freshness`. Exact titles come first.
public struct HitExplanation: Equatable, Sendable {
    public struct Term: Equatable, Sendable {
        public var matches: [Match]
        /// Inverse document frequency.
        public var rarity: Double
        /// bm25.
        public var score: Double

        public init(matches: [Match], rarity: Double, score: Double) {
            self.matches = matches
            self.rarity = rarity
            self.score = score
        }
    }

    /// A form of the term that occurs in the episode.
    public struct Match: Equatable, Sendable {
        public struct Field: Hashable, Sendable {
            public var name: String
            public var count: Int

            public init(name: String, count: Int) {
                self.name = name
                self.count = count
            }
        }

        public var words: String
        /// Its weight relative to the word as typed.
        public var factor: Double
        public var fields: [Field]

        public init(words: String, factor: Double, fields: [Field]) {
            self.words = words
            self.factor = factor
            self.fields = fields
        }
    }

    public var terms: [Term]
    /// What words add that are said close together in the transcript.
    public var closeness: Double
    /// 1 for old episodes, up to 1.3 for new ones.
    public var freshness: Double
    public var isExactTitle: Bool

    public init(terms: [Term], closeness: Double, freshness: Double, isExactTitle: Bool) {
        self.terms = terms
        self.closeness = closeness
        self.freshness = freshness
        self.isExactTitle = isExactTitle
    }
}
