import Composition
import Domain
import Synchronization

/// What the handlers of requests share: the library, the pages, and who may ask.
final class Site: Sendable {
    struct Options: Sendable {
        var listen: ListenAddress
        /// nil: as the request's Host says.
        var publicURL: WebURL?
        /// Proxies whose X-Forwarded-For is believed.
        var trustedProxies: Set<String> = []
        var refreshes = false
    }

    let composition: Composition
    let options: Options
    let sessions: Sessions
    let pages: PageTemplates
    let traffic = Traffic()
    /// Writes, one after the other.
    let writer: OpenLibrary
    /// Each has threads of its own, so that a long question does not hold up the short ones.
    private let readers: [OpenLibrary]
    private let next = Atomic<Int>(0)
    /// Refreshes that run now.
    let refreshes = Atomic<Int>(0)
    let covers: Covers
    let feeds: WebFeeds
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
        covers = Covers(folder: composition.indexFolder + "/covers")
    }

    /// A library to read.
    var reader: OpenLibrary {
        readers[next.wrappingAdd(1, ordering: .relaxed).oldValue & (readers.count - 1)]
    }
}
