public import Domain
import Synchronization
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
        /// Writing what is to be the copy of another library.
        case copy
    }

    public let address: DatabaseAddress
    let session: Session
    let leases: Leases
    let manners: Manners
    let time: DatabaseTime
    /// False for a reader of what an earlier program created and nobody has migrated.
    let hasSummaries: Bool

    /// How the runs of a process behave towards the database and each other.
    public struct Manners: Sendable {
        /// Seconds for which a claim lasts without renewal.
        public var lease: Int64 = 60
        /// How long a run waits for a server that is away.
        public var patience = Duration.seconds(30)

        public init() {}
    }

    /// How long a server may be away before a call outside of a run fails.
    static let patience = Duration.seconds(5)

    /// - Parameters:
    ///   - thread: where to wait; nil for threads of its own.
    /// - Throws: `DatabaseFailure`; `LibraryFailure.newerVersion` for a library of a later program.
    public static func open(
        _ address: DatabaseAddress, _ mode: Mode, _ manners: Manners = Manners(), on thread: BlockingThread? = nil
    ) async throws -> Database {
        let session = Session(address, patience: patience, on: thread)
        let state: Schema.State
        switch mode {
        case .read, .write: state = try await Schema.open(session, isReading: mode == .read)
        case .create: state = try await Schema.create(session)
        case .copy: state = try await Schema.create(session, isCopy: true)
        }
        return Database(
            address: address, session: session, leases: Leases(leaseSeconds: manners.lease), manners: manners,
            time: DatabaseTime(milliseconds: state.now), hasSummaries: state.version >= Schema.summarized)
    }

    /// The database's clock, as it was when it was last asked and with the time since then. This machine's own clock
    /// does not matter.
    public var now: Timestamp { Timestamp(seconds: milliseconds / 1_000) }
    var milliseconds: Int64 { time.milliseconds }
}

/// A clock that is set by the database's, and goes on between.
final class DatabaseTime: Sendable {
    private let state: Mutex<(milliseconds: Int64, at: ContinuousClock.Instant)>

    /// - Parameter milliseconds: since 1970.
    init(milliseconds: Int64) { state = Mutex((milliseconds, .now)) }

    func set(milliseconds: Int64) { state.withLock { $0 = (milliseconds, .now) } }

    var milliseconds: Int64 { state.withLock { $0.milliseconds + Int64((ContinuousClock.now - $0.at) / .milliseconds(1)) } }
}
