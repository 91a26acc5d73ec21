import Domain
import Results
import Searching

/// Makes batches of transcripts durable and searchable, and keeps the plan up to date.
struct CommitTranscripts {
    let transcripts: any TranscriptRepository
    let index: (any SearchIndex)?
    let text: EpisodeText
    var plan: TranscriptPlan
    var summary = TranscriptSummary()
    /// The podcasts with new transcripts or chapters.
    private(set) var changed: Set<PodcastID> = []
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
            stored = try await transcripts.settleAgain(settlements)
        } catch {
            summary.localFailure = summary.localFailure ?? LocalFailure(error)
            return nil
        }
        for (_, podcast) in stored { plan.stored(podcast) }
        changed.formUnion(answered.filter { !$0.segments.isEmpty }.map(\.job.podcast.id))
        for result in answered {
            plan.ended(result)
            summary.add(result)
        }
        guard let index else { return nil }
        let episodes = Dictionary(grouping: answered.filter { !$0.segments.isEmpty }.map(\.job.episode), by: \.podcastID)
        do {
            try await index.apply(stored, episodes, transcripts) { plan.podcasts[$0]?.channel ?? Channel() }
        } catch {
            return error
        }
        return nil
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
