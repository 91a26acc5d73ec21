import Addresses
public import Domain
public import Searching

/// Finds podcasts and episodes by name: a podcast by its id or a prefix of it, its feed URL, or words of its title; an
/// episode by its id or a prefix of it, or words of its title. Each half of an episode's id may be shortened.
public struct FindPodcast: Sendable {
    let library: Repositories
    let index: any SearchIndex
    let reconcile: ReconcileIndex

    /// Shorter prefixes of an id are taken for words.
    public static let minPrefix = 2
    /// Most candidates reported for an ambiguous name.
    private static let candidateLimit = 20
    /// Most episodes with all words of a name in their titles from which the best are chosen.
    private static let titleLimit = 20_000

    public init(_ library: Repositories, index: any SearchIndex, reconcile: ReconcileIndex) {
        self.library = library
        self.index = index
        self.reconcile = reconcile
    }

    /// - Parameter alsoUnsubscribed: includes podcasts unsubscribed with their episodes kept.
    /// - Throws: `LookupFailure`.
    public func podcast(_ name: String, alsoUnsubscribed: Bool = false) async throws -> Podcast {
        var candidates = try await subscribed(name)
        if candidates.isEmpty, alsoUnsubscribed {
            candidates = try await unsubscribed(name)
            // It may have been subscribed to again meanwhile.
            if candidates.isEmpty { candidates = try await subscribed(name) }
        }
        guard let first = candidates.first else { throw LookupFailure.noSuchPodcast(name) }
        guard candidates.count == 1 else { throw LookupFailure.ambiguousPodcast(name, candidates: candidates) }
        return first
    }

    /// The podcasts that match by the first applicable rule: id, feed URL, exact title, unique prefix of an id, words
    /// of the title.
    private func subscribed(_ name: String) async throws -> [Podcast] {
        let folded = name.lowercased()
        let hasPrefix = folded.utf8.count >= Self.minPrefix
        // Together they take one round trip to a server. Titles take longer, and are seldom needed for what programs name.
        async let atURL = library.podcasts.podcasts(at: [FeedURL.parse(name)?.url ?? name])
        async let withPrefix =
            hasPrefix ? library.podcasts.podcasts(withIDPrefix: folded, limit: Self.candidateLimit) : []
        let withID = try await library.podcasts.podcast(PodcastID(text: folded))
        let (same, prefixed) = (try await atURL, try await withPrefix)
        if let withID { return [withID] }
        if !same.isEmpty { return same }
        let titled = try await library.podcasts.podcasts(titled: TitleName(name), limit: Self.candidateLimit)
        return Self.choice(name, titled, prefixed)
    }

    private func unsubscribed(_ name: String) async throws -> [Podcast] {
        let all = try await library.episodes.unsubscribed(withIDPrefix: "", limit: .max)
        let folded = name.lowercased()
        if let podcast = all.first(where: { $0.id.text == folded }) { return [podcast] }
        let hasPrefix = folded.utf8.count >= Self.minPrefix
        return Self.choice(
            name, TitleName(name).best(among: all) { $0.title },
            hasPrefix ? all.filter { $0.id.text.hasPrefix(folded) } : [])
    }

    /// An exact title takes precedence over a unique prefix of an id, and that over words of a title.
    private static func choice(_ name: String, _ titled: [Podcast], _ prefixed: [Podcast]) -> [Podcast] {
        let isExact = titled.contains { podcast in
            [podcast.displayTitle, podcast.title ?? ""].contains { TitleName(name).fit($0) == .exact }
        }
        if isExact { return titled }
        return prefixed.count == 1 || titled.isEmpty ? prefixed : titled
    }

    /// The podcasts with these names, each once.
    public func podcasts(_ names: [String]) async throws -> [Podcast] {
        var named: [Podcast] = []
        for name in names {
            let podcast = try await podcast(name)
            if !named.contains(where: { $0.id == podcast.id }) { named.append(podcast) }
        }
        return named
    }

    /// What a name stands for where an episode is wanted.
    public enum Named: Sendable {
        case episode(EpisodeID)
        case podcast(Podcast)
    }

    /// The episodes and podcasts with these names, in order. Complete ids of episodes are looked up together.
    ///
    /// - Throws: `LookupFailure`.
    public func named(_ names: [String]) async throws -> [Named] {
        let whole = try await whole(names)
        var named: [Named] = []
        for name in names {
            if let id = whole[name] { named.append(.episode(id)) } else { named.append(try await self.named(name)) }
        }
        return named
    }

    /// An episode unless the name is a podcast's id, URL or exact title, or no episode has the words.
    private func named(_ name: String) async throws -> Named {
        if let prefix = EpisodeIDPrefix(name), !prefix.own.isEmpty, try await episodes(prefix).count == 1 {
            return .episode(try await episode(name).1.id)
        }
        let owners = try await subscribed(name)
        let exact = owners.filter { $0.isMeant(exactlyBy: name) }
        do {
            let episode = try await episode(name).1
            if exact.isEmpty || TitleName(name).fit(episode.item.title ?? "") == .exact { return .episode(episode.id) }
        } catch let failure as LookupFailure {
            if owners.isEmpty { throw failure }
            // If all of them are of the one podcast that has the words, the podcast is meant.
            if exact.isEmpty, case .ambiguousEpisode(_, let candidates) = failure,
                owners.count > 1 || candidates.shown.contains(where: { $0.podcast.id != owners[0].id })
            {
                throw failure
            }
        }
        let meant = exact.isEmpty ? owners : exact
        guard meant.count == 1 else { throw LookupFailure.ambiguousPodcast(name, candidates: meant) }
        return .podcast(meant[0])
    }

    /// The episodes with these ids, each complete or a unique prefix with some of its own part.
    public struct Written: Sendable {
        public var ids: [EpisodeID] = []
        /// The number of complete ids of podcasts beside them, which a search lists among its episodes.
        public var podcasts = 0
        /// The texts that are no such id.
        public var unknown: [String] = []
    }

    public func episodeIDs(written texts: [String]) async throws -> Written {
        let whole = try await whole(texts)
        var written = Written()
        for text in texts {
            if let id = whole[text] {
                written.ids.append(id)
            } else if let prefix = EpisodeIDPrefix(text), !prefix.own.isEmpty, case let matches = try await episodes(prefix),
                matches.count == 1
            {
                written.ids.append(matches[0].1.id)
            } else {
                written.unknown.append(text)
            }
        }
        guard !written.ids.isEmpty, !written.unknown.isEmpty else { return written }
        let podcasts = try await library.podcasts.podcasts(written.unknown.map { PodcastID(text: $0.lowercased()) })
        let podcastIDs = Set(podcasts.map(\.id.text))
        written.podcasts = podcastIDs.count
        written.unknown.removeAll { podcastIDs.contains($0.lowercased()) }
        return written
    }

    /// True if this is the complete id of a stored episode.
    public func hasEpisode(withID text: String) async throws -> Bool { try await !whole([text]).isEmpty }

    /// The stored episodes among complete ids.
    private func whole(_ names: [String]) async throws -> [String: EpisodeID] {
        let stored = Set(try await library.episodes.episodes(names.compactMap { EpisodeID(text: $0.lowercased()) }).map(\.id))
        var whole: [String: EpisodeID] = [:]
        for name in names {
            if let id = EpisodeID(text: name.lowercased()), stored.contains(id) { whole[name] = id }
        }
        return whole
    }

    /// The episode with this unique prefix of an id, with this `PODCAST/WORDS`, or with these words in its title.
    ///
    /// - Throws: `LookupFailure`; `IndexFailure` if the index, which is searched for titles, cannot be read.
    public func episode(_ name: String) async throws -> (Podcast, Episode) {
        var candidates: [(Podcast, Episode)] = []
        if let prefix = EpisodeIDPrefix(name), !prefix.own.isEmpty { candidates = try await episodes(prefix) }
        if candidates.count != 1 {
            var titled = try await titled(name)
            if titled.isEmpty { titled = try await titledWithinPodcast(name) }
            if !titled.isEmpty { candidates = titled }
        }
        guard let first = candidates.first else { throw LookupFailure.noSuchEpisode(name) }
        guard candidates.count == 1 else {
            throw LookupFailure.ambiguousEpisode(
                name, try await candidates.map { ListedEpisode(podcast: $0, episode: $1) }.candidates(library))
        }
        return first
    }

    /// Resolves `night radio/keepers`. A slash may also be part of either title.
    private func titledWithinPodcast(_ name: String) async throws -> [(Podcast, Episode)] {
        for slash in name.indices where name[slash] == "/" {
            let owners = try await subscribed(String(name[..<slash]))
            guard owners.count == 1, let owner = owners.first else { continue }
            let titled = try await titled(String(name[name.index(after: slash)...]), of: owner.id)
            if !titled.isEmpty { return titled }
        }
        return []
    }

    /// Looks at unsubscribed podcasts only if no subscribed one matches.
    private func episodes(_ prefix: EpisodeIDPrefix) async throws -> [(Podcast, Episode)] {
        let subscribed = try await library.podcasts.podcasts(withIDPrefix: prefix.podcast, limit: Self.candidateLimit)
        let candidates = try await episodes(prefix, of: subscribed)
        if !candidates.isEmpty { return candidates }
        return try await episodes(
            prefix, of: try await library.episodes.unsubscribed(withIDPrefix: prefix.podcast, limit: Self.candidateLimit))
    }

    private func episodes(_ prefix: EpisodeIDPrefix, of owners: [Podcast]) async throws -> [(Podcast, Episode)] {
        guard !owners.isEmpty else { return [] }
        let matches = try await library.episodes.episodes(
            of: owners.map(\.id), withOwnIDPrefix: prefix.own, limit: Self.candidateLimit)
        if let exact = matches.first(where: { $0.id.text == prefix.text }) {
            return owners.filter { $0.id == exact.id.podcastID }.map { ($0, exact) }
        }
        return matches.compactMap { match in owners.first { $0.id == match.id.podcastID }.map { ($0, match) } }
    }

    /// Finds the episodes with these words in their titles through the search index.
    private func titled(_ name: String, of podcast: PodcastID? = nil) async throws -> [(Podcast, Episode)] {
        let words = TitleName.typedWords(of: name)
        guard !words.isEmpty else { return [] }
        try await reconcile()
        var request = SearchRequest(text: words.map { "title:\($0)*" }.joined(separator: " "))
        request.podcast = podcast
        request.sort = .date
        request.limit = Self.titleLimit
        let hits = try await index.search(request).hits
        let matches = TitleName(name).best(among: try await library.episodes.episodes(hits.map(\.episodeID))) { $0.item.title }
        let owners = Dictionary(
            try await library.podcasts.podcasts(Array(Set(matches.map(\.id.podcastID)))).map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first })
        return matches.compactMap { match in owners[match.id.podcastID].map { ($0, match) } }
    }
}

extension Podcast {
    /// True if the name is the podcast's id, most of it, its URL or its whole title.
    fileprivate func isMeant(exactlyBy name: String) -> Bool {
        let folded = name.lowercased()
        if folded.utf8.count >= ShortIDs.minLength, id.text.hasPrefix(folded) { return true }
        if feedURL == name || feedURL == FeedURL.parse(name)?.url { return true }
        return [displayTitle, title ?? ""].contains { TitleName(name).fit($0) == .exact }
    }
}

extension [ListedEpisode] {
    /// What to show of the episodes that a name may mean.
    func candidates(_ library: Repositories) async throws -> EpisodeCandidates {
        let shown = Array(try await OrderEpisodes(library)(self).prefix(EpisodeCandidates.limit))
        let shortIDs = try await ShortenIDs(library)([], shown.map(\.episode.id))
        return EpisodeCandidates(shown: shown, total: count, shortIDs: shortIDs)
    }
}

/// A prefix of an episode's id as people type it: a prefix of the podcast's id, a hyphen and a prefix of the own part,
/// or only a prefix of the podcast's id.
struct EpisodeIDPrefix {
    let text: String
    let podcast: String
    let own: String

    /// nil if the text is too short.
    init?(_ name: String) {
        text = name.lowercased()
        guard text.utf8.count >= FindPodcast.minPrefix else { return nil }
        let halves = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        podcast = String(halves[0])
        own = halves.count > 1 ? String(halves[1]) : ""
        guard !podcast.isEmpty else { return nil }
    }

    func matches(_ id: EpisodeID) -> Bool { id.podcastID.text.hasPrefix(podcast) && id.ownText.hasPrefix(own) }
}
