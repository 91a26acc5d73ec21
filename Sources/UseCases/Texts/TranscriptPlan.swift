import Domain
import Scheduling

/// Chooses the transcripts that one run fetches: the newest first, a limited number, and no more of one host than it
/// serves in a burst.
///
/// A stored transcript is fetched again if the feed offers other files or the episode changed. Missing ones come first.
struct TranscriptPlan {
    /// The podcasts with work, and their remaining work after this run.
    private(set) var podcasts: [PodcastID: Planned] = [:]
    private(set) var jobs: [TranscriptJob] = []

    struct Planned {
        var podcast: Podcast
        let channel: Channel
        let storedRevision: Int
        /// Number of transcripts left to a later run.
        var waiting = 0
        /// When the first failed transcript may be requested again.
        var retryAt: Timestamp?

        mutating func wait(until time: Timestamp) { retryAt = min(retryAt ?? time, time) }

        func settled(_ text: EpisodeText, _ now: Timestamp) -> Podcast {
            var podcast = podcast
            podcast.transcripts.look(for: text, seen: podcast.episodesRevision, dueAt: waiting > 0 ? now : retryAt)
            // The list is ahead of the record after a write that was cut short.
            podcast.transcripts.revision = max(podcast.transcripts.revision, storedRevision)
            return podcast
        }
    }

    private static let maxTranscripts = 500
    private static let maxPerHost = 200

    private struct Candidate {
        var isMissing: Bool
        var publishedAt: Timestamp
        var job: TranscriptJob
    }

    private let text: EpisodeText
    private let options: RefreshOptions
    private let politeness: Politeness
    private let now: Timestamp
    private var candidates: [Candidate] = []

    init(_ text: EpisodeText, _ options: RefreshOptions, _ politeness: Politeness, now: Timestamp) {
        self.text = text
        self.options = options
        self.politeness = politeness
        self.now = now
    }

    /// True if the podcast's transcripts are wanted and some may be missing.
    func isDue(_ podcast: Podcast) -> Bool {
        guard options.podcasts?.contains(podcast.id) ?? !podcast.settings.isPaused,
            podcast.settings.wants(text) ?? options.wants(text),
            podcast.episodesRevision > 0
        else { return false }
        return options.mode == .force || podcast.isDue(text, now)
    }

    /// True if no transcript of this podcast, or of those after it, can be among the newest.
    func isFull(before podcast: Podcast) -> Bool {
        guard let oldest else { return false }
        return podcast.latestEpisodeAt.map { $0 < oldest } ?? true
    }

    private var isWholeForced: Bool { options.mode == .force && options.podcasts != nil }
    private var limit: Int { isWholeForced ? .max : Self.maxTranscripts }
    /// Most candidates held in memory; more than `maxTranscripts`, since some hosts offer more than `maxPerHost`.
    private static let maxHeld = 4 * maxTranscripts
    /// The date before which candidates were dropped; nil if none were.
    private var oldest: Timestamp?

    private mutating func dropOldest() {
        guard !isWholeForced, candidates.count > 2 * Self.maxHeld else { return }
        candidates.sort(by: Self.isBefore)
        candidates.removeLast(candidates.count - Self.maxHeld)
        if let last = candidates.last, last.isMissing { oldest = last.publishedAt }
    }

    mutating func add(_ podcast: Podcast, _ channel: Channel, _ episodes: [Episode], _ stored: TranscriptEntries) {
        var planned = Planned(podcast: podcast, channel: channel, storedRevision: stored.revision)
        let entries = stored.entries(text)
        for episode in episodes where !episode.isWithdrawn && episode.item.offers(text) {
            let offer = offer(of: episode, channel)
            let entry = entries[episode.id]
            guard let job = TranscriptJob(episode, of: podcast, offer, entry: entry, text) else { continue }
            if options.mode != .force, let entry, entry.offer == offer.digest, entry.episodeChangedAt == episode.changedAt {
                guard entry.failure != nil else { continue }
                if let retryAt = entry.retryAt, retryAt > now, retryAt - now <= CachingHeaders.maxRetryAfter {
                    planned.wait(until: retryAt)
                    continue
                }
            }
            if case .paused(let until) = politeness.standing(of: job.hostKey, at: now) {
                planned.wait(until: until)
                continue
            }
            planned.waiting += 1
            candidates.append(
                Candidate(
                    isMissing: entry?.stored == nil || entry?.stored?.making != nil,
                    publishedAt: episode.item.publishedAt ?? .distantPast, job: job))
        }
        podcasts[podcast.id] = planned
        dropOldest()
    }

    private func offer(of episode: Episode, _ channel: Channel) -> TranscriptOffer {
        text == .transcript
            ? TranscriptOffer(episode.item, language: channel.language) : TranscriptOffer(chaptersOf: episode.item)
    }

    /// Chooses the jobs among the candidates.
    mutating func choose() {
        var perHost: [String: Int] = [:]
        for candidate in candidates.sorted(by: Self.isBefore) where jobs.count < limit {
            let count = perHost[candidate.job.hostKey, default: 0]
            guard isWholeForced || count < Self.maxPerHost else { continue }
            perHost[candidate.job.hostKey] = count + 1
            jobs.append(candidate.job)
        }
        candidates = []
    }

    private static func isBefore(_ a: Candidate, _ b: Candidate) -> Bool {
        if a.isMissing != b.isMissing { return a.isMissing }
        if a.publishedAt != b.publishedAt { return a.publishedAt > b.publishedAt }
        return a.job.episode.id < b.job.episode.id
    }

    // MARK: While it runs

    mutating func ended(_ result: TranscriptResult) {
        let id = result.job.podcast.id
        switch result.kind {
        case .waiting(let until?):
            podcasts[id]?.waiting -= 1
            podcasts[id]?.wait(until: until)
        case .waiting(nil): break
        case .added, .replaced, .unchanged, .failed:
            podcasts[id]?.waiting -= 1
            if let retryAt = result.entry.retryAt { podcasts[id]?.wait(until: retryAt) }
        }
    }

    /// The records to store at the end of the run.
    func records() -> [Podcast] {
        podcasts.values.map { $0.settled(text, now) }.sorted { $0.id < $1.id }
    }

    /// The record to store for one that was edited meanwhile.
    func settled(_ current: Podcast) -> Podcast? {
        guard var planned = podcasts[current.id] else { return nil }
        planned.podcast = current
        return planned.settled(text, now)
    }

    /// Notes the record of a podcast whose new transcripts were stored.
    mutating func stored(_ podcast: Podcast) { podcasts[podcast.id]?.podcast = podcast }

    var waiting: Int { podcasts.values.reduce(0) { $0 + $1.waiting } }
}

extension RefreshOptions {
    func wants(_ text: EpisodeText) -> Bool { text == .transcript ? transcripts : chapters }
}

extension Item {
    fileprivate func offers(_ text: EpisodeText) -> Bool { text == .transcript ? !transcripts.isEmpty : chapters != nil }
}
