public import Domain
public import Threads

/// The front door: a library in PostgreSQL, shared by any number of processes and machines.
///
/// ```swift
/// let library = try await Database.open(try DatabaseAddress("postgresql://me@db.example/podcasts"), .write)
/// let podcast = try await library.podcast(at: "https://radio.example/feed.xml")
/// ```
/// It implements the repositories that a library in a folder implements. A podcast's record, its episodes and its
/// transcripts have one key, and change in one transaction of one round trip, guarded by the record's revision. Nothing is
/// locked between two calls: leases are rows with a time at which they expire.
public struct Database: Sendable {
    public enum Mode: Sendable {
        case read
        case write
        /// Writing, in a library that may begin now.
        case create
    }

    public let address: DatabaseAddress
    let session: Session
    let leases: Leases
    private let time: DatabaseTime

    /// - Parameters:
    ///   - patience: how long a server may be away before a call fails.
    ///   - thread: where to wait; nil for threads of its own.
    /// - Throws: `DatabaseFailure`; `LibraryFailure.newerVersion` for a library of a later program.
    public static func open(
        _ address: DatabaseAddress, _ mode: Mode, patience: Duration = .seconds(5), leaseSeconds: Int64 = 60,
        on thread: BlockingThread? = nil
    ) async throws -> Database {
        let session = Session(address, patience: patience, on: thread)
        let state: Schema.State
        switch mode {
        case .read, .write: state = try await Schema.check(session)
        case .create: state = try await Schema.create(session)
        }
        return Database(
            address: address, session: session, leases: Leases(leaseSeconds: leaseSeconds),
            time: DatabaseTime(milliseconds: state.now))
    }

    /// The database's clock, as it was when the library was opened and with the time since then. This machine's own clock
    /// does not matter.
    public var now: Timestamp { Timestamp(seconds: milliseconds / 1_000) }
    var milliseconds: Int64 { time.milliseconds }
}

/// A clock that was set once and does not jump.
struct DatabaseTime: Sendable {
    private let first: Int64
    private let start = ContinuousClock.now

    /// - Parameter milliseconds: since 1970.
    init(milliseconds: Int64) { first = milliseconds }

    var milliseconds: Int64 { first + Int64((ContinuousClock.now - start) / .milliseconds(1)) }
}
