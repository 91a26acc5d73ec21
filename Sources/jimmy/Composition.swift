import Directory
import Domain
import Downloads
import Fetching
import Glibc
import Index
import Library
import Parsing
import Presentation
import Recording
import Threads

/// The composition root: the one place that constructs adapters and hands them to the use cases.
///
/// Nothing is opened before it is asked for: a command that only reads takes no lock, one that fetches nothing never
/// loads the HTTP library.
struct Composition: Sendable {
    /// The library's folder, absolute.
    let path: String
    let settings: Settings
    /// Reads and writes the library and the index; nil where each of them shall have a thread of its own.
    private let thread: BlockingThread?

    init(_ settings: Settings, on thread: BlockingThread? = nil) {
        self.settings = settings
        self.thread = thread
        path = settings.library ?? Self.folder("XDG_DATA_HOME", ".local/share")
    }

    /// A failure of the library's folder itself, with the folder named.
    func located(_ error: any Error) -> any Error {
        guard case LibraryFailure.io(let file, let operation, let number) = error, file.isEmpty || number == ENOTDIR else {
            return error
        }
        return LibraryFailure.io(file: path, operation: operation, errno: number)
    }

    /// Whether the library was named by `--library` or `$JIMMY_LIBRARY`, and does not exist. The default place is where a
    /// library begins, so its absence is no error.
    var isMissing: Bool {
        switch settings.origins[.library] {
        case .option, .environment: access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)
        case .file, .default, nil: false
        }
    }

    private func requireLibrary() throws {
        if isMissing { throw FailureLine.noLibrary(at: path) }
    }

    enum Access {
        case read, write
        /// Writing, in a library that may begin now.
        case create
        /// Reading with an index in any case: where the cache cannot be used, it is made for this run.
        case search
    }

    /// - Throws: `LibraryFailure`; `FailureLine` if the library is missing.
    func open(_ access: Access) async throws -> OpenLibrary {
        if access != .create { try requireLibrary() }
        let isWriting = access == .write || access == .create
        let seconds = isWriting ? 5 : 0
        let library = try await Library.open(
            path, isWriting ? .write(waitSeconds: Double(seconds)) : .read, cache: indexFolder, on: thread)
        if let damage = library.damage { FailureLine(damage, doing: "library").lines.forEach(Console.tell) }
        if let earlier = await library.earlierVersion { Console.tell(LibraryWording.tookOver(keptAt: earlier)) }
        let index = try SegmentIndex(folder: indexPath, mayBeTemporary: access == .search, waitSeconds: seconds, on: thread)
        return OpenLibrary(library: library, index: index, composition: self)
    }

    /// Only the subscriptions: the search index, and its thread, are left alone.
    ///
    /// - Throws: `LibraryFailure`.
    func openSubscriptions() async throws -> (fetch: FetchPodcasts, shorten: ShortenIDs) {
        try requireLibrary()
        let library = try await Library.open(path, .read, cache: indexFolder, on: thread)
        return (FetchPodcasts(podcasts: library), ShortenIDs(podcasts: library, episodes: library))
    }

    func verify() async throws -> [LibraryDamage] {
        try requireLibrary()
        return try await Library.verify(path, waitSeconds: 5)
    }

    func isIndexWhole() async throws -> Bool { try await SegmentIndex(folder: indexPath).isWhole() }

    func repair() async throws -> RepairReport {
        try requireLibrary()
        return try await Library.repair(path, waitSeconds: 5)
    }

    /// Throws the index away and makes it from the library.
    func rebuildIndex(progress: (_ done: Int, _ total: Int) -> Void) async throws {
        let library = try await open(.read)
        try await library.index.reset()
        if let podcast = try await library.reconcile(progress: progress).unreadable.first { throw podcast.failure }
    }

    /// The index is no part of the library: it lives in the cache, one for each library's path.
    var indexFolder: String { Self.cacheRoot + "/" + PodcastID(feedURL: path).text.prefix(8) }

    private static var cacheRoot: String { folder("XDG_CACHE_HOME", ".cache") }

    /// Removes what is left of libraries that are gone.
    func sweepCache(now: Timestamp) {
        CacheFolders(root: Self.cacheRoot).sweep(using: indexFolder, of: path, now: Int(now.seconds))
    }

    private var indexPath: String { indexFolder + "/index" }

    /// - Parameters:
    ///   - wire: leads to the servers; nil for one of its own.
    ///   - meter: measures what passes.
    func fetcher(through wire: (any Wire)? = nil, meter: RunMeter? = nil) -> CurlFetcher {
        let wire = wire ?? CurlWire()
        return CurlFetcher(userAgent: settings.userAgent, through: meter.map { MeteredWire(wire, $0) } ?? wire)
    }

    /// Of the library as it is now.
    ///
    /// - Throws: `LibraryFailure`, `RecordingFailure`.
    func runKey() throws -> RunKey {
        try RunKey { try Library.identity(of: path, includingSecrets: $0, $1) }
    }

    /// - Parameter slots: requests that each host gets at once; nil: as set.
    func politeness(slots: Int? = nil) -> Politeness {
        Politeness(slotsPerHost: slots ?? settings.refreshOptions.perHost) { .now }
    }

    /// Every directory; one without the key it needs only says so.
    var directories: [any PodcastDirectory] { [apple(at: nil), podcastIndex] }

    /// The directories that can answer; only the one at `endpoint` if there is one.
    func discover(at endpoint: String?) -> DiscoverPodcasts {
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
    var settingsInForce: [SettingsView.Entry] {
        Setting.allCases.map { setting in
            var (text, origin) = (settings.text(of: setting), settings.origins[setting] ?? .default)
            switch setting {
            case .library: text = path
            case .downloads where text.isEmpty: text = downloadsFolder
            case .directory where text.isEmpty: text = AppleDirectory.searchURL
            case .podcastIndex where text.isEmpty: text = PodcastIndexDirectory.endpoint
            case .country where text.isEmpty: text = AppleDirectory.country
            case .pager where text.isEmpty:
                text = Pager.usual
                if Terminal.variable("PAGER") != nil { origin = .environment(variable: "PAGER") }
            default: break
            }
            return SettingsView.Entry(setting, text, origin)
        }
    }

    /// jimmy's folder in one of the places of the XDG Base Directory Specification, which ignores relative paths.
    static func folder(_ variable: String, _ fallback: String) -> String {
        if let root = Terminal.variable(variable), root.hasPrefix("/") { return root + "/jimmy" }
        return "\(home)/\(fallback)/jimmy"
    }

    /// The XDG user directories, as the session sets them.
    var downloadsFolder: String {
        if let folder = settings.downloads { return folder }
        let root = Terminal.variable("XDG_DOWNLOAD_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? Self.home
        return root + "/Podcasts"
    }

    static var home: String {
        if let home = Terminal.variable("HOME"), home.hasPrefix("/") { return home }
        return getpwuid(getuid()).map { String(cString: $0.pointee.pw_dir) } ?? ""
    }

    static func absolute(_ path: String) -> String {
        var path = path
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard !path.hasPrefix("/"), let here = getcwd(nil, 0) else { return path }
        defer { free(here) }
        return String(cString: here) + "/" + path
    }
}

/// A library that is open, with the use cases that work on it.
struct OpenLibrary: Sendable {
    let library: Library
    let index: SegmentIndex
    let composition: Composition

    var podcasts: any PodcastRepository { library }
    var episodes: any EpisodeRepository { library }
    var transcripts: any TranscriptRepository { library }
    var work: any WorkSource { library }

    var find: FindPodcast { FindPodcast(podcasts: library, episodes: library, index: index, reconcile: reconcile) }
    var shorten: ShortenIDs { ShortenIDs(podcasts: library, episodes: library) }
    var fetchPodcasts: FetchPodcasts { FetchPodcasts(podcasts: library) }
    var fetchEpisodes: FetchEpisodes { FetchEpisodes(podcasts: library, episodes: library, tags: library) }
    var queue: ManageQueue { ManageQueue(queue: library, episodes: library, fetch: fetchEpisodes, tag: tag, undo: library) }
    var tags: any TagRepository { library }
    var tag: TagEpisodes { TagEpisodes(tags: library) }
    var dumpTags: DumpTags { DumpTags(podcasts: library, episodes: library, tags: library) }
    var restoreTags: RestoreTags { RestoreTags(podcasts: library, episodes: library, tags: library) }
    var fetchSimilar: FetchSimilarEpisodes {
        FetchSimilarEpisodes(podcasts: library, episodes: library, index: index, reconcile: reconcile)
    }
    var fetchActivity: FetchActivity { FetchActivity(podcasts: library, episodes: library) }

    var fetchStatus: FetchStatus { FetchStatus(podcasts: library, work: library, queue: library, reconcile: reconcile) }

    /// nil if the index cannot be read, or does not have the podcast.
    func searchLanguage(of podcast: PodcastID) async -> String? { try? await index.language(of: podcast) }

    var reconcile: ReconcileIndex {
        ReconcileIndex(podcasts: library, episodes: library, transcripts: library, index: index)
    }

    var search: SearchEpisodes {
        SearchEpisodes(
            podcasts: library, episodes: library, transcripts: library, tags: library, queue: library, index: index)
    }

    var unsubscribe: UnsubscribeFromPodcast {
        UnsubscribeFromPodcast(podcasts: library, episodes: library, queue: library, tags: library, undo: library, index: index)
    }

    var edit: EditPodcast { EditPodcast(podcasts: library, episodes: library, transcripts: library, undo: library, index: index) }

    var undo: UndoCommands { UndoCommands(undo: library, reconcile: reconcile) }
    var play: PlayEpisode { PlayEpisode(queue: queue, tag: tag, transcripts: library, downloads: library, files: files) }
    var files: any MediaFiles { MediaFolder() }
    var downloads: any DownloadRepository { library }

    func download(by fetcher: CurlFetcher) -> DownloadEpisodes {
        DownloadEpisodes(fetcher: fetcher, files: files, downloads: library, work: library, clock: { .now })
    }

    var subscribe: SubscribeToPodcast {
        SubscribeToPodcast(
            fetcher: composition.fetcher(), makeParser: { FeedParser($0) }, findFeedLinks: { FeedLinks.find($0, $1) },
            directories: composition.directories, podcasts: library, episodes: library, transcripts: library, tags: library,
            index: index, clock: { .now })
    }

    func refresh(by fetcher: CurlFetcher, journal: (any RunJournal)?, meter: RunMeter) -> RefreshEpisodes {
        RefreshEpisodes(
            fetcher: fetcher, makeParser: { FeedParser($0) }, podcasts: library, episodes: library,
            transcripts: library, work: library, tags: library, index: index, clock: { .now }, journal: journal,
            meter: meter)
    }

    func replay(by fetcher: CurlFetcher) -> ReplayEpisodes {
        ReplayEpisodes(
            fetcher: fetcher, makeParser: { FeedParser($0) }, podcasts: library, episodes: library,
            transcripts: library, work: library, tags: library, index: index)
    }

    /// By the fetcher of the refresh before it, whose connections it uses.
    func fetchTranscripts(by fetcher: CurlFetcher) -> FetchTranscripts {
        FetchTranscripts(
            fetcher: fetcher, read: { TranscriptParser.segments(of: $0, $1) }, podcasts: library, episodes: library,
            transcripts: library, work: library, index: index, clock: { .now })
    }
}
