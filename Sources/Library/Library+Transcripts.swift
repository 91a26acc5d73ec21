public import Domain

extension Library: TranscriptRepository {
    public func entries(of podcast: PodcastID) throws -> TranscriptEntries { try transcriptFiles.entries(of: podcast) }

    public func transcribed(of podcast: PodcastID) throws -> Set<EpisodeID> { try transcriptFiles.transcribed(of: podcast) }

    public func segments(of episodes: [EpisodeID]) throws -> [EpisodeID: [TranscriptSegment]] {
        try transcriptFiles.segments(of: episodes)
    }

    /// - Throws: `LibraryFailure.damaged` if the stored transcript does not match its checksums.
    public func transcript(of episode: EpisodeID) throws -> StoredTranscript? {
        try transcriptFiles.stored(.transcript, of: episode)
    }

    /// - Throws: `LibraryFailure.damaged` if the stored chapters do not match their checksums.
    public func chapters(of episode: EpisodeID) throws -> StoredTranscript? {
        try transcriptFiles.stored(.chapters, of: episode)
    }

    /// The record's revision grows before the files are written, so that the index reads them again after an
    /// interrupted write. The record is stored once more after the write, for an index that read the files in between.
    public func settle(_ settlements: [TranscriptSettlement]) async throws -> [WriteResult] {
        guard !settlements.isEmpty else { return [] }
        return try await write { try $0.store(settlements) }
    }

    /// Requires a batch.
    private func store(_ settlements: [TranscriptSettlement]) throws -> [WriteResult] {
        var counted: [Podcast] = []
        for settlement in settlements {
            var podcast = settlement.podcast
            if !settlement.segments.isEmpty {
                let list = try transcriptFiles.entries(of: podcast.id).revision
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
