/// A fact about an episode, as a term of the `facet` column. Searching for it costs as much as searching for a word.
enum Facet {
    static let transcript = TermKey(facet: "transcript")
    /// Stored transcripts, by who made them.
    static let published = TermKey(facet: "source published")
    static let homemade = TermKey(facet: "source home")
    static let chapters = TermKey(facet: "chapters")
    static let withdrawn = TermKey(facet: "withdrawn")
    static func season(_ number: Int) -> TermKey { TermKey(facet: "season \(number)") }
    static func type(_ type: String) -> TermKey { type == "full" ? full : TermKey(facet: "type \(type)") }
    private static let full = TermKey(facet: "type full")
    /// Decided by `LanguageDecision`.
    static func language(_ language: Language) -> TermKey { TermKey(facet: languages + language.code) }
    static let languages = "language "
    private static let languagesKey = TermKey(facet: languages).bytes

    /// The language, if the term is `language(_:)` of one.
    static func language(of term: ByteView) -> Language? {
        guard term.first == languagesKey.first, term.starts(with: languagesKey) else { return nil }
        return Language(code: term.dropFirst(languagesKey.count))
    }

    static func podcast(titled hash: UInt64) -> TermKey { TermKey(facet: "podcast \(String(hash, radix: 36))") }
}
