public import Domain
import JSON
import Records

extension Database: UndoRepository {
    public func record(_ step: UndoStep, keepingRedo: Bool) async throws {
        guard !step.isEmpty else { return }
        let dropped = try await changeOwner(reading: [Call(.undoSteps, .owner)]) { rows in
            let (calls, dropped) = try Self.recording(step, rows[0], keepingRedo: keepingRedo)
            return (calls, dropped)
        }
        try await forget(dropped)
    }

    public func steps() async throws -> [NumberedStep] {
        try await undoSteps().map { NumberedStep(number: Int($0.number), step: $0.step) }
    }

    /// One transaction changes tags, queue, positions and steps.
    public func changeOwned<Result: Sendable>(
        of episodes: [EpisodeID], settling number: Int?,
        _ change: @Sendable (inout OwnedState) throws -> (result: Result, step: UndoStep?)
    ) async throws -> Result {
        let reading = [
            Self.readTags(episodes), Document.waiting.read, Document.queue.read, Document.positions.read,
            Call(.undoSteps, .owner),
        ]
        let (result, dropped) = try await changeOwner(reading: reading) { rows in
            let own = Self.tagRows(rows[0])
            let before = OwnedState(
                tags: own.compactMapValues { $0.tags.isEmpty ? nil : $0.tags }, waiting: try Self.waiting(rows[1]),
                queue: try Self.queue(rows[2]), positions: try Self.positions(rows[3]))
            var state = before
            let (result, step) = try change(&state)
            var calls = Self.calls(state.tagChanges(since: before), own, before.waiting).calls
            if state.queue != before.queue { calls.append(Self.write(state.queue)) }
            if state.positions != before.positions { calls.append(Self.write(state.positions)) }
            var dropped: [UndoStep] = []
            if let step {
                let recording = try Self.recording(step, rows[4], keepingRedo: number != nil)
                calls += recording.calls
                dropped = recording.dropped
            }
            if let number, let settled = try Self.steps(rows[4]).first(where: { $0.number == Int64(number) }) {
                calls.append(Call(.dropUndoSteps, .owner, .ints([settled.number])))
                dropped.append(settled.step)
            }
            return (calls, (result, dropped))
        }
        try await forget(dropped)
        return result
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
    static func recording(_ step: UndoStep, _ rows: Rows, keepingRedo: Bool) throws -> (calls: [Call], dropped: [UndoStep]) {
        guard !step.isEmpty else { return ([], []) }
        let steps = try steps(rows)
        let old = steps.enumerated().filter { index, earlier in
            index >= UndoStep.limit - 1 || earlier.step.mark.at < step.mark.at + -UndoStep.lifetime
                || !keepingRedo && earlier.step.isRedo
        }.map(\.element)
        let body = JSONRow.bytes { UndoRecord.write(step, to: &$0) }
        var calls = [Call(.putUndoStep, .owner, .int((steps.first?.number ?? 0) + 1), .time(step.mark.at), .bytes(body))]
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

    public func restore(_ removed: [Podcast], of number: Int) async throws -> [Podcast] {
        let taken = Set(try await podcasts(removed.map(\.id)).map(\.id))
        let urls = Set(try await podcasts(at: removed.map(\.feedURL)).map(\.feedURL))
        let podcasts = removed.filter { !taken.contains($0.id) && !urls.contains($0.feedURL) }
        guard !podcasts.isEmpty else { return [] }
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
        return podcasts
    }
}
