import Domain

/// Keeps the fingerprints of transcripts up to date, and finds the transcripts that share passages.
///
/// Each transcript is read once for its fingerprint. Later ones are compared with the fingerprints alone, and only transcripts
/// that share something are read again.
struct FingerprintTranscripts {
    let library: Repositories
    let store: any PassageStore
    private var podcasts: [PodcastID: FingerprintedPodcast]

    /// The newest transcripts of a podcast, and of a network, that are compared: campaigns do not last for ever.
    private static let maxOfPodcast = 64
    private static let maxOfNetwork = 512
    /// Podcasts whose transcripts came from elsewhere, from another machine or before there were fingerprints, that one run
    /// reads. The next one goes on.
    private static let maxOthers = 32

    init(_ library: Repositories, _ store: any PassageStore) throws {
        (self.library, self.store) = (library, store)
        podcasts = try store.podcasts()
    }

    /// Makes what is missing, first for the podcasts whose transcripts changed.
    ///
    /// - Returns: the transcripts that are new, with their fingerprints.
    mutating func update(_ changed: Set<PodcastID>) async throws -> [FingerprintedTranscript] {
        var (stale, others, existing): ([Podcast], [Podcast], Set<PodcastID>) = ([], [], [])
        let known = podcasts
        try await library.podcasts.forEach { podcast in
            existing.insert(podcast.id)
            if changed.contains(podcast.id) {
                stale.append(podcast)
            } else if known[podcast.id]?.revision ?? 0 != podcast.transcripts.revision {
                others.append(podcast)
            }
            return true
        }
        for id in podcasts.keys where !existing.contains(id) {
            podcasts[id] = nil
            try store.remove(id)
        }
        var new: [FingerprintedTranscript] = []
        for podcast in stale + others.prefix(Self.maxOthers) {
            if Task.isCancelled { break }
            new += try await update(podcast)
        }
        try store.store(podcasts)
        return new
    }

    private mutating func update(_ podcast: Podcast) async throws -> [FingerprintedTranscript] {
        let entries = try await library.transcripts.entries(of: podcast.id).entries.filter { $0.value.stored != nil }
        let newest = try await OrderEpisodes(library)(
            try await library.episodes.episodes(Array(entries.keys)).map { ListedEpisode(podcast: podcast, episode: $0) }
        ).prefix(Self.maxOfPodcast).map(\.episode)
        let stored = Dictionary(try store.fingerprints(of: podcast.id).map { ($0.episode, $0) }) { first, _ in first }
        var (all, new): ([FingerprintedTranscript], [FingerprintedTranscript]) = ([], [])
        for episode in newest {
            guard let version = entries[episode.id]?.stored?.version else { continue }
            if let known = stored[episode.id], known.version == version {
                all.append(known)
                continue
            }
            let segments = (try? await library.transcripts.transcript(of: episode.id))?.segments ?? []
            new.append(
                FingerprintedTranscript(
                    episode: episode.id, publishedAt: (episode.orderedAt ?? .distantPast).seconds, version: version,
                    fingerprint: PassageFingerprint(of: segments)))
            all.append(new[new.count - 1])
        }
        if !new.isEmpty || all.count != stored.count { try store.store(all, of: podcast.id) }
        let channel = try await library.episodes.channel(of: podcast.id) ?? Channel()
        podcasts[podcast.id] = FingerprintedPodcast(
            revision: podcast.transcripts.revision, networks: PodcastNetwork.names(of: podcast, channel))
        return new
    }

    /// Notes that transcripts were stored with other marks and the same words.
    mutating func marked(_ stored: [Podcast]) throws {
        for podcast in stored { podcasts[podcast.id]?.revision = podcast.transcripts.revision }
        try store.store(podcasts)
    }

    /// The transcripts that share most with these, of their podcast and of its network.
    ///
    /// - Parameter transcripts: of one podcast.
    func others(like transcripts: ArraySlice<FingerprintedTranscript>, limit: Int) throws -> [EpisodeID] {
        guard let podcast = transcripts.first?.episode.podcastID else { return [] }
        let networks = podcasts[podcast]?.networks ?? []
        var all = try store.fingerprints(of: podcast)
        var network: [FingerprintedTranscript] = []
        for (id, other) in podcasts where id != podcast && !other.networks.isDisjoint(with: networks) {
            network += try store.fingerprints(of: id)
            if network.count > 2 * Self.maxOfNetwork { network = Self.newest(network) }
        }
        all += Self.newest(network)
        let shared = SharedPassages(transcripts.map(\.fingerprint))
        let own = Set(transcripts.map(\.episode))
        return all.filter { !own.contains($0.episode) }
            .compactMap { other in shared.shared(with: other.fingerprint).map { (other, $0) } }
            .sorted { ($1.1, $1.0.publishedAt, $0.0.episode) < ($0.1, $0.0.publishedAt, $1.0.episode) }
            .prefix(limit).map(\.0.episode)
    }

    private static func newest(_ transcripts: [FingerprintedTranscript]) -> [FingerprintedTranscript] {
        Array(transcripts.sorted { ($1.publishedAt, $0.episode) < ($0.publishedAt, $1.episode) }.prefix(maxOfNetwork))
    }
}

extension TranscriptSource {
    /// Differs if the words do. Marks of advertising leave it as it is.
    fileprivate var version: UInt64 {
        XXH64.hash("\(at.seconds) \(segments) \(bodyHash ?? 0) \(making?.program ?? "")".utf8)
    }
}
