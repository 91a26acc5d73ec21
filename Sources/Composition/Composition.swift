import Database
import Directory
public import Domain
import Downloads
import Fetching
import FileSystem
import Glibc
import Index
import Library
import Parsing
public import Presentation
public import Recording
import Results
public import Searching
public import Threads
public import UseCases

/// The composition root: the one place that constructs adapters and hands them to the use cases.
///
/// Nothing is opened before it is needed: a command that only reads takes no lock, and one that fetches nothing never
/// loads the HTTP library.
public struct Composition: Sendable {
    /// The absolute path of the library's folder, or the address of a database without its password.
    public let path: String
    /// The address of a database; nil for a folder.
    private let databaseAddress: String?
    public let settings: Settings
    /// The thread that reads and writes the library and the index; nil if each of them uses its own.
    let thread: BlockingThread?
    private let tell: @Sendable (String) -> Void

    /// - Parameters:
    ///   - thread: the thread on which the library is read and written; nil for new ones.
    ///   - tell: called with a message for the user if the opened library was damaged.
    public init(_ settings: Settings, on thread: BlockingThread? = nil, tell: @escaping @Sendable (String) -> Void = { _ in }) {
        self.settings = settings
        self.thread = thread
        self.tell = tell
        let location = settings.library ?? Environment.folder("XDG_DATA_HOME", ".local/share")
        databaseAddress = DatabaseAddress.isOne(location) ? location : nil
        path = databaseAddress == nil ? location : DatabaseAddress.shown(location)
    }

    /// What the settings and the time zone explain in queries.
    public var expansion: QueryExpansion { QueryExpansion(named: settings.queries, zone: Timestamp.now.zone) }

    /// True if the library is in a database.
    public var isInDatabase: Bool { databaseAddress != nil }

    /// Names the library in a failure that concerns it as a whole.
    public func located(_ error: any Error) -> any Error {
        if case DatabaseFailure.absent = error { return FailureLine.noLibrary(at: path) }
        guard case LibraryFailure.io(_, let operation, ENOTDIR) = error else { return error }
        return LibraryFailure.io(file: path, operation: operation, errno: ENOTDIR)
    }

    /// True if `--library` or `$JIMMY_LIBRARY` names a library that does not exist: there is no such folder, or it holds
    /// other files only. An empty folder is an empty library, and so is one whose creation was interrupted. A missing library
    /// in the default folder is no error: it is created there.
    public var isMissing: Bool {
        if isInDatabase { return false }
        switch settings.origin(of: .library) {
        case .option, .environment:
            if access(path, F_OK) != 0 { return errno == ENOENT || errno == ENOTDIR }
            guard let names = folderNames(path), !names.isEmpty, !names.contains("lock") else { return false }
            return !isBegun
        case .file, .default: return false
        }
    }

    /// True if a library was begun, or is in a database.
    public var isBegun: Bool { isInDatabase || (try? Library.exists(path)) ?? true }

    private func requireLibrary() throws {
        if isMissing { throw FailureLine.noLibrary(at: path) }
    }

    public enum Access {
        case read, write
        /// Writing; creates the library if it does not exist.
        case create
        /// Reading with an index in any case: if the cache cannot be used, a temporary index is made.
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
        return OpenLibrary(
            repositories: placed(library.repositories), index: try index(of: library.id, access, waitSeconds: seconds),
            indexesChanges: true, clock: { .now }, composition: self)
    }

    private func open(_ address: String, _ access: Access) async throws -> OpenLibrary {
        let mode: Database.Mode =
            switch access {
            case .read, .search: .read
            case .write: .write
            case .create: .create
            }
        var options = Database.Options()
        options.lease = Int64(settings.lease.value)
        options.maxWait = .seconds(settings.patience.value)
        let library = try await Database.open(DatabaseAddress(address), mode, options, on: thread)
        CacheFolders(root: Self.cacheRoot).noteUse(of: indexFolder, for: path, isNew: access == .search)
        let seconds = mode == .read ? 0 : 5
        return OpenLibrary(
            repositories: placed(library.repositories), index: try index(of: library.id, access, waitSeconds: seconds),
            indexesChanges: false, clock: { library.now }, composition: self)
    }

    private func placed(_ library: Repositories) -> Repositories {
        var library = library
        library.downloads = PlacedDownloads(library.downloads, in: downloadsFolder)
        return library
    }

    private func index(of library: UInt64?, _ access: Access, waitSeconds: Int) throws -> SegmentIndex {
        try SegmentIndex(
            folder: indexPath, of: library, mayBeTemporary: access == .search, waitSeconds: waitSeconds, on: thread)
    }

    /// Opens only the subscriptions, without the search index and its thread.
    ///
    /// - Throws: `LibraryFailure`.
    public func openSubscriptions() async throws -> (fetch: FetchPodcasts, shorten: ShortenIDs) {
        if isInDatabase {
            let library = try await open(.read)
            return (library.fetchPodcasts, library.shorten)
        }
        try requireLibrary()
        let library = try await Library.open(path, .read, cache: indexFolder, on: thread)
        return (FetchPodcasts(library.repositories), ShortenIDs(library.repositories))
    }

    public func verify() async throws -> [LibraryDamage] {
        if let databaseAddress {
            return try await Database.open(DatabaseAddress(databaseAddress), .read, on: thread).verify()
        }
        try requireLibrary()
        return try await Library.verify(path, waitSeconds: 5)
    }

    public func isIndexWhole() async throws -> Bool {
        try await SegmentIndex(folder: indexPath).isWhole()
    }

    public func repair() async throws -> RepairReport {
        if isInDatabase {
            // A database has no second copies; its owner is responsible for backups.
            var report = RepairReport()
            report.damage = try await verify()
            report.lost = report.damage.map(\.file)
            return report
        }
        try requireLibrary()
        return try await Library.repair(path, waitSeconds: 5)
    }

    /// Deletes the index and makes it again from the library.
    public func rebuildIndex(progress: (_ done: Int, _ total: Int) -> Void) async throws {
        let library = try await open(.read)
        try await library.index.reset()
        if let podcast = try await library.reconcile(progress: progress).unreadable.first { throw podcast.failure }
    }

    /// The folder of the index, and of a folder's catalogue and places of episodes. It is in the cache, one per library,
    /// since it is not part of the library.
    public var indexFolder: String { Self.cacheRoot + "/" + libraryKey }

    /// The name of folders that belong to this library.
    public var libraryKey: String { String(PodcastID(feedURL: path).text.prefix(8)) }

    private static var cacheRoot: String { Environment.folder("XDG_CACHE_HOME", ".cache") }

    /// Removes cache folders of libraries that no longer exist.
    public func sweepCache(now: Timestamp) {
        if isInDatabase { return }
        CacheFolders(root: Self.cacheRoot).sweep(using: indexFolder, of: path, now: Int(now.seconds))
    }

    private var indexPath: String { indexFolder + "/index" }

    /// - Parameters:
    ///   - wire: the connection to the servers; nil for a new one.
    ///   - meter: measures the traffic; nil for no measurement.
    public func fetcher(through wire: (any Wire)? = nil, meter: RunMeter? = nil) -> any FeedFetching {
        let wire = wire ?? CurlWire()
        return CurlFetcher(userAgent: settings.userAgent, through: meter.map { MeteredWire(wire, $0) } ?? wire)
    }

    /// A fetcher for URLs chosen by strangers: it connects to the public internet, and to other hosts only if `mayAsk`
    /// allows it.
    public func guardedFetcher(mayAsk: @escaping @Sendable (String) async -> Bool) -> any FeedFetching {
        CurlFetcher(userAgent: settings.userAgent, through: PublicWire(CurlWire(), mayAsk: mayAsk))
    }

    /// The key of a run, derived from the library's current state.
    ///
    /// - Throws: `LibraryFailure`, `RecordingFailure`.
    public func runKey() throws -> RunKey {
        if isInDatabase { throw FailureLine.recordingNeedsFolder }
        return try RunKey { try Library.identity(of: path, includingSecrets: $0, $1) }
    }

    /// - Parameter slots: number of parallel requests to a host; nil for the setting.
    public func politeness(slots: Int? = nil) -> Politeness {
        Politeness(slotsPerHost: slots ?? settings.refreshOptions.perHost) { .now }
    }

    /// All directories; one that lacks its key reports that when it is searched.
    public var directories: [any PodcastDirectory] { [apple(at: nil), podcastIndex] }

    /// The directories that can be searched; only the one at `endpoint` if that is not nil.
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

    /// The current values of all settings, including defaults.
    public var settingsInForce: [SettingsView.Entry] {
        Setting.allCases.map { setting in
            var (text, origin) = (settings.text(of: setting), settings.origin(of: setting))
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

    /// The folder for downloads: the setting, otherwise a subfolder of the XDG download folder.
    public var downloadsFolder: String {
        if let folder = settings.downloads {
            let end = folder.lastIndex { $0 != "/" }
            return end.map { String(folder[...$0]) } ?? folder
        }
        let root = Environment.variable("XDG_DOWNLOAD_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? Environment.home
        return root + "/Podcasts"
    }
}
