import Domain

/// Makes batches of transcripts durable and searchable, and keeps the plan up to date.
struct CommitTranscripts {
    let transcripts: any TranscriptRepository
    let index: (any SearchIndex)?
    let text: EpisodeText
    var plan: TranscriptPlan
    var summary = TranscriptSummary()
    private var unreached = Unreached<TranscriptResult>()

    init(
        transcripts: any TranscriptRepository, index: (any SearchIndex)?, text: EpisodeText, plan: TranscriptPlan
    ) {
        self.text = text
        self.transcripts = transcripts
        self.index = index
        self.plan = plan
    }

    /// - Parameter reachedAnyone: true if any server has answered by now.
    /// - Returns: why the index could not be written. This stops nothing, since the index is derived.
    mutating func run(_ batch: [TranscriptResult], reachedAnyone: Bool) async -> (any Error)? {
        summary.localFailure = summary.localFailure ?? batch.lazy.compactMap(\.localFailure).first
        return await commit(batch.flatMap { unreached.admit($0, $0.failure, reachedAnyone: reachedAnyone) })
    }

    /// Commits the failures that were held back, unless no server at all could be reached.
    mutating func finish(reachedAnyone: Bool) async -> (any Error)? {
        let (held, wasOffline) = unreached.finish(reachedAnyone: reachedAnyone)
        return wasOffline ? nil : await commit(held)
    }

    private mutating func commit(_ batch: [TranscriptResult]) async -> (any Error)? {
        var answered: [TranscriptResult] = []
        for result in batch {
            if case .waiting = result.kind { plan.ended(result) } else { answered.append(result) }
        }
        var settlements: [TranscriptSettlement] = []
        let byPodcast = Dictionary(grouping: answered, by: \.job.podcast.id)
        for (id, results) in byPodcast.sorted(by: { $0.key < $1.key }) {
            if let podcast = plan.podcasts[id]?.podcast { settlements.append(TranscriptSettlement(podcast, text, results)) }
        }
        guard !settlements.isEmpty else { return nil }
        let stored: [(after: Int, podcast: Podcast)]
        do {
            stored = try await settle(settlements)
        } catch {
            summary.localFailure = summary.localFailure ?? LocalFailure(error)
            return nil
        }
        for (_, podcast) in stored { plan.stored(podcast) }
        for result in answered {
            plan.ended(result)
            summary.add(result)
        }
        guard let index else { return nil }
        let episodes = Dictionary(grouping: answered.filter { !$0.segments.isEmpty }.map(\.job.episode), by: \.podcastID)
        do {
            // Includes segments stored earlier, because transcripts and chapters come in different runs.
            var segments: [PodcastID: [EpisodeID: [TranscriptSegment]]] = [:]
            for (id, episodes) in episodes { segments[id] = try await transcripts.segments(of: episodes.map(\.id)) }
            try await index.apply(
                stored.filter { $0.after != $0.podcast.contentRevision }.map { after, podcast in
                    .episodes(
                        of: podcast, after: after, plan.podcasts[podcast.id]?.channel ?? Channel(),
                        episodes[podcast.id] ?? [], transcripts: segments[podcast.id] ?? [:])
                })
        } catch {
            return error
        }
        return nil
    }

    /// Settles again on records that were edited meanwhile. Removed podcasts are dropped.
    ///
    /// - Returns: the stored records, and the content revision that each had before.
    private func settle(_ settlements: [TranscriptSettlement]) async throws -> [(after: Int, podcast: Podcast)] {
        var stored: [(after: Int, podcast: Podcast)] = []
        var remaining = settlements
        while !remaining.isEmpty {
            var lost: [TranscriptSettlement] = []
            for (settlement, result) in zip(remaining, try await transcripts.settle(remaining)) {
                switch result {
                case .stored(let podcast): stored.append((settlement.podcast.contentRevision, podcast))
                case .lost(let current):
                    guard let current else { continue }
                    var again = settlement
                    again.podcast = current
                    lost.append(again)
                case .expired: continue
                }
            }
            remaining = lost
        }
        return stored
    }
}

extension TranscriptSettlement {
    fileprivate init(_ podcast: Podcast, _ text: EpisodeText, _ results: [TranscriptResult]) {
        self.init(podcast, text)
        for result in results {
            if !result.segments.isEmpty { segments[result.entry.episodeID] = result.segments }
            entries.append(result.entry)
        }
    }
}

extension TranscriptResult {
    /// The result of a job, whether or not it was asked.
    init(_ outcome: Scheduler<TranscriptJob, TranscriptResult>.Outcome, now: Timestamp) {
        switch outcome {
        case .replied(_, let result): self = result
        case .paused(let job, let until): self.init(job, notAsked: .paused(until: until), now: now)
        case .unreachable(let job, let failure): self.init(job, notAsked: .unreachable(failure), now: now)
        }
    }

    /// A job that was not asked.
    init(_ job: TranscriptJob, notAsked reply: RunReply.Kind, now: Timestamp) {
        switch reply {
        case .paused(let until): self.init(job, .waiting(until: until), now: now)
        case .unreachable(let failure): self.init(job, failure, now: now)
        case .asked, .dropped: self.init(job, .waiting(until: nil), now: now)
        }
        self.reply = reply
    }
}

extension TranscriptSummary {
    fileprivate mutating func add(_ result: TranscriptResult) {
        switch result.kind {
        case .added: added += 1
        case .replaced: replaced += 1
        case .unchanged: unchanged += 1
        case .failed: failed += 1
        case .waiting: break
        }
    }
}
