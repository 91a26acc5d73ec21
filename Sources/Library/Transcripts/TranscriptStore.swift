import Domain

/// The transcripts and chapters of episodes.
actor TranscriptStore: TranscriptRepository, FolderStore {
    let writer: LibraryWriter
    private let records: PodcastRecords
    private let files: TranscriptFiles

    nonisolated var unownedExecutor: UnownedSerialExecutor { writer.unownedExecutor }

    init(_ writer: LibraryWriter, _ records: PodcastRecords) {
        self.writer = writer
        self.records = records
        files = TranscriptFiles(disk: writer.disk)
    }

    func entries(of podcast: PodcastID) throws -> TranscriptEntries { try files.entries(of: podcast) }

    func transcribed(of podcast: PodcastID) throws -> Set<EpisodeID> { try files.transcribed(of: podcast) }

    func segments(of episodes: [EpisodeID]) throws -> [EpisodeID: [TranscriptSegment]] {
        try files.segments(of: episodes)
    }

    /// - Throws: `LibraryFailure.damaged` if the stored transcript does not match its checksums.
    func transcript(of episode: EpisodeID) throws -> StoredTranscript? {
        try files.stored(.transcript, of: episode)
    }

    /// - Throws: `LibraryFailure.damaged` if the stored chapters do not match their checksums.
    func chapters(of episode: EpisodeID) throws -> StoredTranscript? {
        try files.stored(.chapters, of: episode)
    }

    func claim(_ episode: EpisodeID, by holder: UInt64) throws -> (any TranscriptionClaim)? {
        try EpisodeLock.take(episode, in: writer.disk)
    }

    /// The record's revision grows before the files are written, so that the index reads them again after an
    /// interrupted write. The record is stored once more after the write, for an index that read the files in between.
    func settle(_ settlements: [TranscriptSettlement]) async throws -> [WriteResult] {
        guard !settlements.isEmpty else { return [] }
        return try await write { try $0.store(settlements) }
    }

    /// Requires a batch.
    private func store(_ settlements: [TranscriptSettlement]) throws -> [WriteResult] {
        var counted: [Podcast] = []
        for settlement in settlements {
            var podcast = settlement.podcast
            if !settlement.segments.isEmpty {
                let list = try files.entries(of: podcast.id).revision
                podcast.transcripts.revision = max(podcast.transcripts.revision, list) + 1
            }
            counted.append(podcast)
        }
        let records = counted
        let results = try self.records.assumeIsolated { try $0.update(records) }
        var written: [TranscriptSettlement] = []
        for (settlement, result) in zip(settlements, results) {
            guard case .stored(let podcast) = result else { continue }
            var settlement = settlement
            settlement.podcast = podcast
            written.append(settlement)
        }
        guard !written.isEmpty else { return results }
        try files.write(written)
        let complete = written.map { settlement in
            var podcast = settlement.podcast
            podcast.transcripts.written = podcast.transcripts.revision
            return podcast
        }
        let noted = try self.records.assumeIsolated { try $0.update(complete) }
        var remaining = noted[...]
        return results.map { $0.stored == nil ? $0 : remaining.popFirst() ?? $0 }
    }

    /// Requires a batch.
    func remove(_ podcasts: [PodcastID]) throws { try files.remove(podcasts) }
}
