public import Domain
import JSON
import Records

extension Database: UndoRepository {
    public func record(_ step: UndoStep) async throws {
        guard !step.isEmpty else { return }
        let dropped = try await changeOwner(reading: [Call(.undoSteps, .owner)]) { rows in
            let (calls, dropped) = try Self.recording(step, rows[0])
            return (calls, dropped)
        }
        try await forget(dropped)
    }

    public func undo(now: Timestamp) async throws -> UndoStep? {
        for (number, step) in try await undoSteps() {
            guard step.at >= now + -UndoStep.lifetime else { return nil }
            // An undo that was killed and runs again applies no part twice: each part detects its own result.
            let parts = [
                try await restore(step.removed), try await revert(step.edited), try await revert(step.tags),
                try await putBack(step.queue),
            ]
            try await changeOwner(reading: []) { _ in ([Call(.dropUndoSteps, .owner, .ints([number]))], ()) }
            try await forget([step])
            if parts.contains(true) { return step }
        }
        return nil
    }

    // MARK: Steps

    /// All steps, newest first.
    func undoSteps() async throws -> [(number: Int64, step: UndoStep)] {
        try Self.steps(try await session.read([Transaction([Call(.undoSteps, .owner)])])[0])
    }

    private static func steps(_ rows: Rows) throws -> [(number: Int64, step: UndoStep)] {
        try rows.map { row in
            var record = UndoRecord()
            try JSONRow.read(row.bytes(2) ?? [], "undo", of: "\(row.int(0))") { json in
                try json.object { json, key in try record.read(key, from: &json) }
            }
            return (row.number(0) ?? 0, record.step ?? UndoStep(.tag, at: row.time(1) ?? Timestamp(seconds: 0)))
        }
    }

    /// The calls that record a step, and the older steps that are dropped for it.
    static func recording(_ step: UndoStep, _ rows: Rows) throws -> (calls: [Call], dropped: [UndoStep]) {
        guard !step.isEmpty else { return ([], []) }
        let steps = try steps(rows)
        let old = steps.enumerated().filter { index, earlier in
            index >= UndoStep.limit - 1 || earlier.step.at < step.at + -UndoStep.lifetime
        }.map(\.element)
        let body = JSONRow.bytes { UndoRecord.write(step, to: &$0) }
        var calls = [Call(.putUndoStep, .owner, .int((steps.first?.number ?? 0) + 1), .time(step.at), .bytes(body))]
        if !old.isEmpty { calls.append(Call(.dropUndoSteps, .owner, .ints(old.map(\.number)))) }
        return (calls, old.map(\.step))
    }

    /// Deletes the contents of podcasts that no step can restore any more.
    func forget(_ steps: [UndoStep]) async throws {
        let gone = Set(steps.flatMap { $0.removed.map(\.id) })
        guard !gone.isEmpty else { return }
        let remembered = Set(try await undoSteps().flatMap { $0.step.removed.map(\.id) })
        let transactions = Dictionary(grouping: gone.subtracting(remembered), by: Shard.init).map { shard, ids in
            Transaction(Statement.calls(Statement.deleteHiddenContents, of: ids, in: shard))
        }
        for reply in try await session.run(transactions) { _ = try reply.orFailure() }
    }

    // MARK: Taking back

    /// Restores removed podcasts. One that was subscribed to again stays unchanged.
    private func restore(_ removed: [Podcast]) async throws -> Bool {
        let taken = Set(try await podcasts(removed.map(\.id)).map(\.id))
        let urls = Set(try await podcasts(at: removed.map(\.feedURL)).map(\.feedURL))
        let podcasts = removed.filter { !taken.contains($0.id) && !urls.contains($0.feedURL) }
        guard !podcasts.isEmpty else { return false }
        let bundles = try await bundles(of: podcasts, unlessAt: [:])
        let commit = Int64.random(in: 1 ... .max)
        let transactions = podcasts.map { podcast in
            let (shard, id) = (Shard(podcast.id), Parameter.text(podcast.id.text))
            var podcast = podcast
            // A refresh that still holds the record from before loses the compare-and-set and decides again.
            podcast.revision += 1
            return Transaction(
                [
                    Call(.advance, shard), added(podcast, in: shard, bundle: bundles[podcast.id] ?? 0, commit),
                    Call(.setChannelStates, shard, .texts([podcast.id.text]), .int(0)), Call(.dropRemoval, shard, id),
                ])
        }
        for reply in try await session.run(transactions) { _ = try reply.orFailure() }
        try await touch(podcasts)
        return true
    }

    private func revert(_ edits: [EditedPodcast]) async throws -> Bool {
        var reverted: [Podcast] = []
        for edit in edits {
            guard let podcast = try await podcast(edit.id) else { continue }
            let isTaken = try await podcasts(at: [edit.before.feedURL]).contains { $0.id != edit.id }
            let earlier = edit.reverted(podcast, isTaken: isTaken)
            if earlier != podcast { reverted.append(earlier) }
        }
        _ = try await update(reverted)
        return !reverted.isEmpty
    }

    private func revert(_ reversal: TagReversal) async throws -> Bool {
        guard !reversal.isEmpty else { return false }
        var isChanged = false
        let episodes = reversal.changes.values.flatMap { $0 }
        _ = try await changeTags(of: episodes, undoableAt: nil) { own, waiting in
            let changes = reversal.reverting(tags: { own[$0]?.tags ?? [] }, waiting: waiting)
            isChanged = !changes.isEmpty
            return changes
        }
        return isChanged
    }

    private func putBack(_ places: [FormerQueueEntry]) async throws -> Bool {
        guard !places.isEmpty else { return false }
        return try await update { entries in
            let before = entries
            FormerQueueEntry.putBack(places, into: &entries)
            return entries != before
        }
    }
}
