public import Domain

/// A recording that was read once without its bodies: the front door for reading.
///
/// ```swift
/// let recording = try Recording("night.rec")
/// let replay = try recording.replay(readHead: CurlFetcher.head)
/// ```
public struct Recording: Sendable {
    public private(set) var summary: RecordingSummary
    /// The replies by podcast.
    private(set) var replies: [PodcastID: RunReply] = [:]
    private(set) var hookSucceeded = false
    /// The meanings of marks, sealed.
    private(set) var secrets: [String: [UInt8]] = [:]
    /// The fetches whose response another fetch shared, by the number of the latter.
    private(set) var owners: [UInt64: UInt64] = [:]
    /// The fetches for a subject, in the order in which they began.
    private(set) var fetches: [String: [UInt64]] = [:]
    let path: String

    private var indices: [UInt64: Int] = [:]
    private var podcastOfFetch: [UInt64: PodcastID] = [:]

    /// - Throws: `RecordingFailure`.
    public init(_ path: String) throws(RecordingFailure) {
        self.path = path
        var reader = try RecordReader(path)
        guard let first = try Self.next(&reader), case .began(let run) = first.record, run.version > 0 else {
            throw .notARecording
        }
        guard run.version <= RecordedRun.currentVersion else { throw .newerVersion(run.version) }
        summary = RecordingSummary(run: run)
        do {
            while let read = try Self.next(&reader) { add(read) }
        } catch {
            guard case .damaged = error else { throw error }
            summary.damage = error
        }
    }

    /// The next record that this version knows.
    static func next(_ reader: inout RecordReader) throws(RecordingFailure) -> Record.Read? {
        while let stored = try reader.next() {
            do {
                if let read = try Record.read(stored) { return read }
            } catch {
                throw .damaged(record: reader.count)
            }
        }
        return nil
    }

    private mutating func add(_ read: Record.Read) {
        summary.duration = max(summary.duration, read.at)
        switch read.record {
        case .turn(let fetch, let subject, let url, let turn): addTurn(fetch, subject, url, turn, at: read.at)
        case .head(let fetch): change(fetch) { $0.status = Self.status(read.bytes) }
        case .body(let fetch, let piece): if piece != .page { change(fetch) { $0.bytes += read.bytes.count } }
        case .read(let fetch, .success(let body)): change(fetch) { $0.bytes = body.size }
        case .ended(let fetch, let exchange):
            change(fetch) {
                $0.nanoseconds = exchange.nanoseconds
                $0.failure = exchange.failure?.error
            }
        case .secret(let mark, let sealed): secrets[mark] = sealed
        case .shared(let fetch, let owner): owners[fetch] = owner
        case .reply(let reply): for podcast in reply.podcasts { replies[podcast] = reply }
        case .committing(let batch): summary.batches.append(batch)
        case .finishing(let reachedAnyone): summary.reachedAnyone = reachedAnyone
        case .done(let end):
            summary.end = end
            // In older recordings, this is the only record with the flag.
            summary.reachedAnyone = end.reachedAnyone
        case .hooked: hookSucceeded = true
        case .began, .request, .read, .committed, .step: break
        }
    }

    private mutating func addTurn(_ fetch: UInt64, _ subject: String, _ url: String, _ turn: Record.Turn, at: Int) {
        var hop = RecordedHop(url: url, at: at)
        switch turn {
        case .granted: break
        case .shared: hop.isShared = true
        case .refused(let failure): hop.failure = failure.error
        }
        if let index = indices[fetch] { return summary.fetches[index].hops.append(hop) }
        fetches[subject, default: []].append(fetch)
        podcastOfFetch[fetch] = PodcastID(text: subject)
        indices[fetch] = summary.fetches.count
        summary.fetches.append(RecordedFetch(number: fetch, subject: subject, hops: [hop]))
    }

    private mutating func change(_ fetch: UInt64, _ body: (inout RecordedHop) -> Void) {
        guard let index = indices[fetch], let last = summary.fetches[index].hops.indices.last else { return }
        body(&summary.fetches[index].hops[last])
    }

    /// The status code of a head that begins like `HTTP/1.1 200 OK`.
    private static func status(_ head: ArraySlice<UInt8>) -> Int? {
        Int(String(decoding: head.drop { $0 != 32 }.dropFirst().prefix { (48...57).contains($0) }, as: UTF8.self))
    }

    /// The podcast with this id, or whose first URL equals or contains the text.
    public func podcast(_ name: String) -> PodcastID? {
        guard let subject = fetches(named: name).first?.subject, EpisodeID(text: subject) == nil else { return nil }
        return PodcastID(text: subject)
    }

    /// The fetches for the podcast or episode with this id, otherwise those of the first URL that equals or contains
    /// the text.
    func fetches(named name: String) -> [RecordedFetch] {
        let fetches = summary.fetches
        let own = fetches.filter { $0.subject == name }
        if !own.isEmpty { return own }
        let urls = fetches.lazy.compactMap(\.hops.first?.url)
        guard let url = urls.first(where: { $0 == name }) ?? urls.first(where: { $0.contains(name) }) else { return [] }
        return fetches.filter { $0.hops.first?.url == url }
    }

    func podcast(of fetch: UInt64) -> PodcastID? { podcastOfFetch[fetch] }
}
