public import Domain
import Synchronization

/// Goes through a recording a second time, with its bodies, as far as the replay has come.
public final class Replay: RunScript {
    /// How much of a run is repeated.
    public enum Extent: Sendable {
        case whole
        /// Ends when this podcast is stored.
        case until(PodcastID)
        case only(PodcastID)
    }

    private struct State: ~Copyable {
        var reader: RecordReader
        var visits: [String: ArraySlice<UInt64>]
        var hasEnded = false
    }

    private let recording: Recording
    private let extent: Extent
    private let exchanges = RecordedExchanges()
    private let state: Mutex<State>
    public let sharedVisits: Set<UInt64>
    public let wire: ReplayWire

    /// - Parameters:
    ///   - key: of the library that is replayed on; nil if there is none.
    ///   - readHead: reads a head from its bytes.
    /// - Throws: `RecordingFailure`.
    public init(
        _ recording: Recording, _ extent: Extent = .whole, key: RunKey? = nil, readHead: @escaping @Sendable ([UInt8]) -> WireHead
    ) throws(RecordingFailure) {
        if recording.summary.run.bodies == .none { throw .noBodies }
        self.recording = recording
        self.extent = extent
        sharedVisits = Set(recording.owners.values)
        state = Mutex(State(reader: try RecordReader(recording.path), visits: recording.fetches.mapValues { $0[...] }))
        wire = ReplayWire(exchanges, OpenedSecrets(recording.secrets, key), readHead: readHead)
    }

    public var start: RunStart { recording.summary.run.start }

    public var end: RunEnd? {
        if case .whole = extent { return recording.summary.end }
        return nil
    }

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
        let batch = try state.withLock { state -> RunBatch? in
            while !state.hasEnded {
                guard let read = try Recording.next(&state.reader) else { break }
                guard case .committing(let batch) = read.record else {
                    exchanges.add(read.record, read.bytes)
                    continue
                }
                let part = part(of: batch)
                if case .until(let last) = extent, batch.podcasts.contains(last) { state.hasEnded = true }
                if case .only(let one) = extent, batch.podcasts.contains(one) { state.hasEnded = true }
                if !part.podcasts.isEmpty { return part }
            }
            return nil
        }
        exchanges.wake(isAtEnd: batch == nil)
        return batch
    }

    private func part(of batch: RunBatch) -> RunBatch {
        var part = batch
        switch extent {
        case .whole: break
        case .until(let last):
            if let place = batch.podcasts.firstIndex(of: last) { part.podcasts = Array(batch.podcasts[...place]) }
        case .only(let one): part.podcasts = batch.podcasts.filter { $0 == one }
        }
        return part
    }

    // MARK: One feed

    /// Gives the document of one feed, as its last fetch got it.
    ///
    /// - Throws: `RecordingFailure`, `FetchFailure`.
    public func extract(_ podcast: PodcastID, by fetcher: some FeedFetching, give: ([UInt8]) -> Void) async throws {
        while try await nextBatch() != nil {}
        let politeness = Politeness(slotsPerHost: 1) { Timestamp(seconds: 0) }
        for fetch in recording.summary.fetches where fetch.subject == podcast.text {
            var request = FetchRequest(url: fetch.hops.first?.url ?? "", limits: start.options.limits)
            // A 304 has no document, whoever asked.
            request.validators = nil
            let visit = politeness.visit(for: podcast.text, recordedAs: fetch.number)
            let response = try await fetcher.fetch(request, visit) { give($1) }
            if case .received = response.body { return }
        }
    }
}
