public import Domain

extension Library: UndoRepository {
    var undoFiles: UndoFiles { UndoFiles(disk: disk) }

    public func record(_ step: UndoStep) async throws { try await write { try undoFiles.record(step) } }

    public func undo(now: Timestamp) async throws -> UndoStep? {
        try await write {
            for number in try undoFiles.numbers().reversed() {
                let step = try undoFiles.step(number)
                guard step.at >= now + -UndoStep.lifetime else { return nil }
                // An undo that was killed and runs again applies no part twice: each part detects its own result. Tags
                // and queue entries of podcasts that do not exist are invisible, so everything comes back at the moment
                // when the records do.
                let isAlone = step.removed.isEmpty
                let parts = [
                    try putBack(step.queue), try revert(step.tags, settling: isAlone), try restore(step.removed, number),
                    try revert(step.edited), try !isAlone && revert(step.tags, settling: true),
                ]
                try undoFiles.remove(number)
                if parts.contains(true) { return step }
            }
            return nil
        }
    }

    /// Restores removed podcasts: files before records, as always. A podcast that was subscribed to again stays
    /// unchanged.
    private func restore(_ removed: [Podcast], _ number: Int) throws -> Bool {
        let table = try self.table()
        var podcasts: [Podcast] = []
        for var podcast in removed where table[podcast.id] == nil && table.podcasts(at: [podcast.feedURL]).isEmpty {
            try undoFiles.putBack(podcast.id, number)
            // A refresh that still holds the record from before loses the compare-and-set and decides again.
            podcast.revision += 1
            if podcast.episodesRevision > 0 { podcast.contentRevision = table.contentRevision + 1 }
            podcasts.append(podcast)
        }
        guard !podcasts.isEmpty else { return false }
        try change { table in
            try table.addSecrets(of: podcasts, disk)
            try table.save(podcasts, disk)
        }
        for podcast in podcasts { try episodeFiles.restore(podcast.id) }
        return true
    }

    private func revert(_ edits: [EditedPodcast]) throws -> Bool {
        let table = try self.table()
        let settlements = edits.compactMap { edit -> Settlement? in
            guard let podcast = table[edit.id] else { return nil }
            let isTaken = table.podcasts(at: [edit.before.feedURL]).contains { $0.id != edit.id }
            let reverted = edit.reverted(podcast, isTaken: isTaken)
            return reverted == podcast ? nil : Settlement(reverted)
        }
        if !settlements.isEmpty { _ = try store(settlements) }
        return !settlements.isEmpty
    }

    /// - Parameter settling: false leaves the waiting lines as they are.
    private func revert(_ reversal: TagReversal, settling: Bool) throws -> Bool {
        guard !reversal.isEmpty else { return false }
        let table = try tagTable()
        var changes = reversal.reverting(tags: { table.tags[$0] ?? [] }, waiting: table.waiting)
        if !settling { changes.settled = [] }
        try applyTags(changes)
        return !changes.isEmpty
    }

    private func putBack(_ places: [FormerQueueEntry]) throws -> Bool {
        guard !places.isEmpty else { return false }
        return try changeQueue { entries in
            let before = entries
            FormerQueueEntry.putBack(places, into: &entries)
            return entries != before
        }
    }
}
