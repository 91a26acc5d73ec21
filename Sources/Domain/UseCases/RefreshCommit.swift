/// Makes a batch of results durable, in the order that loses nothing:
/// 1. the episodes, 2. the podcasts with the validators that vouch for them, 3. the index, which is derived.
struct RefreshCommit: Sendable {
    let podcasts: any PodcastRepository
    let episodes: any EpisodeRepository
    let index: any SearchIndex

    struct Report: Sendable {
        var outcomes: [RefreshOutcome]
        var storageFailure: LibraryFailure?
        var indexError: (any Error)?
    }

    func run(_ batch: [FeedResult]) async -> Report {
        var report = Report(outcomes: [], storageFailure: batch.lazy.compactMap(\.storageFailure).first)
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
                    report.storageFailure = report.storageFailure ?? error as? LibraryFailure
                    report.outcomes.append(result.outcome.notStored)
                }
            }
        }
        do {
            let changes = stored.compactMap(\.indexChange)
            if !changes.isEmpty { try await index.apply(changes) }
        } catch {
            report.indexError = error
        }
        report.outcomes += stored.map(\.outcome)
        return report
    }

    private func store(_ results: [FeedResult]) async throws {
        let changes = results.compactMap(\.changes)
        if !changes.isEmpty { try await episodes.apply(changes) }
        let changed = results.filter { $0.outcome.podcast != $0.before }.map(\.outcome.podcast)
        if !changed.isEmpty { try await podcasts.save(changed) }
    }
}

extension FeedResult {
    fileprivate var indexChange: IndexChange? {
        guard let changes else { return nil }
        let after = outcome.podcast
        // The podcast's own name is found with each of its episodes; when it changes, MendIndex reads them all.
        let isRenamed = before.revision > 0 && (before.title != after.title || before.author != after.author)
        return isRenamed ? nil : .episodes(of: after, channel, changes.added + changes.replaced)
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
