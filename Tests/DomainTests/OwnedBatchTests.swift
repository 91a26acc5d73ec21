import Domain
import Testing

/// What a step displaces, and what is stored with it.
@Suite struct OwnedBatchTests {
    private let now = Timestamp(seconds: 1_700_000_000)
    private let id = EpisodeID(podcast: PodcastID(feedURL: "https://a.example/f"), identity: "guid:1")

    private func step(age: Int64 = 0, isRedo: Bool = false) -> UndoStep {
        var step = UndoStep(.subscribe, at: now + -age)
        step.added = [id.podcastID]
        step.isRedo = isRedo
        return step
    }

    private func displaced(by step: UndoStep, _ steps: [(number: Int, step: UndoStep?)], keepingRedo: Bool = false) -> Set<Int> {
        Set(UndoRecording(step, among: steps, keepingRedo: keepingRedo).displaced)
    }

    @Test func `steps are numbered on`() {
        #expect(UndoRecording(step(), among: [], keepingRedo: false).number == 1)
        #expect(UndoRecording(step(), among: [(7, step()), (3, step(isRedo: true))], keepingRedo: false).number == 8)
    }

    @Test func `a new command displaces what would be done again`() {
        let steps: [(number: Int, step: UndoStep?)] = [(1, step(isRedo: true)), (2, step()), (3, step(isRedo: true))]
        #expect(displaced(by: step(), steps) == [1, 3])
        #expect(displaced(by: step(), steps, keepingRedo: true) == [])
    }

    @Test func `old steps and those beyond the limit are displaced`() {
        let old = UndoStep.lifetime + 1
        #expect(displaced(by: step(), [(1, step(age: old)), (2, step(age: old - 1)), (3, nil)]) == [1])
        let many: [(number: Int, step: UndoStep?)] = (1...UndoStep.limit).map { ($0, $0 == 1 ? nil : step()) }
        #expect(displaced(by: step(), many) == [1])
        #expect(displaced(by: step(), many.dropLast()) == [])
        #expect(displaced(by: step(), many + [(500, step(isRedo: true))]) == [1, 500])
    }

    @Test func `only what changed is stored, and a settled step goes`() {
        let before = OwnedState(tags: [:], waiting: [], queue: [], positions: [:], bookmarks: [])
        var after = before
        after.queue = [QueueEntry(episodeID: id, addedAt: now)]
        let change = UndoStep(UndoMark(.queueAdd, at: now), from: before, to: after)
        let batch = OwnedBatch(from: before, to: after, change, settling: nil) { [(4, step(isRedo: true))] }
        #expect(batch.recording?.number == 5)
        #expect(batch.tags.isEmpty)
        #expect(batch.queue == after.queue)
        #expect(batch.positions.isEmpty)
        #expect(batch.dropped == [4])
        let settling = OwnedBatch(from: before, to: after, change, settling: 4) { [(4, step(isRedo: true))] }
        #expect(settling.dropped == [4])
        #expect(settling.recording?.displaced == [])
    }

    @Test func `without a step no steps are read`() throws {
        struct Unread: Error {}
        let state = OwnedState(tags: [:], waiting: [], queue: [], positions: [:], bookmarks: [])
        let batch = try OwnedBatch(from: state, to: state, nil, settling: 2) { throw Unread() }
        #expect(batch.recording == nil)
        #expect(batch.dropped == [2])
        let empty = UndoStep(UndoMark(.tag, at: now), from: state, to: state)
        #expect(try OwnedBatch(from: state, to: state, empty, settling: nil) { throw Unread() }.recording == nil)
    }
}
