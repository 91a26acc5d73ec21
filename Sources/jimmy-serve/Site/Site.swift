import Addresses
import Composition
import Domain
import Synchronization

/// The state shared by all handlers: the library, the pages, the sessions.
final class Site: Sendable {
    struct Options: Sendable {
        var listen: ListenAddress
        /// nil: derived from the request's Host header.
        var publicURL: WebURL?
        /// Proxies whose X-Forwarded-For header is trusted.
        var trustedProxies: Set<String> = []
        var refreshes = false
    }

    let composition: Composition
    let options: Options
    let sessions: Sessions
    let pages: PageTemplates
    let traffic = Traffic()
    /// The library for writing; writes happen one after the other.
    let writer: OpenLibrary
    /// Libraries for reading. Each has its own threads, so that a long query does not hold up short ones.
    private let readers: [OpenLibrary]
    private let next = Atomic<Int>(0)
    /// Number of refreshes that are running.
    let refreshes = Atomic<Int>(0)
    /// The episodes that are being transcribed, or wait for it.
    let transcribing = Mutex<[EpisodeID]>([])
    let covers: Covers
    let feeds: WebFeeds
    let downloads: DownloadRuns
    let apps: AppStore
    let appLogins = AppLogins()
    let pings: PingStore

    /// - Throws: `LibraryFailure`, `FailureLine`.
    init(_ composition: Composition, passwords: PasswordFile, options: Options) async throws {
        self.composition = composition
        self.options = options
        sessions = Sessions(passwords)
        pages = try PageTemplates()
        writer = try await composition.open(.write)
        var readers: [OpenLibrary] = []
        for _ in 0..<2 { readers.append(try await composition.open(.read)) }
        self.readers = readers
        let state = Environment.folder("XDG_STATE_HOME", ".local/state") + "/" + composition.libraryKey
        apps = AppStore(writer, folder: state)
        pings = PingStore(folder: state)
        feeds = WebFeeds(composition, podcasts: readers[0].podcasts)
        downloads = DownloadRuns(feeds, writer)
        covers = Covers(folder: composition.indexFolder + "/covers")
    }

    /// The next library for reading, in turn.
    var reader: OpenLibrary {
        readers[next.wrappingAdd(1, ordering: .relaxed).oldValue & (readers.count - 1)]
    }
}
