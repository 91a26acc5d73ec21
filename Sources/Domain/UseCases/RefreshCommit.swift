/// Makes a batch of results durable, then hands what changed to the index, which is derived.
///
/// `WorkSource.settle` stores each podcast's episodes and its record, with the validators that vouch for them, together. A
/// record that was edited meanwhile wins: the result is put onto it and settled again, or dropped if it no longer applies.
struct RefreshCommit: Sendable {
    let work: any WorkSource
    let lease: WorkLease
    let transcripts: any TranscriptRepository

    struct Report: Sendable {
        var outcomes: [RefreshOutcome]
        var localFailure: LocalFailure?
        var unindexed = UnindexedChanges()
        /// Memory that the batch held and that is not kept for the index.
        var releasedWeight = 0
    }

    func run(_ batch: [FeedResult]) async -> Report {
        var report = Report(outcomes: [], localFailure: batch.lazy.compactMap(\.localFailure).first)
        var stored: [FeedResult] = []
        do {
            stored = try await store(batch, &report)
        } catch {
            // One bad file must not take the others with it: each on its own tells which.
            for result in batch {
                do {
                    stored += try await store([result], &report)
                } catch {
                    report.localFailure = report.localFailure ?? LocalFailure(error)
                    report.outcomes.append(result.outcome.notStored)
                }
            }
        }
        for result in stored { report.unindexed.add(result, await storedTranscripts(of: result)) }
        report.outcomes += stored.map(\.outcome)
        report.releasedWeight = batch.weight - report.unindexed.weight
        return report
    }

    /// Of episodes that are indexed again. Segments that cannot be read are missing from the index until it is reconciled.
    private func storedTranscripts(of result: FeedResult) async -> [EpisodeID: [TranscriptSegment]] {
        guard let replaced = result.news?.changes.replaced, !replaced.isEmpty else { return [:] }
        return (try? await transcripts.segments(of: replaced.map(\.id))) ?? [:]
    }

    /// - Returns: the results as they were stored; those that no longer apply are reported as skipped.
    private func store(_ batch: [FeedResult], _ report: inout Report) async throws -> [FeedResult] {
        var stored = batch.filter { $0.settlement == nil }
        var dropped: [RefreshOutcome] = []
        var remaining = batch.filter { $0.settlement != nil }
        while !remaining.isEmpty {
            let written = try await work.settle(remaining.compactMap(\.settlement), lease)
            var rebased: [FeedResult] = []
            for (result, written) in zip(remaining, written) {
                switch written {
                case .stored(let podcast):
                    var result = result
                    result.outcome.podcast = podcast
                    stored.append(result)
                case .lost(let current):
                    if let current, result.isStored(as: current) {
                        // The write succeeded, but its confirmation failed.
                        stored.append(result)
                    } else if let again = current.flatMap(result.rebased) {
                        rebased.append(again)
                    } else {
                        dropped.append(RefreshOutcome(skipped: current ?? result.before, until: nil))
                    }
                }
            }
            remaining = rebased
        }
        report.outcomes += dropped
        return stored
    }
}

/// What is durable and not yet in the index.
struct UnindexedChanges: Sendable {
    private var waiting: [(change: IndexChange, weight: Int)] = []

    var isEmpty: Bool { waiting.isEmpty }
    var weight: Int { waiting.reduce(0) { $0 + $1.weight } }

    mutating func add(_ result: FeedResult, _ transcripts: [EpisodeID: [TranscriptSegment]]) {
        if let change = result.indexChange(transcripts) { waiting.append((change, result.weight)) }
    }

    mutating func add(_ other: UnindexedChanges) { waiting += other.waiting }

    /// Some of them: what is indexed leaves the memory before the rest is.
    mutating func takeSome() -> UnindexedChanges {
        var (count, weight) = (0, 0)
        while count < waiting.count, weight < 1 << 20 {
            weight += waiting[count].weight
            count += 1
        }
        var some = UnindexedChanges()
        some.waiting = Array(waiting.prefix(count))
        waiting.removeFirst(count)
        return some
    }

    var changes: [IndexChange] { waiting.map(\.change) }
}

extension FeedResult {
    fileprivate func indexChange(_ transcripts: [EpisodeID: [TranscriptSegment]]) -> IndexChange? {
        guard let news else { return nil }
        let changes = news.changes
        let after = outcome.podcast
        // The podcast's own name is found with each of its episodes; when it changes, ReconcileIndex reads them all.
        let isRenamed = before.episodesRevision > 0 && (before.title != after.title || before.author != after.author)
        if isRenamed { return nil }
        let episodes = changes.replaced.isEmpty ? changes.added : changes.added + changes.replaced
        return .episodes(of: after, after: before.contentRevision, news.channel, episodes, transcripts: transcripts)
    }
}

extension RefreshOutcome {
    /// The same outcome, when the disk refused it.
    fileprivate var notStored: RefreshOutcome {
        var outcome = self
        outcome.kind = .failed
        outcome.failure = FetchFailure(.storage, status: status)
        outcome.added = []
        outcome.changed = 0
        outcome.withdrawn = 0
        return outcome
    }
}
