import Domain

/// Keeps the fingerprints of transcripts up to date, and finds the transcripts that share passages.
///
/// Each transcript is read once for its fingerprint. Later ones are compared with the fingerprints alone, and only transcripts
/// that share something are read again.
struct FingerprintTranscripts {
    let library: Repositories
    let store: any PassageStore
    private var list: FingerprintedLibrary

    /// The newest transcripts of a podcast, and of a network, that are compared: campaigns do not last for ever.
    private static let maxOfPodcast = 64
    private static let maxOfNetwork = 512
    /// Podcasts whose transcripts came from elsewhere, from another machine or before there were fingerprints, that one run
    /// reads. The next one goes on.
    private static let maxOthers = 32

    init(_ library: Repositories, _ store: any PassageStore) throws {
        (self.library, self.store) = (library, store)
        list = try store.list()
    }

    /// Makes what is missing, first for the podcasts whose transcripts changed.
    ///
    /// - Returns: the transcripts that are new, with their fingerprints.
    mutating func update(_ changed: Set<PodcastID>) async throws -> [FingerprintedTranscript] {
        let outdated = try await findOutdated()
        let others = outdated.podcasts.subtracting(changed).sorted()
        let read = changed.sorted() + others.prefix(Self.maxOthers)
        var new: [FingerprintedTranscript] = []
        try await library.podcasts.forEach(of: read, by: \.self) { _, podcast in
            guard let podcast, !Task.isCancelled else { return }
            new += try await update(podcast)
        }
        if others.count <= Self.maxOthers, !Task.isCancelled { list.revision = outdated.revision }
        try store.store(list)
        return new
    }

    /// The podcasts whose transcripts are not those of their fingerprints.
    ///
    /// After the first time, only the library's changes are read: it may have millions of podcasts.
    private mutating func findOutdated() async throws -> (podcasts: Set<PodcastID>, revision: Int) {
        // Read first, so that the next run sees later changes.
        let revision = try await library.podcasts.revision()
        var outdated: Set<PodcastID> = []
        guard let last = list.revision, let changes = try await library.podcasts.changes(since: last) else {
            var unsubscribed = Set(list.podcasts.keys)
            try await library.podcasts.forEach { podcast in
                unsubscribed.remove(podcast.id)
                if isOutdated(podcast) { outdated.insert(podcast.id) }
                return true
            }
            try unsubscribed.forEach { try forget($0) }
            return (outdated, revision)
        }
        for id in changes.removed where list.podcasts[id] != nil { try forget(id) }
        try await library.podcasts.forEach(of: changes.changed.keys.sorted(), by: \.self) { id, podcast in
            if let podcast, isOutdated(podcast) { outdated.insert(id) }
        }
        return (outdated, changes.revision)
    }

    private func isOutdated(_ podcast: Podcast) -> Bool {
        list.podcasts[podcast.id]?.revision ?? 0 != podcast.transcripts.revision
    }

    private mutating func forget(_ podcast: PodcastID) throws {
        list.podcasts[podcast] = nil
        try store.remove(podcast)
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
            if let fingerprint = stored[episode.id], fingerprint.version == version {
                all.append(fingerprint)
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
        list.podcasts[podcast.id] = FingerprintedPodcast(
            revision: podcast.transcripts.revision, networks: PodcastNetwork.names(of: podcast, channel))
        return new
    }

    /// Notes that transcripts were stored with other marks and the same words.
    mutating func marked(_ stored: [Podcast]) throws {
        for podcast in stored { list.podcasts[podcast.id]?.revision = podcast.transcripts.revision }
        try store.store(list)
    }

    /// The transcripts of a podcast and the newest of its network.
    func transcripts(near podcast: PodcastID) throws -> [FingerprintedTranscript] {
        let networks = list.podcasts[podcast]?.networks ?? []
        var network: [FingerprintedTranscript] = []
        for (id, other) in list.podcasts where id != podcast && !other.networks.isDisjoint(with: networks) {
            network += try store.fingerprints(of: id)
            if network.count > 2 * Self.maxOfNetwork { network = Self.newest(network) }
        }
        return try store.fingerprints(of: podcast) + Self.newest(network)
    }

    private static func newest(_ transcripts: [FingerprintedTranscript]) -> [FingerprintedTranscript] {
        Array(transcripts.sorted { ($1.publishedAt, $0.episode) < ($0.publishedAt, $1.episode) }.prefix(maxOfNetwork))
    }
}

extension [FingerprintedTranscript] {
    /// The transcripts that share most with these.
    func others(like transcripts: ArraySlice<FingerprintedTranscript>, limit: Int) -> [EpisodeID] {
        let shared = SharedPassages(transcripts.map(\.fingerprint))
        let own = Set(transcripts.map(\.episode))
        return filter { !own.contains($0.episode) }
            .compactMap { other in shared.shared(with: other.fingerprint).map { (other, $0) } }
            .sorted { ($1.1, $1.0.publishedAt, $0.0.episode) < ($0.1, $0.0.publishedAt, $1.0.episode) }
            .prefix(limit).map(\.0.episode)
    }
}

extension TranscriptSource {
    /// Differs if the words do. Marks of advertising leave it as it is.
    fileprivate var version: UInt64 {
        XXH64.hash("\(at.seconds) \(segments) \(bodyHash ?? 0) \(making?.program ?? "")".utf8)
    }
}
