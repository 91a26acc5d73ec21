public import Domain
import Synchronization

/// A replay: goes through a recording a second time, with its bodies.
public final class Replay: RunScript {
    /// The part of a run that is repeated.
    public enum Extent: Sendable {
        case whole
        /// Ends when this podcast has been stored.
        case until(PodcastID)
        case only(PodcastID)
    }

    private struct State {
        var visits: [String: ArraySlice<UInt64>]
        var hasEnded = false
    }

    private let recording: Recording
    private let extent: Extent
    private let exchanges: RecordedExchanges
    private let secrets: OpenedSecrets
    private let state: Mutex<State>
    public let sharedVisits: Set<UInt64>
    public let wire: ReplayWire

    /// - Parameters:
    ///   - key: the key of the library on which the run is replayed; nil if there is none.
    ///   - readHead: parses a head.
    /// - Throws: `RecordingFailure`.
    public init(
        _ recording: Recording, _ extent: Extent = .whole, key: RunKey? = nil, readHead: @escaping @Sendable ([UInt8]) -> WireHead
    ) throws(RecordingFailure) {
        if recording.summary.run.bodies == .none { throw .noBodies }
        self.recording = recording
        self.extent = extent
        sharedVisits = Set(recording.owners.values)
        state = Mutex(State(visits: recording.fetches.mapValues { $0[...] }))
        exchanges = try RecordedExchanges(recording.path)
        secrets = OpenedSecrets(recording.secrets, key)
        wire = ReplayWire(exchanges, secrets, readHead: readHead)
    }

    public var start: RunStart { recording.summary.run.start }

    private var isWhole: Bool { if case .whole = extent { true } else { false } }
    public var end: RunEnd? { isWhole ? recording.summary.end : nil }
    public var reachedAnyone: Bool? { isWhole ? recording.summary.reachedAnyone : nil }
    public var hookSucceeded: Bool { recording.hookSucceeded }

    public func owner(ofAnswerFor visit: UInt64) -> UInt64? { recording.owners[visit] }
    public func reply(for podcast: PodcastID) -> RunReply? { recording.replies[podcast] }

    public func nextVisit(for subject: String) -> UInt64 {
        state.withLock { $0.visits[subject]?.popFirst() ?? 0 }
    }

    public func repliesShared(by podcast: PodcastID) -> [RunReply] {
        (recording.fetches[podcast.text] ?? []).compactMap { visit in
            recording.owners[visit].flatMap(recording.podcast).flatMap { recording.replies[$0] }
        }
    }

    public func nextBatch() async throws -> RunBatch? {
        try state.withLock { state -> RunBatch? in
            while !state.hasEnded, let batch = try exchanges.nextBatch() {
                let part = part(of: batch)
                if case .until(let last) = extent, batch.podcasts.contains(last) { state.hasEnded = true }
                if case .only(let podcast) = extent, batch.podcasts.contains(podcast) { state.hasEnded = true }
                if !part.podcasts.isEmpty { return part }
            }
            return nil
        }
    }

    private func part(of batch: RunBatch) -> RunBatch {
        var part = batch
        switch extent {
        case .whole: break
        case .until(let last):
            if let index = batch.podcasts.firstIndex(of: last) { part.podcasts = Array(batch.podcasts[...index]) }
        case .only(let podcast): part.podcasts = batch.podcasts.filter { $0 == podcast }
        }
        return part
    }

    public func nextStep() throws -> RunStep? {
        guard isWhole, let step = try exchanges.nextStep() else { return nil }
        guard case .downloads(let entries) = step else { return step }
        return .downloads(
            entries.map { entry in
                entry.with { String(decoding: secrets.restored(Array($0.utf8)), as: UTF8.self) }
            })
    }

    // MARK: One feed

    /// Passes on the first document received for a podcast, an episode or a URL.
    ///
    /// - Parameter name: an id, or a part of the URL.
    /// - Throws: `RecordingFailure`, `FetchFailure`.
    public func extract(_ name: String, by fetcher: some FeedFetching, give: ([UInt8]) -> Void) async throws {
        let fetches = recording.fetches(named: name)
        if fetches.isEmpty { throw RecordingFailure.noFeed(name) }
        while try await nextBatch() != nil {}
        let politeness = Politeness(slotsPerHost: 1) { Timestamp(seconds: 0) }
        for fetch in fetches {
            var request = FetchRequest(url: fetch.hops.first?.url ?? "", limits: start.options.limits)
            // A conditional request may have been answered with 304, which has no document.
            request.validators = nil
            let visit = politeness.visit(for: fetch.subject, recordedAs: fetch.number)
            var hasBytes = false
            let response = try await fetcher.fetch(request, visit) {
                hasBytes = true
                give($1)
            }
            // The bytes of a media file are not recorded.
            if case .received = response.body, hasBytes || response.bytes == 0 { return }
        }
        throw RecordingFailure.noDocument(name)
    }
}
