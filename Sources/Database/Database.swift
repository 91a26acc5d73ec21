public import Domain
import Synchronization
public import Threads

/// The front door: a library in PostgreSQL, shared by any number of processes and machines.
///
/// ```swift
/// let library = try await Database.open(try DatabaseAddress("postgresql://me@db.example/podcasts"), .write).repositories
/// let podcast = try await library.podcasts.podcast(at: "https://radio.example/feed.xml")
/// ```
/// It has the same stores as a library in a folder, each with its tables. A podcast's record, its episodes and its transcripts
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
    /// Distinguishes this library from an earlier one at the same address, whose index may still be in the cache.
    public let id: UInt64?
    let session: Session
    let podcasts: PodcastStore
    let work: WorkStore
    private let time: DatabaseTime

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
        let greeting =
            switch mode {
            case .read, .write: try await Schema.check(session)
            case .create: try await Schema.create(session)
            case .copy: try await Schema.create(session, isCopy: true)
            }
        return Database(address, session, options, greeting)
    }

    private init(_ address: DatabaseAddress, _ session: Session, _ options: Options, _ greeting: Schema.Greeting) {
        (self.address, self.session, id) = (address, session, greeting.id)
        time = DatabaseTime(milliseconds: greeting.milliseconds)
        let owner = OwnerWriter(session: session, time: time)
        podcasts = PodcastStore(
            session: session, time: time, bundles: BundleTable(session: session, time: time),
            episodes: EpisodeStore(session: session), tags: TagStore(owner: owner))
        work = WorkStore(
            session: session, leases: Leases(leaseSeconds: options.lease), options: options, time: time, owner: owner,
            podcasts: podcasts)
    }

    public var repositories: Repositories {
        Repositories(
            podcasts: podcasts, episodes: podcasts.episodes,
            transcripts: TranscriptStore(
                session: session, podcasts: podcasts, owner: work.owner, leaseSeconds: work.leases.leaseSeconds),
            work: work,
            queue: QueueStore(owner: work.owner), tags: podcasts.tags, positions: PositionStore(owner: work.owner),
            bookmarks: BookmarkStore(owner: work.owner), downloads: DownloadStore(owner: work.owner),
            undo: UndoStore(owner: work.owner, podcasts: podcasts))
    }

    /// The database's clock: its last known time plus the time elapsed since. The clock of this machine is not used.
    public var now: Timestamp { time.now }
}

/// A clock that is set from the database's and advances on its own.
final class DatabaseTime: Sendable {
    private let state: Mutex<(milliseconds: Int64, at: ContinuousClock.Instant)>

    /// - Parameter milliseconds: since 1970.
    init(milliseconds: Int64) { state = Mutex((milliseconds, .now)) }

    var now: Timestamp { Timestamp(seconds: milliseconds / 1_000) }

    func set(milliseconds: Int64) { state.withLock { $0 = (milliseconds, .now) } }

    var milliseconds: Int64 { state.withLock { $0.milliseconds + Int64((ContinuousClock.now - $0.at) / .milliseconds(1)) } }
}
