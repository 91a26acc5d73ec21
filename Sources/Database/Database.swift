public import Domain
import Synchronization
public import Threads

/// The front door: a library in PostgreSQL, shared by any number of processes and machines.
///
/// ```swift
/// let library = try await Database.open(try DatabaseAddress("postgresql://me@db.example/podcasts"), .write)
/// let podcast = try await library.podcast(at: "https://radio.example/feed.xml")
/// ```
/// It implements the same repositories as a library in a folder. A podcast's record, its episodes and its transcripts
/// share one key, and change in one transaction and one round trip, guarded by the record's revision. Nothing stays
/// locked between two calls: leases are rows with an expiry time.
public struct Database: Sendable {
    public enum Mode: Sendable {
        case read
        case write
        /// Writing; creates the library if it does not exist.
        case create
        /// Writing a copy of another library.
        case copy
    }

    public let address: DatabaseAddress
    let session: Session
    let leases: Leases
    let options: Options
    let time: DatabaseTime

    /// How the runs of a process behave towards the database and each other.
    public struct Options: Sendable {
        /// Seconds for which a claim is valid without renewal.
        public var lease: Int64 = 60
        /// How long a run waits for an unreachable server.
        public var maxWait = Duration.seconds(30)

        public init() {}
    }

    /// How long a server may be unreachable before a call outside of a run fails.
    static let maxWait = Duration.seconds(5)

    /// - Parameters:
    ///   - thread: the thread on which calls wait; nil for new ones.
    /// - Throws: `DatabaseFailure`; `LibraryFailure.newerVersion` or `.olderVersion` for a library of another program.
    public static func open(
        _ address: DatabaseAddress, _ mode: Mode, _ options: Options = Options(), on thread: BlockingThread? = nil
    ) async throws -> Database {
        let session = Session(address, maxWait: maxWait, on: thread)
        let milliseconds =
            switch mode {
            case .read, .write: try await Schema.check(session)
            case .create: try await Schema.create(session)
            case .copy: try await Schema.create(session, isCopy: true)
            }
        return Database(
            address: address, session: session, leases: Leases(leaseSeconds: options.lease), options: options,
            time: DatabaseTime(milliseconds: milliseconds))
    }

    public var repositories: Repositories {
        Repositories(
            podcasts: self, episodes: self, transcripts: self, work: self, queue: self, tags: self, positions: self,
            bookmarks: self, downloads: self, undo: self)
    }

    /// The database's clock: its last known time plus the time elapsed since. The clock of this machine is not used.
    public var now: Timestamp { Timestamp(seconds: milliseconds / 1_000) }
    var milliseconds: Int64 { time.milliseconds }
}

/// A clock that is set from the database's and advances on its own.
final class DatabaseTime: Sendable {
    private let state: Mutex<(milliseconds: Int64, at: ContinuousClock.Instant)>

    /// - Parameter milliseconds: since 1970.
    init(milliseconds: Int64) { state = Mutex((milliseconds, .now)) }

    func set(milliseconds: Int64) { state.withLock { $0 = (milliseconds, .now) } }

    var milliseconds: Int64 { state.withLock { $0.milliseconds + Int64((ContinuousClock.now - $0.at) / .milliseconds(1)) } }
}
