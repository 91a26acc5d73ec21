/// Why a name on the command line is not one podcast or one episode.
public enum LookupFailure: Error, Sendable {
    case noSuchPodcast(String)
    case ambiguousPodcast(String, candidates: [Podcast])
    case noSuchEpisode(String)
    case ambiguousEpisode(String, candidates: [Episode])
}

/// Finds what people name: a podcast by its id, the beginning of its id, its feed URL or its title;
/// an episode by its id, the beginning of it, or its title.
public struct FindPodcast: Sendable {
    let podcasts: any PodcastRepository
    let episodes: any EpisodeRepository

    /// Shorter beginnings of an id are taken for words.
    public static let shortestPrefix = 4

    public init(podcasts: any PodcastRepository, episodes: any EpisodeRepository) {
        self.podcasts = podcasts
        self.episodes = episodes
    }

    /// - Parameter alsoKept: looks further among podcasts that are no longer subscribed and whose episodes were kept.
    /// - Throws: `LookupFailure`.
    public func podcast(_ name: String, alsoKept: Bool = false) async throws -> Podcast {
        do {
            return try Self.podcast(name, among: try await podcasts.podcasts())
        } catch LookupFailure.noSuchPodcast where alsoKept {
            return try Self.podcast(name, among: try await episodes.unsubscribed())
        }
    }

    /// Several names at once; a podcast that is named twice comes once.
    public func podcasts(_ names: [String]) async throws -> [Podcast] {
        guard !names.isEmpty else { return [] }
        let all = try await podcasts.podcasts()
        var seen = Set<PodcastID>()
        return try names.map { try Self.podcast($0, among: all) }.filter { seen.insert($0.id).inserted }
    }

    /// - Throws: `LookupFailure`.
    public func episode(_ name: String) async throws -> (Podcast, Episode) {
        let (id, all) = (name.lowercased(), try await podcasts.podcasts())
        var found: [(Podcast, Episode)] = []
        if id.utf8.count >= Self.shortestPrefix {
            found = try await matches(id, among: all)
            if found.isEmpty { found = try await matches(id, among: try await episodes.unsubscribed()) }
        }
        if found.isEmpty { found = try await titled(name, among: all) }
        guard let first = found.first else { throw LookupFailure.noSuchEpisode(name) }
        guard found.count == 1 else {
            throw LookupFailure.ambiguousEpisode(name, candidates: found.map(\.1))
        }
        return first
    }

    /// Episodes whose id is `name`, or begins with it.
    private func matches(_ name: String, among all: [Podcast]) async throws -> [(Podcast, Episode)] {
        // An episode's id begins with its podcast's: only files that can hold it are opened.
        let homes = all.filter { name.hasPrefix($0.id.text + "-") || ($0.id.text + "-").hasPrefix(name) }
        var found: [(Podcast, Episode)] = []
        for podcast in homes {
            if let id = EpisodeID(text: name), let exact = try await episodes.episodes([id]).first {
                return [(podcast, exact)]
            }
            let matches = try await episodes.episodes(of: podcast.id).filter { $0.id.text.hasPrefix(name) }
            found += matches.map { (podcast, $0) }
        }
        return found
    }

    /// Opens every file: the last resort.
    private func titled(_ name: String, among all: [Podcast]) async throws -> [(Podcast, Episode)] {
        let title = name.asTitle
        guard !title.isEmpty else { return [] }
        var found: [(Podcast, Episode)] = []
        for podcast in all where podcast.episodeCount > 0 {
            let matches = try await episodes.episodes(of: podcast.id).filter { $0.item.title?.asTitle == title }
            found += matches.map { (podcast, $0) }
        }
        return found
    }

    /// The id itself first, then the URL, then the title, then the beginning of an id.
    static func podcast(_ name: String, among all: [Podcast]) throws -> Podcast {
        let folded = name.lowercased()
        let url = FeedURL.parse(name)?.url ?? name
        let rules: [(Podcast) -> Bool] = [
            { $0.id.text == folded },
            { $0.feedURL == url },
            { $0.displayTitle.lowercased() == folded || $0.title?.lowercased() == folded },
            { folded.utf8.count >= shortestPrefix && $0.id.text.hasPrefix(folded) },
        ]
        for rule in rules {
            let matches = all.filter(rule)
            if matches.count == 1 { return matches[0] }
            if matches.count > 1 { throw LookupFailure.ambiguousPodcast(name, candidates: matches) }
        }
        throw LookupFailure.noSuchPodcast(name)
    }
}

extension String {
    /// As titles are compared: letter case and the kind of blanks do not matter.
    var asTitle: String { lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
