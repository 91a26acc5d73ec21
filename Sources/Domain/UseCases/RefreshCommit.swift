/// Makes a batch of results durable, in the order that loses nothing:
/// 1. the episodes, 2. the podcasts with the validators that vouch for them. The index, which is derived, comes after.
struct RefreshCommit: Sendable {
    let podcasts: any PodcastRepository
    let episodes: any EpisodeRepository
    let transcripts: any TranscriptRepository

    struct Report: Sendable {
        var outcomes: [RefreshOutcome]
        var localFailure: LocalFailure?
        var unindexed = UnindexedChanges()
        /// What the batch held in memory and is not kept for the index.
        var releasedWeight = 0
    }

    func run(_ batch: [FeedResult]) async -> Report {
        var report = Report(outcomes: [], localFailure: batch.lazy.compactMap(\.localFailure).first)
        var stored: [FeedResult] = []
        do {
            try await store(batch)
            stored = batch
        } catch {
            // One bad file must not take the others with it: each on its own tells which.
            for result in batch {
                do {
                    try await store([result])
                    stored.append(result)
                } catch {
                    report.localFailure = report.localFailure ?? LocalFailure(error)
                    report.outcomes.append(result.outcome.notStored)
                }
            }
        }
        for result in stored { report.unindexed.add(result, await keptTranscripts(of: result)) }
        report.outcomes += stored.map(\.outcome)
        report.releasedWeight = batch.weight - report.unindexed.weight
        return report
    }

    /// Of episodes that are indexed anew. What cannot be read is missing from the index until it is mended.
    private func keptTranscripts(of result: FeedResult) async -> [EpisodeID: [TranscriptSegment]] {
        guard let replaced = result.news?.changes.replaced, !replaced.isEmpty else { return [:] }
        return (try? await transcripts.segments(of: replaced.map(\.id))) ?? [:]
    }

    private func store(_ results: [FeedResult]) async throws {
        let changes = results.compactMap(\.news?.changes)
        if !changes.isEmpty { try await episodes.apply(changes) }
        let changed = results.filter { $0.outcome.podcast != $0.before }.map(\.outcome.podcast)
        if !changed.isEmpty { try await podcasts.save(changed) }
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
        // The podcast's own name is found with each of its episodes; when it changes, MendIndex reads them all.
        let isRenamed = before.revision > 0 && (before.title != after.title || before.author != after.author)
        if isRenamed { return nil }
        let episodes = changes.replaced.isEmpty ? changes.added : changes.added + changes.replaced
        return .episodes(of: after.asIndexed, news.channel, episodes, transcripts: transcripts)
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
