import Domain
import Threads

/// Runs transactions on a few connections, and repeats them if that is safe: after a serialization failure, a deadlock,
/// or a lost connection. Every transaction is written so that repeating a committed one changes nothing.
actor Session {
    let address: DatabaseAddress
    private let thread: BlockingThread?
    /// How long a server may be unreachable before a call fails; nil for no limit.
    private var maxWait: Duration?
    /// When the server was first found to be unreachable; nil while it responds.
    private var lostAt: ContinuousClock.Instant?
    private var connections: [(connection: Connection, users: Int)] = []
    /// Reads that join the one that is about to be sent; nil if none is.
    private var joining: [(read: Transaction, rows: CheckedContinuation<[Rows]?, Never>)]?

    private static let maxConnections = 3
    /// How long to wait at most when the run is to end.
    private static let maxLastWait = Duration.seconds(1)
    private static let maxConflicts = 60

    /// - Parameter thread: the thread on which calls wait; nil for new ones.
    init(_ address: DatabaseAddress, maxWait: Duration, on thread: BlockingThread?) {
        self.address = address
        self.maxWait = maxWait
        self.thread = thread
    }

    func setMaxWait(_ maxWait: Duration?) { self.maxWait = maxWait }

    /// Reads, in one round trip, which reads that begin at the same time share.
    ///
    /// - Returns: the rows of each call in turn.
    func read(_ parts: [Transaction]) async throws -> [Rows] {
        guard !parts.isEmpty else { return [] }
        let read = Transaction(reading: parts)
        if joining != nil {
            let rows = await withCheckedContinuation { joining?.append((read, $0)) }
            if let rows { return rows } else { return try await alone(read) }
        }
        joining = []
        await Task.yield()
        let joined = joining ?? []
        joining = nil
        if joined.isEmpty { return try await alone(read) }
        let rows = try? await alone(Transaction(reading: [read] + joined.map(\.read)))
        var first = read.calls.count
        for other in joined {
            let count = other.read.calls.count
            other.rows.resume(returning: rows.map { Array($0[first..<first + count]) })
            first += count
        }
        // If one of them is refused, each is sent by itself.
        if let rows { return Array(rows.prefix(read.calls.count)) } else { return try await alone(read) }
    }

    private func alone(_ read: Transaction) async throws -> [Rows] { try await run([read]).first?.orFailure() ?? [] }

    /// Reads many rows, in one round trip.
    ///
    /// - Parameter consume: the same as that of `run`.
    func read(_ parts: [Transaction], _ consume: @escaping @Sendable (Int, Rows) -> Void) async throws {
        if parts.isEmpty { return }
        _ = try await run([Transaction(reading: parts)], consume).first?.orFailure()
    }

    /// Runs transactions, each of which is committed or fails by itself.
    ///
    /// - Parameter consume: receives the rows of each statement, with its index, while the next ones are on their way.
    ///   It receives them again if the transaction is repeated.
    /// - Returns: for each transaction its rows, unless they were consumed, or the error with which the server refused
    ///   it.
    /// - Throws: `DatabaseFailure` if the server cannot be reached any more.
    func run(
        _ transactions: [Transaction], _ consume: (@Sendable (Int, Rows) -> Void)? = nil
    ) async throws -> [Result<[Rows], ServerError>] {
        var replies = [Result<[Rows], ServerError>?](repeating: nil, count: transactions.count)
        var remaining = Array(transactions.indices)
        var conflicts = 0
        var absence: Absence?
        while !remaining.isEmpty {
            let burst = remaining.map { transactions[$0] }
            let outcome = try await onConnection { await $0.run(burst, consume) }
            let hasConflict = note(outcome, remaining, &replies)
            remaining = remaining.filter { replies[$0] == nil }
            if let failure = outcome.failure {
                absence = try await rideOut(failure, absence)
                continue
            }
            lostAt = nil
            guard hasConflict else { continue }
            conflicts += 1
            guard conflicts < Self.maxConflicts else {
                throw DatabaseFailure.failed(code: "40001", reason: "too many writers at once")
            }
            await pause(.milliseconds(Int.random(in: 1...(4 << min(conflicts, 6)))))
        }
        return replies.compactMap { $0 }
    }

    /// How long a call has failed to reach the server.
    private struct Absence {
        let since = ContinuousClock.now
        var wait = Duration.milliseconds(20)
    }

    /// Waits before the next attempt, longer each time.
    ///
    /// - Throws: the failure, if the server has been unreachable for too long. All calls share that time: a call that
    ///   begins after another has given up fails at once.
    private func rideOut(_ failure: DatabaseFailure, _ absence: Absence?) async throws -> Absence {
        var absence = absence ?? Absence()
        guard case .unreachable = failure else { throw failure }
        let since = min(lostAt ?? absence.since, absence.since)
        lostAt = since
        let maxWait = Task.isCancelled ? min(self.maxWait ?? Self.maxLastWait, Self.maxLastWait) : self.maxWait
        let passed = ContinuousClock.now - since
        if let maxWait, passed >= maxWait { throw failure }
        // The last attempt comes when the time is over, not after another wait.
        let wait = maxWait.map { min(absence.wait, $0 - passed) } ?? absence.wait
        if Task.isCancelled { await pause(wait) } else { try? await Task.sleep(for: wait) }
        absence.wait = min(absence.wait * 2, .milliseconds(Int.random(in: 1_500...2_500)))
        return absence
    }

    /// Waits even in a cancelled task, which still has results to store.
    private func pause(_ time: Duration) async { await Task { try? await Task.sleep(for: time) }.value }

    /// - Returns: true if any transaction must be repeated.
    private func note(
        _ outcome: Connection.Outcome, _ indices: [Int], _ replies: inout [Result<[Rows], ServerError>?]
    ) -> Bool {
        var transients = false
        for (index, reply) in zip(indices, outcome.replies) {
            if case .failure(let error) = reply, error.isTransient { transients = true } else { replies[index] = reply }
        }
        return transients
    }

    private func onConnection<Result: Sendable>(_ body: @Sendable (Connection) async -> Result) async throws -> Result {
        let index = try freeConnection()
        connections[index].users += 1
        defer { connections[index].users -= 1 }
        return await body(connections[index].connection)
    }

    /// An unused connection, otherwise a new one, otherwise the one with the fewest users.
    private func freeConnection() throws -> Int {
        let best = connections.indices.min { connections[$0].users < connections[$1].users }
        if let best, connections[best].users == 0 || connections.count == Self.maxConnections { return best }
        // Calls on one thread wait one after the other, so a second connection would not help.
        if let best, thread != nil { return best }
        do {
            connections.append((Connection(address, on: try thread ?? BlockingThread(for: .storing)), 0))
        } catch {
            // If no further thread can be started, the existing connections must do.
            if let best { return best }
            throw error
        }
        return connections.count - 1
    }
}
