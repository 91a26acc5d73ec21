import Domain
import JSON
import Records

/// The steps that can be undone.
struct UndoStore: UndoRepository {
    let owner: OwnerWriter
    let podcasts: PodcastStore

    func record(_ step: UndoStep, keepingRedo: Bool) async throws {
        guard !step.isEmpty else { return }
        let dropped = try await owner.write(reading: [Call(.undoSteps, .owner)]) { rows in
            let steps = try Self.steps(rows[0])
            let recording = UndoRecording(step, among: steps.map { ($0.number, $0.step) }, keepingRedo: keepingRedo)
            return (
                [Self.write(recording)] + Self.drop(recording.displaced), steps.filter { recording.displaced.contains($0.number) }
            )
        }
        try await forget(dropped)
    }

    func steps() async throws -> [NumberedStep] {
        try Self.steps(try await owner.read(Call(.undoSteps, .owner)))
    }

    /// One transaction changes tags, queue, positions, bookmarks and steps.
    func changeOwned<Result: Sendable>(
        of episodes: [EpisodeID], settling number: Int?,
        _ change: @Sendable (inout OwnedState) throws -> (result: Result, step: UndoStep?)
    ) async throws -> Result {
        let reading = [
            TagStore.readTags(episodes), OwnerDocument.waiting.read, OwnerDocument.queue.read, PositionStore.read(episodes),
            OwnerDocument.bookmarks.read, Call(.undoSteps, .owner),
        ]
        let (result, dropped) = try await owner.write(reading: reading) { rows in
            let own = TagStore.tagRows(rows[0])
            let before = OwnedState(
                tags: own.compactMapValues { $0.tags.isEmpty ? nil : $0.tags }, waiting: try TagStore.waiting(rows[1]),
                queue: try QueueStore.queue(rows[2]), positions: try PositionStore.positions(rows[3]),
                bookmarks: try BookmarkStore.bookmarks(rows[4]))
            var state = before
            let (result, step) = try change(&state)
            let steps = try Self.steps(rows[5])
            let batch = OwnedBatch(from: before, to: state, step, settling: number) { steps.map { ($0.number, $0.step) } }
            var calls = [batch.recording.map(Self.write)].compactMap { $0 }
            calls += TagStore.calls(batch.tags, own, before.waiting).calls
            if let queue = batch.queue { calls.append(QueueStore.write(queue)) }
            calls += PositionStore.write(batch.positions)
            if let bookmarks = batch.bookmarks { calls.append(BookmarkStore.write(bookmarks)) }
            return (calls + Self.drop(batch.dropped), (result, steps.filter { batch.dropped.contains($0.number) }))
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

    private static func write(_ recording: UndoRecording) -> Call {
        let body = JSONRow.bytes { UndoRecord.write(recording.step, to: &$0) }
        return Call(.putUndoStep, .owner, .int(recording.number), .time(recording.step.mark.at), .bytes(body))
    }

    private static func drop(_ numbers: [Int]) -> [Call] {
        numbers.isEmpty ? [] : [Call(.dropUndoSteps, .owner, .ints(numbers.map { Int64($0) }))]
    }

    /// The newest step that remembers the removal of each podcast.
    static func rememberingSteps(_ owner: OwnerWriter) async throws -> [PodcastID: Int] {
        let steps = try steps(try await owner.read(Call(.undoSteps, .owner)))
        return Dictionary(steps.flatMap { step in step.step.removed.map { ($0.id, step.number) } }, uniquingKeysWith: max)
    }

    /// Deletes what the steps kept.
    private func forget(_ steps: [NumberedStep]) async throws {
        let transactions = steps.flatMap { step in
            step.step.removed.map { podcast in
                Transaction(Statement.deleteContents(of: podcast.id.contents(of: step.number), in: Shard(podcast.id)))
            }
        }
        for reply in try await owner.session.run(transactions) { _ = try reply.orFailure() }
    }

    // MARK: Taking back

    func restore(_ removed: [Podcast], of number: Int) async throws -> [Podcast] {
        try await podcasts.putBack(removed, of: number)
    }
}
