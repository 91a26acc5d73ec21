import Domain

/// The steps that can be undone.
actor UndoStore: UndoRepository, FolderStore {
    let writer: LibraryWriter
    private let files: UndoFiles
    private let records: PodcastRecords
    private let podcastWriter: PodcastWriter
    private let tags: TagStore
    private let queue: QueueStore
    private let positions: PositionStore
    private let bookmarks: BookmarkStore

    nonisolated var unownedExecutor: UnownedSerialExecutor { writer.unownedExecutor }

    init(
        _ writer: LibraryWriter, _ records: PodcastRecords, _ podcastWriter: PodcastWriter, _ tags: TagStore,
        _ queue: QueueStore, _ positions: PositionStore, _ bookmarks: BookmarkStore
    ) {
        self.writer = writer
        files = UndoFiles(disk: writer.disk)
        self.records = records
        self.podcastWriter = podcastWriter
        self.tags = tags
        self.queue = queue
        self.positions = positions
        self.bookmarks = bookmarks
    }

    func record(_ step: UndoStep, keepingRedo: Bool) async throws {
        guard !step.isEmpty else { return }
        try await write { store in
            let recording = UndoRecording(step, among: try store.files.all(), keepingRedo: keepingRedo)
            try store.files.record(recording)
            try store.files.remove(recording.displaced)
        }
    }

    /// A damaged step ends the list; only if it is the last one, that is an error.
    func steps() throws -> [NumberedStep] {
        var steps: [NumberedStep] = []
        for number in try files.numbers().reversed() {
            do {
                steps.append(NumberedStep(number: number, step: try files.step(number)))
            } catch LibraryFailure.damaged where !steps.isEmpty {
                break
            }
        }
        return steps
    }

    func restore(_ removed: [Podcast], of number: Int) async throws -> [Podcast] {
        try await write { try $0.putBack(removed, of: number) }
    }

    /// Files before records, as always. Requires a batch.
    private func putBack(_ removed: [Podcast], of number: Int) throws -> [Podcast] {
        let podcasts = try records.assumeIsolated { records in
            let table = try records.table()
            return removed.filter { table[$0.id] == nil }.map { podcast in
                var podcast = podcast
                // A refresh that still holds the record from before loses the compare-and-set and decides again.
                podcast.revision += 1
                if podcast.episodesRevision > 0 { podcast.contentRevision = table.contentRevision + 1 }
                return podcast
            }
        }
        guard !podcasts.isEmpty else { return [] }
        for podcast in podcasts { try files.putBack(podcast.id, number) }
        try podcastWriter.add(podcasts)
        return podcasts
    }

    func changeOwned<Result: Sendable>(
        of episodes: [EpisodeID], settling number: Int?,
        _ change: @Sendable (inout OwnedState) throws -> (result: Result, step: UndoStep?)
    ) async throws -> Result {
        try await write { store in
            let before = try store.owned(episodes)
            var state = before
            let (result, step) = try change(&state)
            try store.store(
                try OwnedBatch(from: before, to: state, step, settling: number) { try store.files.all() })
            return result
        }
    }

    private func owned(_ episodes: [EpisodeID]) throws -> OwnedState {
        let (own, waiting) = try tags.assumeIsolated { (try $0.tags(of: episodes), try $0.waitingTags()) }
        return OwnedState(
            tags: own, waiting: waiting, queue: try queue.assumeIsolated { try $0.entries() },
            positions: try positions.assumeIsolated { try $0.positions(of: episodes) },
            bookmarks: try bookmarks.assumeIsolated { try $0.bookmarks() })
    }

    /// Requires a batch.
    private func store(_ batch: OwnedBatch) throws {
        if let recording = batch.recording { try files.record(recording) }
        try tags.assumeIsolated { try $0.commit(batch.tags) }
        if let entries = batch.queue { try queue.assumeIsolated { try $0.change { $0 = entries } } }
        if let all = batch.bookmarks { try bookmarks.assumeIsolated { try $0.change { $0 = all } } }
        try positions.assumeIsolated { try $0.commit(batch.positions) }
        try files.remove(batch.dropped)
    }
}
