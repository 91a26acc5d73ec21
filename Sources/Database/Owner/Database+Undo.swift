public import Domain
import JSON
import Records

extension Database: UndoRepository {
    public func record(_ step: UndoStep, keepingRedo: Bool) async throws {
        guard !step.isEmpty else { return }
        let dropped = try await changeOwner(reading: [Call(.undoSteps, .owner)]) { rows in
            let steps = try Self.steps(rows[0])
            let recording = UndoRecording(step, among: steps.map { ($0.number, $0.step) }, keepingRedo: keepingRedo)
            return ([Self.write(recording)] + Self.drop(recording.displaced), Self.steps(recording.displaced, among: steps))
        }
        try await forget(dropped)
    }

    public func steps() async throws -> [NumberedStep] {
        try Self.steps(try await session.read([Transaction([Call(.undoSteps, .owner)])])[0])
    }

    /// One transaction changes tags, queue, positions, bookmarks and steps.
    public func changeOwned<Result: Sendable>(
        of episodes: [EpisodeID], settling number: Int?,
        _ change: @Sendable (inout OwnedState) throws -> (result: Result, step: UndoStep?)
    ) async throws -> Result {
        let reading = [
            Self.readTags(episodes), Document.waiting.read, Document.queue.read, Document.positions.read,
            Document.bookmarks.read, Call(.undoSteps, .owner),
        ]
        let (result, dropped) = try await changeOwner(reading: reading) { rows in
            let own = Self.tagRows(rows[0])
            let before = OwnedState(
                tags: own.compactMapValues { $0.tags.isEmpty ? nil : $0.tags }, waiting: try Self.waiting(rows[1]),
                queue: try Self.queue(rows[2]), positions: try Self.positions(rows[3]),
                bookmarks: try Self.bookmarks(rows[4]))
            var state = before
            let (result, step) = try change(&state)
            let steps = try Self.steps(rows[5])
            let batch = OwnedBatch(from: before, to: state, step, settling: number) { steps.map { ($0.number, $0.step) } }
            var calls = [batch.recording.map(Self.write)].compactMap { $0 }
            calls += Self.calls(batch.tags, own, before.waiting).calls
            if let queue = batch.queue { calls.append(Self.write(queue)) }
            if let positions = batch.positions { calls.append(Self.write(positions)) }
            if let bookmarks = batch.bookmarks { calls.append(Self.write(bookmarks)) }
            return (calls + Self.drop(batch.dropped), (result, Self.steps(batch.dropped, among: steps)))
        }
        try await forget(dropped)
        return result
    }

    // MARK: Steps

    /// Newest first.
    private static func steps(_ rows: Rows) throws -> [NumberedStep] {
        try rows.map { row in
            var record = UndoRecord()
            try JSONRow.read(row.bytes("body") ?? [], "undo", of: "\(row.int("number"))") { json in
                try json.object { json, key in try record.read(key, from: &json) }
            }
            return NumberedStep(
                number: row.int("number"), step: record.step ?? UndoStep(.tag, at: row.time("at") ?? Timestamp(seconds: 0)))
        }
    }

    private static func steps(_ numbers: [Int], among steps: [NumberedStep]) -> [UndoStep] {
        steps.filter { numbers.contains($0.number) }.map(\.step)
    }

    private static func write(_ recording: UndoRecording) -> Call {
        let body = JSONRow.bytes { UndoRecord.write(recording.step, to: &$0) }
        return Call(.putUndoStep, .owner, .int(recording.number), .time(recording.step.mark.at), .bytes(body))
    }

    private static func drop(_ numbers: [Int]) -> [Call] {
        numbers.isEmpty ? [] : [Call(.dropUndoSteps, .owner, .ints(numbers.map { Int64($0) }))]
    }

    /// Deletes the contents of podcasts that no step can restore any more.
    func forget(_ steps: [UndoStep]) async throws {
        let gone = Set(steps.flatMap { $0.removed.map(\.id) })
        guard !gone.isEmpty else { return }
        let remembered = Set(try await self.steps().flatMap { $0.step.removed.map(\.id) })
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
