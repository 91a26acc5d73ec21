public import Addresses
public import Domain
import JSON
import Synchronization

/// Records one refresh: the front door for writing.
///
/// ```
/// CurlFetcher ─▶ Recorder (a Wire) ─▶ CurlWire ─▶ servers
/// RefreshEpisodes ─▶ Recorder (a RunJournal)
///                       └─▶ Redactor ─▶ RecordWriter ─▶ file
/// ```
/// Everything is written as it passes. Only the beginning of each feed is held, until it is known whether it contains
/// secrets.
public final class Recorder: Wire, RunJournal {
    private struct State: ~Copyable {
        var writer: RecordWriter
        var fetches: [UInt64: RecordedBody] = [:]
    }

    private let inner: any Wire
    private let program: String
    private let library: String
    private let bodies: RecordedBodies
    private let redactor: Redactor
    private let start = ContinuousClock.now
    private let state: Mutex<State>

    /// - Parameters:
    ///   - path: the file; it is replaced if it exists.
    ///   - wire: the connection to the servers.
    ///   - program: jimmy's version.
    ///   - key: the key made from the library before the run.
    /// - Throws: `RecordingFailure`.
    public init(
        to path: String, through wire: any Wire, program: String, key: RunKey, bodies: RecordedBodies
    ) throws(RecordingFailure) {
        inner = wire
        self.program = program
        self.bodies = bodies
        library = key.digest
        redactor = Redactor(key: key)
        state = Mutex(State(writer: try RecordWriter(path)))
    }

    /// Completes the file.
    ///
    /// - Returns: the failure that left the recording incomplete; nil if there was none.
    public func finish() -> RecordingFailure? {
        state.withLock { state in
            state.writer.finish()
            return state.writer.failure
        }
    }

    private func write(_ record: Record, _ bytes: [UInt8] = []) { write([(record, bytes)]) }

    private func write(_ records: [(record: Record, bytes: [UInt8])]) {
        let at = Int((ContinuousClock.now - start) / .microseconds(1))
        state.withLock { state in
            // A mark's meaning is written before its first use.
            for (mark, sealed) in redactor.takeNew() {
                state.writer.append(Record.secret(mark: mark, sealed: sealed).head(at: at), [])
            }
            for (record, bytes) in records { state.writer.append(record.head(at: at), bytes) }
        }
    }

    private func change<Value: Sendable>(
        _ visit: Visit, _ body: (inout RecordedBody) -> Value
    ) -> Value {
        state.withLock { state in
            var fetch = state.fetches.removeValue(forKey: visit.number) ?? RecordedBody(of: visit.number, redactor)
            defer { state.fetches[visit.number] = fetch }
            return body(&fetch)
        }
    }

    // MARK: The wire

    public func enter(_ url: WebURL, _ visit: Visit) async throws -> Visit.Entry {
        change(visit) { $0.learn(Secrets.searched(url.text)) }
        do {
            let entry = try await inner.enter(url, visit)
            write(turn(of: url.text, visit, entry == .granted ? .granted : .shared))
            return entry
        } catch {
            write(turn(of: url.text, visit, .refused(RecordedFailure(error))))
            throw error
        }
    }

    private func turn(of url: String, _ visit: Visit, _ turn: Record.Turn) -> Record {
        .turn(fetch: visit.number, subject: visit.subject, url: redactor.redacted(url: url), turn)
    }

    public func exchange(
        _ request: WireRequest, _ visit: Visit, receive: (WireHead, WirePiece) throws -> Void
    ) async -> WireOutcome {
        var request = request
        request.keepsPage = bodies == .all
        let number = visit.number
        if FeedURL.filePath(request.url) != nil { write(turn(of: request.url, visit, .granted)) }
        let secrets = change(visit) { fetch in
            // The media file is on disk anyway, and its bytes would make the recording large.
            fetch.isSkipped = bodies == .none || request.isMedia
            fetch.learn(request.credentials)
            return fetch.secrets
        }
        let headers = request.headers.map { redactor.redacted(header: String(decoding: $0, as: UTF8.self), knowing: secrets) }
        write(.request(fetch: number, headers: headers))
        var hasHead = false
        var isRefused = false
        let outcome = await inner.exchange(request, visit) { head, piece in
            if !hasHead { writeHead(head, visit, secrets) }
            hasHead = true
            if case .sent(let bytes) = piece { write(change(visit) { $0.sent(bytes) }) }
            do {
                try receive(head, piece)
            } catch {
                isRefused = true
                throw error
            }
        }
        if !hasHead, let head = outcome.head { writeHead(head, visit, secrets) }
        if !outcome.page.isEmpty {
            write(.body(fetch: number, .page), redactor.redacted(page: outcome.page, knowing: secrets))
        }
        var exchange = Record.Exchange()
        exchange.nanoseconds = outcome.duration.nanoseconds
        exchange.isRefused = isRefused
        if !isRefused { exchange.failure = outcome.failure.map(RecordedFailure.init) }
        exchange.times = outcome.times
        change(visit) { $0.end = exchange }
        return outcome
    }

    private func writeHead(_ head: WireHead, _ visit: Visit, _ secrets: Set<String>) {
        // The redirect target is learned first, so that its secrets are known in the whole head.
        let target = head.location.map { Secrets.searched($0) } ?? []
        change(visit) { $0.learn(target) }
        write(.head(fetch: visit.number), redactor.redacted(head: head.bytes, knowing: secrets.union(target)))
    }

    public func decoded(_ piece: [UInt8], _ head: ResponseHead, _ visit: Visit) {
        write(change(visit) { $0.decoded(piece) })
    }

    public func ended(_ body: Result<WireBody, FetchFailure>?, _ visit: Visit) {
        write(change(visit) { $0.finish(body) })
    }

    // MARK: The journal

    public func began(_ start: RunStart) {
        var run = RecordedRun(start: start)
        run.program = program
        run.library = library
        run.bodies = bodies
        announce(.began(run))
    }

    public func shared(_ visit: UInt64, answerOf owner: UInt64) { write(.shared(fetch: visit, owner: owner)) }

    public func replied(_ reply: RunReply) { write(.reply(reply)) }

    public func committing(_ batch: RunBatch) { announce(.committing(batch)) }
    public func committed() { write(.committed) }
    public func finishing(reachedAnyone: Bool) { announce(.finishing(reachedAnyone: reachedAnyone)) }
    public func ended(_ end: RunEnd) { announce(.done(end)) }

    /// Notes that the command of `--on-new` took the new episodes, before the library is told.
    public func hooked() { announce(.hooked) }

    /// Writes a record that precedes a write to the library. If this process is killed meanwhile, everything that the
    /// write is based on must be in the file.
    private func announce(_ record: Record) {
        write(record)
        state.withLock { $0.writer.flush() }
    }

    public func noted(_ step: RunStep) {
        var step = step
        if case .downloads(let entries) = step { step = .downloads(entries.map { $0.with { redactor.mark(for: $0) } }) }
        announce(.step(step))
    }
}

extension DownloadEntry {
    /// The entry with a changed path, since the name of a folder may contain that of the user.
    func with(path change: (String) -> String) -> DownloadEntry {
        var entry = self
        entry.file?.path = change(file?.path ?? "")
        return entry
    }
}

extension Duration {
    var nanoseconds: Int { Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000) }
}
