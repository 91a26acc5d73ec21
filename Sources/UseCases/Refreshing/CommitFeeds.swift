import Domain
import Searching

/// Makes batches of results durable.
///
/// `WorkSource.settle` stores each podcast's episodes and its record, with the validators that vouch for them,
/// together. A record that was edited meanwhile wins: the result is applied to it and settled again, or dropped if it
/// no longer applies.
struct CommitFeeds: Sendable {
    let work: any WorkSource
    let lease: WorkLease
    let transcripts: any TranscriptRepository
    /// True if the run indexes what it commits.
    let isIndexed: Bool
    /// The first failure of this machine.
    private(set) var localFailure: LocalFailure?
    private var unreached = Unreached<FeedResult>()

    init(_ library: Repositories, lease: WorkLease, isIndexed: Bool) {
        self.isIndexed = isIndexed
        self.lease = lease
        work = library.work
        transcripts = library.transcripts
    }

    struct Report: Sendable {
        var outcomes: [RefreshOutcome] = []
        /// Durable changes that are not indexed yet.
        var unindexed: [UnindexedChange] = []
    }

    /// - Parameter reachedAnyone: true if any server has answered by now.
    mutating func run(_ batch: [FeedResult], reachedAnyone: Bool) async -> Report {
        await commit(batch.flatMap { unreached.admit($0, $0.outcome.failure, reachedAnyone: reachedAnyone) })
    }

    /// Commits the failures that were held back. If this machine was offline, they leave no trace in the podcasts.
    mutating func finish(reachedAnyone: Bool) async -> (Report, wasOffline: Bool) {
        var (held, wasOffline) = unreached.finish(reachedAnyone: reachedAnyone)
        if wasOffline { for index in held.indices { held[index].forgetFailure() } }
        return (await commit(held), wasOffline)
    }

    private mutating func commit(_ batch: [FeedResult]) async -> Report {
        var report = Report()
        var stored: [FeedResult] = []
        localFailure = localFailure ?? batch.lazy.compactMap(\.localFailure).first
        do {
            stored = try await store(batch, &report)
        } catch let failure as DatabaseFailure where failure.isAbsence {
            // A second attempt would not reach it either. The leases expire by themselves.
            localFailure = localFailure ?? .database(failure)
            report.outcomes += batch.map { $0.outcome.notStored(.storage) }
        } catch {
            // One bad file must not affect the others, so each is stored on its own to find it. A failed sync is not
            // repeated: everything is written again to new files, so a second attempt that succeeds has lost nothing.
            for result in batch {
                do {
                    stored += try await store([result], &report)
                } catch {
                    localFailure = localFailure ?? LocalFailure(error)
                    report.outcomes.append(result.outcome.notStored(.storage))
                    try? await work.giveBack([result.before.id: nil], lease)
                }
            }
        }
        for result in stored where isIndexed {
            if let change = result.indexChange(await storedTranscripts(of: result)) {
                report.unindexed.append(UnindexedChange(change: change, weight: result.weight))
            }
        }
        report.outcomes += stored.map(\.outcome)
        return report
    }

    /// - Returns: the results as they were stored; those that no longer apply are reported as skipped, and those whose lease
    ///   has ended as cancelled.
    private func store(_ batch: [FeedResult], _ report: inout Report) async throws -> [FeedResult] {
        var stored = batch.filter { $0.settlement == nil }
        var dropped: [RefreshOutcome] = []
        var ended: [PodcastID: Timestamp?] = [:]
        for result in stored {
            // A cancelled fetch is due as before.
            let isCancelled = result.outcome.failure?.code == .cancelled
            ended[result.before.id] = .some(isCancelled ? .distantPast : result.outcome.until)
        }
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
                        ended[result.before.id] = .some(nil)
                    }
                case .expired: dropped.append(result.outcome.notStored(.cancelled))
                }
            }
            remaining = rebased
        }
        report.outcomes += dropped
        if !ended.isEmpty { try await work.giveBack(ended, lease) }
        return stored
    }

    /// The segments of episodes that are indexed again. Unreadable ones are missing from the index until it is
    /// reconciled.
    private func storedTranscripts(of result: FeedResult) async -> [EpisodeID: [TranscriptSegment]] {
        guard let replaced = result.feedChanges?.changes.replaced, !replaced.isEmpty else { return [:] }
        return (try? await transcripts.segments(of: replaced.map(\.id))) ?? [:]
    }
}

/// A durable change that is not indexed yet, with its approximate size in bytes.
struct UnindexedChange: Sendable {
    let change: IndexChange
    let weight: Int
}

extension FeedResult {
    fileprivate func indexChange(_ transcripts: [EpisodeID: [TranscriptSegment]]) -> IndexChange? {
        guard let feedChanges else { return nil }
        let changes = feedChanges.changes
        let after = outcome.podcast
        // The podcast's title is indexed with each of its episodes; if it changes, `ReconcileIndex` reads them all.
        let isRenamed = before.episodesRevision > 0 && (before.title != after.title || before.author != after.author)
        if isRenamed { return nil }
        let episodes = changes.replaced.isEmpty ? changes.added : changes.added + changes.replaced
        return .episodes(of: after, after: before.contentRevision, feedChanges.channel, episodes, transcripts: transcripts)
    }
}

extension RefreshOutcome {
    /// The outcome if the library could not store the result.
    fileprivate func notStored(_ code: FetchFailure.Code) -> RefreshOutcome {
        var outcome = self
        outcome.kind = .failed
        outcome.failure = FetchFailure(code, status: status)
        outcome.added = []
        outcome.changed = 0
        outcome.withdrawn = 0
        return outcome
    }
}
