internal import Domain

/// The texts of a podcast that are indexed with each of its episodes.
struct PodcastText {
    var titles: [String]
    var author: String
    var persons: [String]
    var tags: [String]
    /// Decided by `LanguageDecision`; all documents of a podcast have the same.
    var language: Language
    /// One facet for each of its titles.
    let titleFacets: [TermKey]
    let digest: UInt64

    init(_ podcast: Podcast, _ channel: Channel, _ language: Language) {
        titles = [podcast.settings.title, channel.title ?? podcast.title].compactMap(\.self)
        titleFacets = Set(titles.compactMap { TitleHash($0).value }).sorted().map { Facet.podcast(titled: $0) }
        author = channel.author ?? podcast.author ?? ""
        persons = channel.persons.compactMap(\.name)
        self.language = language
        tags = channel.categories.flatMap { $0 } + channel.tags + channel.keywords
        let lists = [titles, persons, tags].map { $0.joined(separator: "\n") }
        let facts = lists + [author, language.code, channel.language ?? ""]
        digest = XXH64.hash(facts.joined(separator: "\u{0}").utf8)
    }
}
