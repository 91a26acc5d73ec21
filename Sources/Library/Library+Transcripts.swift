public import Domain

extension Library: TranscriptRepository {
    public func known(of podcast: PodcastID) throws -> KnownTranscripts { try transcriptFiles.known(of: podcast) }

    public func segments(of episodes: [EpisodeID]) throws -> [EpisodeID: [TranscriptSegment]] {
        try transcriptFiles.segments(of: episodes)
    }

    /// - Throws: `LibraryFailure.damaged` for a transcript that is not what was written.
    public func transcript(of episode: EpisodeID) throws -> StoredTranscript? {
        try transcriptFiles.stored(.transcript, of: episode)
    }

    /// - Throws: `LibraryFailure.damaged` for chapters that are not what was written.
    public func chapters(of episode: EpisodeID) throws -> StoredTranscript? {
        try transcriptFiles.stored(.chapters, of: episode)
    }

    /// The record counts the write before it happens, so that the index asks again after one that was cut short, and once
    /// more after it, for an index that looked in between.
    public func settle(_ settlements: [TranscriptSettlement]) async throws -> [WriteResult] {
        guard !settlements.isEmpty else { return [] }
        return try await write {
            var counted: [Podcast] = []
            for settlement in settlements {
                var podcast = settlement.podcast
                if !settlement.segments.isEmpty {
                    let list = try transcriptFiles.known(of: podcast.id).revision
                    podcast.transcripts.revision = max(podcast.transcripts.revision, list) + 1
                }
                counted.append(podcast)
            }
            let results = try store(counted.map { Settlement($0) })
            var written: [TranscriptSettlement] = []
            for (settlement, result) in zip(settlements, results) {
                guard case .stored(let podcast) = result else { continue }
                var settlement = settlement
                settlement.podcast = podcast
                written.append(settlement)
            }
            guard !written.isEmpty else { return results }
            try transcriptFiles.write(written)
            let noted = try store(
                written.map { settlement in
                    var podcast = settlement.podcast
                    podcast.transcripts.written = podcast.transcripts.revision
                    return Settlement(podcast)
                })
            var remaining = noted[...]
            return results.map { $0.stored == nil ? $0 : remaining.popFirst() ?? $0 }
        }
    }
}
