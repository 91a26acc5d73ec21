/// Why a name on the command line is not one podcast or one episode.
public enum LookupFailure: Error, Sendable {
    case noSuchPodcast(String)
    case ambiguousPodcast(String, candidates: [Podcast])
    case noSuchEpisode(String)
    case ambiguousEpisode(String, candidates: [Episode])
}

/// Finds what people name: a podcast by its id, the beginning of its id, its feed URL or its title; an episode by its id,
/// the beginning of it, or its title. Each half of an episode's id may be shortened.
public struct FindPodcast: Sendable {
    let podcasts: any PodcastRepository
    let episodes: any EpisodeRepository
    let index: any SearchIndex
    let reconcile: ReconcileIndex

    /// Shorter beginnings of an id are taken for words.
    public static let shortestPrefix = 4
    /// Candidates that an ambiguous name is reported with.
    private static let candidateLimit = 20
    /// Episodes with all words of a title, in that order, among which those with exactly that title are looked for.
    private static let titleLimit = 2_000

    public init(
        podcasts: any PodcastRepository, episodes: any EpisodeRepository, index: any SearchIndex, reconcile: ReconcileIndex
    ) {
        self.podcasts = podcasts
        self.episodes = episodes
        self.index = index
        self.reconcile = reconcile
    }

    /// - Parameter alsoUnsubscribed: also looks among podcasts that are no longer subscribed to and whose episodes were kept.
    /// - Throws: `LookupFailure`.
    public func podcast(_ name: String, alsoUnsubscribed: Bool = false) async throws -> Podcast {
        var candidates = try await subscribed(name)
        if candidates.isEmpty, alsoUnsubscribed {
            candidates = try await unsubscribed(name.lowercased())
            // It may have been subscribed to again in between.
            if candidates.isEmpty { candidates = try await subscribed(name) }
        }
        guard let first = candidates.first else { throw LookupFailure.noSuchPodcast(name) }
        guard candidates.count == 1 else { throw LookupFailure.ambiguousPodcast(name, candidates: candidates) }
        return first
    }

    /// By id, by feed URL, by title, by the beginning of an id: the first of these that anything has.
    private func subscribed(_ name: String) async throws -> [Podcast] {
        let folded = name.lowercased()
        if let podcast = try await podcasts.podcast(PodcastID(text: folded)) { return [podcast] }
        if let podcast = try await podcasts.podcast(at: FeedURL.parse(name)?.url ?? name) { return [podcast] }
        let titled = try await podcasts.podcasts(titled: folded, limit: Self.candidateLimit)
        if !titled.isEmpty || folded.utf8.count < Self.shortestPrefix { return titled }
        return try await podcasts.podcasts(withIDPrefix: folded, limit: Self.candidateLimit)
    }

    /// By title first, then by the beginning of an id.
    private func unsubscribed(_ name: String) async throws -> [Podcast] {
        let all = try await episodes.unsubscribed(withIDPrefix: "", limit: .max)
        let titled = all.filter { $0.title?.lowercased() == name || $0.id.text == name }
        if !titled.isEmpty || name.utf8.count < Self.shortestPrefix { return titled }
        return all.filter { $0.id.text.hasPrefix(name) }
    }

    /// Several names at once; a podcast that is named twice comes once.
    public func podcasts(_ names: [String]) async throws -> [Podcast] {
        var named: [Podcast] = []
        for name in names {
            let podcast = try await podcast(name)
            if !named.contains(where: { $0.id == podcast.id }) { named.append(podcast) }
        }
        return named
    }

    /// - Throws: `LookupFailure`; `IndexFailure` if the index that knows the titles cannot be read.
    public func episode(_ name: String) async throws -> (Podcast, Episode) {
        var candidates: [(Podcast, Episode)] = []
        if let prefix = EpisodeIDPrefix(name) { candidates = try await episodes(prefix) }
        if candidates.isEmpty { candidates = try await titled(name) }
        guard let first = candidates.first else { throw LookupFailure.noSuchEpisode(name) }
        guard candidates.count == 1 else {
            throw LookupFailure.ambiguousEpisode(name, candidates: candidates.map(\.1))
        }
        return first
    }

    /// Subscribed podcasts first.
    private func episodes(_ prefix: EpisodeIDPrefix) async throws -> [(Podcast, Episode)] {
        let subscribed = try await podcasts.podcasts(withIDPrefix: prefix.podcast, limit: Self.candidateLimit)
        let candidates = try await episodes(prefix, of: subscribed)
        if !candidates.isEmpty { return candidates }
        return try await episodes(
            prefix, of: try await episodes.unsubscribed(withIDPrefix: prefix.podcast, limit: Self.candidateLimit))
    }

    private func episodes(_ prefix: EpisodeIDPrefix, of owners: [Podcast]) async throws -> [(Podcast, Episode)] {
        let owners = owners.filter { prefix.own.isEmpty ? $0.id.text.hasPrefix(prefix.podcast) : true }
        guard !owners.isEmpty else { return [] }
        let matches = try await episodes.episodes(
            of: owners.map(\.id), withOwnIDPrefix: prefix.own, limit: Self.candidateLimit)
        if let exact = matches.first(where: { $0.id.text == prefix.text }) {
            return owners.filter { $0.id == exact.id.podcastID }.map { ($0, exact) }
        }
        return matches.compactMap { match in owners.first { $0.id == match.id.podcastID }.map { ($0, match) } }
    }

    /// The search index knows which episodes have the words of the title.
    private func titled(_ name: String) async throws -> [(Podcast, Episode)] {
        let title = name.asTitle
        guard !title.isEmpty else { return [] }
        try await reconcile()
        var request = SearchRequest(text: "title:\"\(title.replacing("\"", with: " "))\"")
        request.sort = .date
        request.limit = Self.titleLimit
        let hits = try await index.search(request).hits
        let matches = try await episodes.episodes(hits.map(\.episodeID)).filter { $0.item.title?.asTitle == title }
        let owners = Dictionary(
            try await podcasts.podcasts(Array(Set(matches.map(\.id.podcastID)))).map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first })
        return matches.compactMap { match in owners[match.id.podcastID].map { ($0, match) } }
    }
}

/// The beginning of an episode's id as people type it: the beginning of its podcast's id, a hyphen, and the beginning of its
/// own part; or only the beginning of its podcast's.
struct EpisodeIDPrefix {
    let text: String
    let podcast: String
    let own: String

    /// nil if the text is too short.
    init?(_ name: String) {
        text = name.lowercased()
        guard text.utf8.count >= FindPodcast.shortestPrefix else { return nil }
        let halves = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        podcast = String(halves[0])
        own = halves.count > 1 ? String(halves[1]) : ""
        guard !podcast.isEmpty else { return nil }
    }

    func matches(_ id: EpisodeID) -> Bool { id.podcastID.text.hasPrefix(podcast) && id.ownText.hasPrefix(own) }
}

extension String {
    /// As titles are compared: letter case and the kind of blanks do not matter.
    var asTitle: String { lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
