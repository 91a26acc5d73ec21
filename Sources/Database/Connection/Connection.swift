internal import CPQ
import Domain
import Glibc
import Threads

/// One connection to PostgreSQL, in pipeline mode: any number of transactions take one round trip.
///
/// Each burst leaves the session as it found it, outside of any transaction and without state, so that a connection
/// pooler may use a different server for each transaction. Waiting blocks this actor's own thread.
actor Connection {
    private let address: DatabaseAddress
    private let thread: BlockingThread
    private var open: OpenConnection?
    private var rendered: [Statement: String] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(_ address: DatabaseAddress, on thread: BlockingThread) {
        self.address = address
        self.thread = thread
    }

    /// Seconds without a response after which the server counts as unreachable.
    private static let silence = 20.0
    private static let connectTime = 8.0

    /// The result of a burst.
    struct Outcome: Sendable {
        /// The result of each transaction in turn; fewer than were sent if the connection was lost.
        var replies: [Result<[Rows], ServerError>] = []
        var failure: DatabaseFailure?
    }

    /// Sends transactions and waits for their results.
    ///
    /// - Parameter consume: receives the rows of each statement, with its index among the statements of its
    ///   transaction. If it is nil, the rows are in the outcome.
    func run(_ transactions: [Transaction], _ consume: (@Sendable (Int, Rows) -> Void)? = nil) -> Outcome {
        var outcome = Outcome()
        do {
            let handle = try connected()
            try send(transactions, on: handle)
            for _ in transactions { outcome.replies.append(try reply(on: handle, consume)) }
        } catch let failure as DatabaseFailure {
            outcome.failure = failure
            close()
        } catch {
            outcome.failure = .unreachable(reason: "\(error)")
            close()
        }
        return outcome
    }

    func close() { open = nil }

    // MARK: Connecting

    private func connected() throws -> OpaquePointer {
        if let open { return open.handle }
        var options = address.options
        func add(_ name: String, _ value: String) {
            if !options.contains(where: { $0.name == name }) { options.append(.init(name: name, value: value)) }
        }
        add("fallback_application_name", "jimmy")
        add("tcp_user_timeout", "20000")
        add("keepalives_idle", "20")
        let (names, values) = (CStrings(options.map(\.name)), CStrings(options.map(\.value)))
        guard let new = pq_connect(names.pointers, values.pointers) else {
            throw DatabaseFailure.unreachable(reason: systemMessage(ENOMEM))
        }
        let opened = OpenConnection(new)
        try establish(new)
        open = opened
        return new
    }

    private func establish(_ new: OpaquePointer) throws {
        let deadline = ContinuousClock.now + .seconds(address.value("connect_timeout").flatMap(Double.init) ?? Self.connectTime)
        var progress = pq_writing
        while progress != pq_connected {
            // A connection that cannot begin, such as to an unknown host, has no socket.
            guard progress != pq_failed, pq_socket(new) >= 0 else { throw connectionFailure(new) }
            guard try wait(pq_socket(new), reading: progress == pq_reading, writing: progress == pq_writing, until: deadline)
            else { throw DatabaseFailure.unreachable(reason: "no answer") }
            progress = pq_connect_poll(new)
        }
        guard pq_begin(new) else { throw connectionFailure(new) }
    }

    private func connectionFailure(_ handle: OpaquePointer) -> DatabaseFailure {
        // If several hosts were tried, the last message is the most useful.
        let lines = address.withoutPassword(String(cString: pq_error(handle))).split(whereSeparator: \.isNewline)
            .filter { !$0.contains("Is the server running") }
        let reason = lines.last.map { $0.trimmingPrefix { $0.isWhitespace } }.map(String.init) ?? "no answer"
        return pq_needs_password(handle) || Self.refusals.contains(where: reason.contains)
            ? .denied(reason: reason) : .unreachable(reason: reason)
    }

    /// A failed connection has no error code, so its message must be compared.
    private static let refusals = [
        "authentication failed", "no pg_hba.conf entry", "permission denied for database", "is not permitted to log in",
        "no password supplied",
    ]

    // MARK: Sending

    private func send(_ burst: [Transaction], on handle: OpaquePointer) throws {
        for transaction in burst {
            var parsed: Statement?
            for call in transaction.calls {
                try send(call, isParsed: call.statement == parsed, on: handle)
                parsed = call.statement
            }
            guard pq_sync(handle) else { throw lost(handle) }
            // Responses are read early, before the buffers of both sides are full.
            while try !flushed(handle) {}
        }
    }

    /// - Parameter isParsed: true if the preceding call of the same transaction has the same statement.
    private func send(_ call: Call, isParsed: Bool, on handle: OpaquePointer) throws {
        let values = call.parameters.map(\.encoded)
        let (count, lengths) = (Int32(values.count), values.map { Int32($0?.count ?? 0) })
        let formats = [Int32](repeating: 1, count: values.count)
        let isSent = withPointers(to: values) { pointers in
            isParsed
                ? pq_send_again(handle, count, pointers, lengths, formats)
                : pq_send(handle, text(of: call.statement), count, call.parameters.map(\.type), pointers, lengths, formats)
        }
        guard isSent else { throw lost(handle) }
    }

    private func text(of statement: Statement) -> String {
        if let text = rendered[statement] { return text }
        let text = statement.text(inSchema: address.schema)
        rendered[statement] = text
        return text
    }

    private func flushed(_ handle: OpaquePointer) throws -> Bool {
        switch pq_flush(handle) {
        case 0: return true
        case 1:
            let deadline = ContinuousClock.now + .seconds(Self.silence)
            guard try wait(pq_socket(handle), reading: true, writing: true, until: deadline) else { throw silent }
            guard pq_consume(handle) else { throw lost(handle) }
            return false
        default: throw lost(handle)
        }
    }

    private func reply(
        on handle: OpaquePointer, _ consume: ((Int, Rows) -> Void)?
    ) throws -> Result<[Rows], ServerError> {
        var rows: [Rows] = []
        var consumed = 0
        var error: ServerError?
        while true {
            while pq_is_busy(handle) {
                let deadline = ContinuousClock.now + .seconds(Self.silence)
                guard try wait(pq_socket(handle), reading: true, writing: false, until: deadline) else { throw silent }
                guard pq_consume(handle) else { throw lost(handle) }
            }
            guard let result = pq_result(handle) else { continue }
            switch pq_result_kind(result) {
            case pq_rows:
                if let consume { consume(consumed, Rows(result)) } else { rows.append(Rows(result)) }
                consumed += 1
            case pq_synced:
                pq_clear(result)
                return error.map { .failure($0) } ?? .success(rows)
            case pq_skipped: pq_clear(result)
            default:
                defer { pq_clear(result) }
                let state = String(cString: pq_sql_state(result))
                let message = address.withoutPassword(String(cString: pq_message(result)))
                if ServerError.endsConnection(state) { throw DatabaseFailure.unreachable(reason: message) }
                error = error ?? ServerError(state: state, message: message)
            }
        }
    }

    private func lost(_ handle: OpaquePointer) -> DatabaseFailure {
        let lines = address.withoutPassword(String(cString: pq_error(handle))).split(whereSeparator: \.isNewline)
        return .unreachable(reason: lines.first.map(String.init) ?? "the connection was lost")
    }

    private var silent: DatabaseFailure { .unreachable(reason: "no answer") }

    /// - Returns: false if nothing happened before the deadline.
    private func wait(
        _ socket: Int32, reading: Bool, writing: Bool, until deadline: ContinuousClock.Instant
    ) throws -> Bool {
        var descriptor = pollfd(fd: socket, events: Int16((reading ? POLLIN : 0) | (writing ? POLLOUT : 0)), revents: 0)
        while true {
            let remaining = (deadline - .now) / .milliseconds(1)
            guard remaining > 0 else { return false }
            switch poll(&descriptor, 1, Int32(min(remaining.rounded(.up), 60_000))) {
            case 0: return false
            case 1...: return true
            default: if errno != EINTR { throw DatabaseFailure.unreachable(reason: systemMessage(errno)) }
            }
        }
    }
}

/// Closes the connection when its owner is released.
private final class OpenConnection {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }
    deinit { pq_finish(handle) }
}

/// An error reported by the server. `state` is its five-character SQLSTATE (PostgreSQL's appendix A).
struct ServerError: Error, Hashable {
    let state: String
    let message: String

    /// True if the transaction had no effect and can be run again: a serialization failure or a deadlock.
    var isTransient: Bool { state == "40001" || state == "40P01" }

    /// True if the server is shutting down or could not be reached.
    static func endsConnection(_ state: String) -> Bool {
        state.isEmpty || state.hasPrefix("08") || ["57P01", "57P02", "57P03", "53300"].contains(state)
    }

    var failure: DatabaseFailure {
        switch state {
        case "42501", "25006", "28000", "28P01": .denied(reason: message)
        // A table or schema does not exist, which means that there is no library.
        case "42P01", "3F000": .absent
        default: .failed(code: state, reason: message)
        }
    }
}

private func systemMessage(_ number: Int32) -> String { String(cString: strerror(number)) }

private func withPointers<Result>(
    to values: [[UInt8]?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
    // One block for all values, so that their pointers stay valid together.
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: values.reduce(1) { $0 + ($1?.count ?? 0) }, alignment: 1)
    defer { block.deallocate() }
    var offset = 0
    let pointers = values.map { value -> UnsafePointer<CChar>? in
        guard let value else { return nil }
        let bytes = UnsafeMutableRawBufferPointer(rebasing: block[offset...])
        bytes.copyBytes(from: value)
        offset += value.count
        return bytes.baseAddress.map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) }
    }
    return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
}

/// C strings followed by a null pointer; freed with their owner.
private final class CStrings {
    let pointers: [UnsafePointer<CChar>?]

    init(_ texts: [String]) { pointers = texts.map { UnsafePointer(strdup($0)) } + [nil] }

    deinit { for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) } }
}
