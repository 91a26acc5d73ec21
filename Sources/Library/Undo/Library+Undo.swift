public import Domain

extension Library: UndoRepository {
    var undoFiles: UndoFiles { UndoFiles(disk: disk) }

    public func record(_ step: UndoStep, keepingRedo: Bool) async throws {
        try await write { try $0.undoFiles.record(step, keepingRedo: keepingRedo) }
    }

    /// A damaged step ends the list; only if it is the last one, that is an error.
    public func steps() throws -> [NumberedStep] {
        var steps: [NumberedStep] = []
        for number in try undoFiles.numbers().reversed() {
            do {
                steps.append(NumberedStep(number: number, step: try undoFiles.step(number)))
            } catch LibraryFailure.damaged where !steps.isEmpty {
                break
            }
        }
        return steps
    }

    /// Files before records, as always.
    public func restore(_ removed: [Podcast], of number: Int) async throws -> [Podcast] {
        try await write { try $0.putBack(removed, of: number) }
    }

    /// Requires a batch.
    private func putBack(_ removed: [Podcast], of number: Int) throws -> [Podcast] {
        let table = try self.table()
        var podcasts: [Podcast] = []
        for var podcast in removed where table[podcast.id] == nil && table.podcasts(at: [podcast.feedURL]).isEmpty {
            try undoFiles.putBack(podcast.id, number)
            // A refresh that still holds the record from before loses the compare-and-set and decides again.
            podcast.revision += 1
            if podcast.episodesRevision > 0 { podcast.contentRevision = table.contentRevision + 1 }
            podcasts.append(podcast)
        }
        guard !podcasts.isEmpty else { return [] }
        try change { table in
            try table.addSecrets(of: podcasts, disk)
            try table.save(podcasts, disk)
        }
        for podcast in podcasts { try episodeFiles.restore(podcast.id) }
        return podcasts
    }

    /// The step is durable before the change, and a settled one is removed after it.
    public func changeOwned<Result: Sendable>(
        of episodes: [EpisodeID], settling number: Int?,
        _ change: @Sendable (inout OwnedState) throws -> (result: Result, step: UndoStep?)
    ) async throws -> Result {
        try await write { library in
            let tags = try library.tags.assumeIsolated { try $0.table() }
            let before = OwnedState(
                tags: Dictionary(episodes.compactMap { id in tags.tags[id].map { (id, $0) } }) { first, _ in first },
                waiting: tags.waiting, queue: try library.queue.assumeIsolated { try $0.entries() },
                positions: try library.positions.assumeIsolated { try $0.positions() })
            var state = before
            let (result, step) = try change(&state)
            if let step { try library.undoFiles.record(step, keepingRedo: number != nil) }
            let after = state
            try library.tags.assumeIsolated { try $0.commit(after.tagChanges(since: before)) }
            if after.queue != before.queue { try library.queue.assumeIsolated { try $0.change { $0 = after.queue } } }
            if after.positions != before.positions {
                try library.positions.assumeIsolated { try $0.change { $0 = after.positions } }
            }
            if let number { try library.undoFiles.remove(number) }
            return result
        }
    }
}
