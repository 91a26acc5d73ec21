import Domain

/// Marks passages that several episodes of a podcast have nearly word for word, in their stored transcripts.
struct MarkAdvertising {
    let library: Repositories
    let index: (any SearchIndex)?

    /// The newest transcripts that are compared: campaigns do not last for ever.
    private static let maxCompared = RepeatedPassages.maxEpisodes

    /// Transcripts whose marks change are stored again. A damaged transcript is left out.
    ///
    /// - Parameter podcast: as stored.
    func callAsFunction(_ podcast: Podcast) async throws {
        let entries = try await library.transcripts.entries(of: podcast.id).entries.filter { $0.value.stored != nil }
        guard entries.count >= RepeatedPassages.minEpisodes else { return }
        let compared = try await OrderEpisodes(library)(
            try await library.episodes.episodes(Array(entries.keys)).map { ListedEpisode(podcast: podcast, episode: $0) }
        ).prefix(Self.maxCompared).map(\.episode)
        var passages = RepeatedPassages()
        // Read twice, so that one transcript is in memory at a time.
        for episode in compared { passages.add(try await spoken(episode.id)) }
        var settlement = TranscriptSettlement(podcast)
        for (number, episode) in compared.enumerated() {
            var segments = try await spoken(episode.id)
            let marks = passages.marks(of: segments, number: number)
            guard zip(segments, marks).contains(where: { $0.isAd != $1 }), let entry = entries[episode.id] else { continue }
            for line in segments.indices { segments[line].isAd = marks[line] }
            settlement.segments[episode.id] = segments
            settlement.entries.append(entry)
        }
        guard !settlement.entries.isEmpty else { return }
        let changed = compared.filter { settlement.segments[$0.id] != nil }
        let stored = try await library.transcripts.settleAgain([settlement])
        guard let index else { return }
        let channel = try await library.episodes.channel(of: podcast.id) ?? Channel()
        try await index.apply(stored, [podcast.id: changed], library.transcripts) { _ in channel }
    }

    private func spoken(_ episode: EpisodeID) async throws -> [TranscriptSegment] {
        (try? await library.transcripts.transcript(of: episode))?.segments ?? []
    }
}
