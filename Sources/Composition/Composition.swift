import Database
import Directory
public import Domain
import Downloads
import Fetching
import Glibc
import Index
import Library
import Parsing
public import Presentation
public import Recording
public import Threads

/// The composition root: the one place that constructs adapters and hands them to the use cases.
///
/// Nothing is opened before it is asked for: a command that only reads takes no lock, one that fetches nothing never
/// loads the HTTP library.
public struct Composition: Sendable {
    /// The library's folder, absolute; without its password the address of a database.
    public let path: String
    /// The text of a database's address; nil for a folder.
    private let databaseAddress: String?
    public let settings: Settings
    /// Reads and writes the library and the index; nil where each of them shall have a thread of its own.
    let thread: BlockingThread?
    private let tell: @Sendable (String) -> Void

    /// - Parameters:
    ///   - thread: where the library is read and written; nil for threads of its own.
    ///   - tell: gets a line for people when a library that is opened was damaged or taken over.
    public init(_ settings: Settings, on thread: BlockingThread? = nil, tell: @escaping @Sendable (String) -> Void = { _ in }) {
        self.settings = settings
        self.thread = thread
        self.tell = tell
        let place = settings.library ?? Environment.folder("XDG_DATA_HOME", ".local/share")
        databaseAddress = DatabaseAddress.isOne(place) ? place : nil
        path = databaseAddress == nil ? place : DatabaseAddress.shown(place)
    }

    /// The library is in a database, and no file belongs to it.
    public var isInDatabase: Bool { databaseAddress != nil }

    /// A failure of the library's folder itself, with the folder named.
    public func located(_ error: any Error) -> any Error {
        if case DatabaseFailure.absent = error { return FailureLine.noLibrary(at: path) }
        guard case LibraryFailure.io(let file, let operation, let number) = error, file.isEmpty || number == ENOTDIR else {
            return error
        }
        return LibraryFailure.io(file: path, operation: operation, errno: number)
    }

    /// Whether the library was named by `--library` or `$JIMMY_LIBRARY`, and does not exist. The default place is where a
    /// library begins, so its absence is no error.
    public var isMissing: Bool {
        if isInDatabase { return false }
        return switch settings.origins[.library] {
        case .option, .environment: access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)
        case .file, .default, nil: false
        }
    }

    private func requireLibrary() throws {
        if isMissing { throw FailureLine.noLibrary(at: path) }
    }

    public enum Access {
        case read, write
        /// Writing, in a library that may begin now.
        case create
        /// Reading with an index in any case: where the cache cannot be used, it is made for this run.
        case search
    }

    /// - Throws: `LibraryFailure`; `FailureLine` if the library is missing.
    public func open(_ access: Access) async throws -> OpenLibrary {
        if let databaseAddress { return try await open(databaseAddress, access) }
        if access != .create { try requireLibrary() }
        let isWriting = access == .write || access == .create
        let seconds = isWriting ? 5 : 0
        let library = try await Library.open(
            path, isWriting ? .write(waitSeconds: Double(seconds)) : .read, cache: indexFolder, on: thread)
        if let damage = library.damage { FailureLine(damage, doing: "library").lines.forEach(tell) }
        if let earlier = await library.earlierVersion { tell(LibraryWording.tookOver(keptAt: earlier)) }
        let index = try SegmentIndex(folder: indexPath, mayBeTemporary: access == .search, waitSeconds: seconds, on: thread)
        return OpenLibrary(library: library, index: index, clock: { .now }, composition: self)
    }

    private func open(_ address: String, _ access: Access) async throws -> OpenLibrary {
        let mode: Database.Mode =
            switch access {
            case .read, .search: .read
            case .write: .write
            case .create: .create
            }
        var manners = Database.Manners()
        manners.lease = Int64(settings.lease.value)
        manners.patience = .seconds(settings.patience.value)
        let library = try await Database.open(DatabaseAddress(address), mode, manners, on: thread)
        return OpenLibrary(
            library: library, index: try DatabaseIndex(of: library, on: thread), clock: { library.now }, composition: self)
    }

    /// Only the subscriptions: the search index, and its thread, are left alone.
    ///
    /// - Throws: `LibraryFailure`.
    public func openSubscriptions() async throws -> (fetch: FetchPodcasts, shorten: ShortenIDs) {
        if isInDatabase {
            let library = try await open(.read)
            return (library.fetchPodcasts, library.shorten)
        }
        try requireLibrary()
        let library = try await Library.open(path, .read, cache: indexFolder, on: thread)
        return (FetchPodcasts(podcasts: library), ShortenIDs(podcasts: library, episodes: library))
    }

    public func verify() async throws -> [LibraryDamage] {
        if let databaseAddress {
            return try await Database.open(DatabaseAddress(databaseAddress), .read, on: thread).verify()
        }
        try requireLibrary()
        return try await Library.verify(path, waitSeconds: 5)
    }

    public func isIndexWhole() async throws -> Bool {
        if isInDatabase { return true }
        return try await SegmentIndex(folder: indexPath).isWhole()
    }

    public func repair() async throws -> RepairReport {
        if isInDatabase {
            // A database has no second copies of its own; its backups are its owner's.
            var report = RepairReport()
            report.damage = try await verify()
            report.lost = report.damage.map(\.file)
            return report
        }
        try requireLibrary()
        return try await Library.repair(path, waitSeconds: 5)
    }

    /// Throws the index away and makes it from the library.
    public func rebuildIndex(progress: (_ done: Int, _ total: Int) -> Void) async throws {
        let library = try await open(.read)
        try await (library.index as? SegmentIndex)?.reset()
        try await (library.index as? DatabaseIndex)?.reset()
        if let podcast = try await library.reconcile(progress: progress).unreadable.first { throw podcast.failure }
    }

    /// The index is no part of the library: it lives in the cache, one for each library's path.
    public var indexFolder: String { Self.cacheRoot + "/" + libraryKey }

    /// Names the library in folders that belong to it.
    public var libraryKey: String { String(PodcastID(feedURL: path).text.prefix(8)) }

    private static var cacheRoot: String { Environment.folder("XDG_CACHE_HOME", ".cache") }

    /// Removes what is left of libraries that are gone.
    public func sweepCache(now: Timestamp) {
        if isInDatabase { return }
        CacheFolders(root: Self.cacheRoot).sweep(using: indexFolder, of: path, now: Int(now.seconds))
    }

    private var indexPath: String { indexFolder + "/index" }

    /// - Parameters:
    ///   - wire: leads to the servers; nil for one of its own.
    ///   - meter: measures what passes.
    public func fetcher(through wire: (any Wire)? = nil, meter: RunMeter? = nil) -> any FeedFetching {
        let wire = wire ?? CurlWire()
        return CurlFetcher(userAgent: settings.userAgent, through: meter.map { MeteredWire(wire, $0) } ?? wire)
    }

    /// A fetcher for what strangers choose: it asks the public internet, and other servers only if `mayAsk` says so.
    public func guardedFetcher(mayAsk: @escaping @Sendable (String) async -> Bool) -> any FeedFetching {
        CurlFetcher(userAgent: settings.userAgent, through: PublicWire(CurlWire(), mayAsk: mayAsk))
    }

    /// Of the library as it is now.
    ///
    /// - Throws: `LibraryFailure`, `RecordingFailure`.
    public func runKey() throws -> RunKey {
        if isInDatabase { throw FailureLine.recordingNeedsFolder }
        return try RunKey { try Library.identity(of: path, includingSecrets: $0, $1) }
    }

    /// - Parameter slots: requests that each host gets at once; nil: as set.
    public func politeness(slots: Int? = nil) -> Politeness {
        Politeness(slotsPerHost: slots ?? settings.refreshOptions.perHost) { .now }
    }

    /// Every directory; one without the key it needs only says so.
    public var directories: [any PodcastDirectory] { [apple(at: nil), podcastIndex] }

    /// The directories that can answer; only the one at `endpoint` if there is one.
    public func discover(at endpoint: String?) -> DiscoverPodcasts {
        guard endpoint == nil, settings.podcastIndexKey != nil else {
            return DiscoverPodcasts(directories: [apple(at: endpoint)])
        }
        return DiscoverPodcasts(directories: directories)
    }

    private func apple(at endpoint: String?) -> AppleDirectory {
        AppleDirectory(
            fetcher: fetcher(), politeness: politeness(),
            searchURL: endpoint ?? settings.directory ?? AppleDirectory.searchURL)
    }

    private var podcastIndex: PodcastIndexDirectory {
        PodcastIndexDirectory(
            fetcher: fetcher(), politeness: politeness(), endpoint: settings.podcastIndex ?? PodcastIndexDirectory.endpoint,
            key: settings.podcastIndexKey.map { PodcastIndexDirectory.Key($0.key, secret: $0.secret) }, clock: { .now })
    }

    /// Every setting as it is in force, what nobody set included.
    public var settingsInForce: [SettingsView.Entry] {
        Setting.allCases.map { setting in
            var (text, origin) = (settings.text(of: setting), settings.origins[setting] ?? .default)
            switch setting {
            case .library: text = path
            case .downloads where text.isEmpty: text = downloadsFolder
            case .directory where text.isEmpty: text = AppleDirectory.searchURL
            case .podcastIndex where text.isEmpty: text = PodcastIndexDirectory.endpoint
            case .country where text.isEmpty: text = AppleDirectory.country
            case .pager where text.isEmpty:
                text = Environment.pager
                if Environment.variable("PAGER") != nil { origin = .environment(variable: "PAGER") }
            default: break
            }
            return SettingsView.Entry(setting, text, origin)
        }
    }

    /// The XDG user directories, as the session sets them.
    public var downloadsFolder: String {
        if let folder = settings.downloads { return folder }
        let root = Environment.variable("XDG_DOWNLOAD_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? Environment.home
        return root + "/Podcasts"
    }
}
