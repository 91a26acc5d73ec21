import Addresses
import Domain
import Scheduling

/// One episode whose transcript is to be fetched.
struct TranscriptJob: Hosted {
    let podcast: Podcast
    let episode: Episode
    /// The files on offer, best first; never empty.
    let offer: TranscriptOffer
    /// The entry that an earlier run stored.
    let entry: TranscriptEntry?
    let url: WebURL
    let text: EpisodeText
    var hostKey: String { url.hostKey }

    init?(
        _ episode: Episode, of podcast: Podcast, _ offer: TranscriptOffer, entry: TranscriptEntry?, _ text: EpisodeText
    ) {
        guard let url = offer.transcripts.first?.url.flatMap(WebURL.init) else { return nil }
        self.podcast = podcast
        self.episode = episode
        self.offer = offer
        self.entry = entry
        self.url = url
        self.text = text
    }
}

/// The result of one job.
struct TranscriptResult: Sendable {
    enum Kind: Sendable {
        case added, replaced, unchanged, failed
        /// Not answered, because the run ended or the host asked for a pause; nothing is stored.
        case waiting(until: Timestamp?)
    }

    let job: TranscriptJob
    var kind: Kind
    var entry: TranscriptEntry
    var segments: [TranscriptSegment] = []
    var failure: FetchFailure?
    /// How the request ended.
    var reply = RunReply.Kind.asked
    /// Set if this machine failed instead of a server.
    var localFailure: LocalFailure?

    /// A result whose entry notes the offer and the time of the request.
    init(_ job: TranscriptJob, _ kind: Kind, now: Timestamp) {
        self.job = job
        self.kind = kind
        entry = TranscriptEntry(
            episodeID: job.episode.id, offer: job.offer.digest, episodeChangedAt: job.episode.changedAt, askedAt: now)
        entry.stored = job.entry?.stored
    }

    init(_ job: TranscriptJob, _ failure: FetchFailure, now: Timestamp) {
        self.init(job, failure.code == .cancelled ? .waiting(until: nil) : .failed, now: now)
        self.failure = failure
        let before = job.entry?.failure
        let count = (before?.count ?? 0) + 1
        entry.failure = FetchFailureState(
            since: before?.since ?? now, count: count, code: failure.code, status: failure.status, detail: failure.detail)
        entry.retryAt = Schedule.retryAfter(failure, now: now) ?? now + Schedule.transcriptBackoff(failures: count)
    }
}

extension Schedule {
    /// Seconds until the next attempt: six hours after the first failure, since transcripts often appear later than
    /// their
    /// episodes; then twice as long each time, up to 32 days.
    static func transcriptBackoff(failures: Int) -> Int64 { min(6 * hour << Int64(min(max(failures, 1) - 1, 8)), 32 * day) }
}

/// Fetches and reads one transcript. If the best file on offer does not exist, or is not a transcript, the next is
/// tried.
struct AskTranscript: Sendable {
    let fetcher: any FeedFetching
    let read: ReadTranscript
    let clock: @Sendable () -> Timestamp
    let limits: FetchLimits
    /// True if validators are not sent.
    let isForced: Bool
    let politeness: Politeness
    /// The recorded run that is replayed; nil if servers are asked.
    var script: (any RunScript)?

    /// Most bytes of a decoded transcript: a day of speech as words with times.
    private static let maxBytes = 16 << 20
    /// Most files fetched for one episode in one run.
    private static let maxTried = 3
    private static func accept(_ text: EpisodeText) -> String {
        switch text {
        case .transcript:
            "text/vtt, application/x-subrip, application/srt, application/json;q=0.9, text/html;q=0.8, text/plain;q=0.7, "
                + "*/*;q=0.1"
        case .chapters: "application/json+chapters, application/json;q=0.9, */*;q=0.1"
        }
    }

    func callAsFunction(_ job: TranscriptJob) async -> TranscriptResult {
        var failure = FetchFailure(.protocol)
        for transcript in job.offer.transcripts.prefix(Self.maxTried) {
            // Only the job's host has its turn now.
            guard let url = transcript.url.flatMap(WebURL.init), url.hostKey == job.hostKey else { continue }
            do {
                return try await ask(url, transcript, job)
            } catch let pause as HostPaused {
                return TranscriptResult(job, .waiting(until: pause.until), now: clock())
            } catch {
                if let local = LocalFailure(error) {
                    var result = TranscriptResult(job, .waiting(until: nil), now: clock())
                    result.localFailure = local
                    return result
                }
                failure = FetchFailure(error)
                guard failure.isOfThisFile else { break }
            }
        }
        return TranscriptResult(job, failure, now: clock())
    }

    private func ask(_ url: WebURL, _ transcript: Transcript, _ job: TranscriptJob) async throws -> TranscriptResult {
        let earlier = job.entry?.stored.flatMap { $0.url == transcript.url ? $0 : nil }
        var limits = job.podcast.settings.limits(limits)
        limits.maxBodySize = min(limits.maxBodySize, Self.maxBytes)
        var request = FetchRequest(url: url.text, limits: limits)
        // The feed's credentials go to the feed's own server only.
        let isHome = WebURL(job.podcast.feedURL)?.sharesCredentials(with: url) ?? false
        request.credentials = url.credentials ?? (isHome ? job.podcast.credentials : nil)
        request.userAgent = job.podcast.settings.userAgent
        request.accept = Self.accept(job.text)
        if !isForced {
            request.validators = earlier?.validators
            request.lastBodyHash = earlier?.bodyHash
        }
        var hints = TranscriptHints(type: transcript.type)
        hints.text = job.text
        var body: [UInt8] = []
        let response = try await fetcher.fetch(request, visit(for: job.episode.id.text)) { head, bytes in
            hints.contentType = head.headers.contentType
            body += bytes
        }
        guard case .received = response.body else { return TranscriptResult(job, .unchanged, now: clock()) }
        var result = TranscriptResult(job, job.entry?.stored == nil ? .added : .replaced, now: clock())
        result.segments = read(body, hints)
        guard !result.segments.isEmpty else { throw FetchFailure(.protocol, status: 200, detail: .noTranscript) }
        var source = TranscriptSource()
        (source.url, source.type, source.language) = (transcript.url ?? "", transcript.type, transcript.language)
        let sent = Validators(
            url: response.finalURL, etag: response.headers.etag, lastModified: response.headers.lastModified)
        source.validators = sent.etag == nil && sent.lastModified == nil ? nil : sent
        source.bodyHash = response.bodyHash
        source.at = result.entry.askedAt
        source.segments = result.segments.count
        result.entry.stored = source
        return result
    }

    private func visit(for subject: String) -> Visit {
        guard let script else { return politeness.visit(for: subject) }
        return politeness.visit(for: subject, recordedAs: script.nextVisit(for: subject))
    }
}

extension FetchFailure {
    /// True if another file on the same server may succeed.
    fileprivate var isOfThisFile: Bool {
        switch code {
        case .http: (400..<500).contains(status ?? 0) && status != 429
        case .protocol: status == 200
        case .tooLarge: true
        default: false
        }
    }
}
