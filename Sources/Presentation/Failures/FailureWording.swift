import Addresses
public import Domain
import Glibc
import Searching

/// All wording of errors.
extension FailureLine {
    /// The line for an error that occurred while `doing` something, such as `refresh`.
    public init(_ error: any Error, doing what: String) {
        switch error {
        case let line as FailureLine: self = line
        case let failure as SettingsFailure: self.init(failure)
        case let failure as LookupFailure: self.init(failure)
        case let failure as LibraryFailure: self.init(failure, doing: what)
        case let failure as SystemFailure: self.init(failure, doing: what)
        case let failure as LocalFailure: self.init(failure, doing: what)
        case let failure as DatabaseFailure: self.init(failure, doing: what)
        case let failure as CopyFailure: self.init(failure)
        case let failure as DownloadsMissing: self.init(failure)
        case let failure as EditFailure: self.init(failure)
        case let failure as FetchFailure: self.init(failure, doing: what)
        case let failure as SubscribeFailure: self.init(failure, doing: what)
        case let failure as DirectoryFailure: self.init(failure, doing: what)
        case let failure as IndexFailure: self.init(failure)
        case let failure as RecordingFailure: self.init(failure, doing: what)
        case let failure as NotAFeed: self.init(what, failure.words, status: .badData)
        case let failure as NotOPML: self.init(what, failure.words, status: .badData)
        case let failure as ImportFailure: self.init(failure, doing: what)
        case let failure as UndoFailure: self.init(failure)
        case is CancellationError: self.init(what, "interrupted", status: .interrupted)
        default: self.init(what, String(describing: error), status: .badData)
        }
    }

    /// Performs `body`; the line of its error names `what`.
    public static func naming<T>(_ what: String, _ body: () throws -> T) throws -> T {
        do { return try body() } catch { throw FailureLine(error, doing: what) }
    }

    init(_ failure: LookupFailure) {
        switch failure {
        case .noSuchPodcast(let name):
            self.init(name, "no such podcast", status: .notFound, advice: "'jimmy podcasts' lists yours")
        case .ambiguousPodcast(let name, let candidates):
            let shown = candidates.prefix(EpisodeCandidates.limit).map { "\($0.id)  \($0.displayTitle.oneLine)" }
            let omitted = candidates.count - shown.count
            self.init(
                name, "\(candidates.count) podcasts match", status: .usage, advice: "use the id of one",
                details: shown + (omitted > 0 ? ["and \(omitted) more"] : []))
        case .noSuchEpisode(let name):
            self.init(
                name, "no such episode", status: .notFound, advice: "'jimmy episodes' lists them, 'jimmy search' finds them")
        case .ambiguousEpisode(let name, let candidates):
            self.init(
                name, "\(grouped(candidates.total)) episodes match", status: .usage, advice: "use the id of one",
                details: CandidateList.lines(of: candidates))
        }
    }

    init(_ failure: LibraryFailure, doing what: String) {
        switch failure {
        case .damaged(let file, let line, let reason):
            let location = line.map { "\(file), line \($0)" } ?? file
            self.init(location, reason, status: .badData, advice: "'jimmy verify --repair' restores what it can")
        case .newerVersion(let file, let version):
            self.init(
                file, "written by a newer jimmy (format \(version))", status: .badData,
                advice: "update jimmy; nothing was changed")
        case .olderVersion(let file, let version):
            self.init(
                file, "made by an earlier version of jimmy (format \(version))", status: .badData,
                advice: "export its subscriptions with that version; nothing was changed")
        case .io(_, _, ENOSPC), .io(_, _, EDQUOT): self.init(what, "no space is left on the disk", status: .diskFailed)
        case .io(let file, let operation, let errno):
            let advice: String? =
                switch errno {
                case EACCES, EPERM: "check the owner and permissions of the file and its folder"
                case EROFS: "mount the file system writable, or use another folder"
                default: nil
                }
            self.init(
                file, "\(operation): \(systemWords(errno))", status: advice == nil ? .diskFailed : .noPermission,
                advice: advice)
        case .locked(let holder, let isRefresh):
            let who = holder.map { " (process \($0))" } ?? ""
            self.init(
                what, "another jimmy\(who) is \(isRefresh ? "refreshing" : "writing") this library", status: .locked,
                advice: "try again when it has finished")
        }
    }

    init(_ failure: SystemFailure, doing what: String) {
        switch failure {
        case .missingLibrary(let name, let errno):
            let reason = errno == 0 ? "not installed, or too old" : systemWords(errno)
            let purpose =
                name.hasPrefix("libxml2") ? "reads feeds" : name.hasPrefix("libpq") ? "reaches databases" : "fetches"
            self.init(name, "cannot be loaded: \(reason)", status: .diskFailed, advice: "jimmy \(purpose) with it")
        case .call(let operation, let errno):
            self.init(what, "\(operation): \(systemWords(errno))", status: .diskFailed)
        }
    }

    init(_ failure: DatabaseFailure, doing what: String) {
        switch failure {
        case .badAddress:
            self.init(
                "library", "not a valid address of a database", status: .usage,
                advice: "such as postgresql://USER@HOST/DATABASE?schema=NAME")
        case .absent:
            self.init("library", "the database holds no library", status: .notFound, advice: "'jimmy subscribe' creates one")
        case .unfinishedCopy:
            self.init(
                "library", "the copy into this database is not finished", status: .badData,
                advice: "the same 'jimmy library copy' command continues it")
        case .unreachable(let reason):
            self.init("library", "the database cannot be reached: \(reason)", status: .unavailable)
        case .denied(let reason): self.init("library", "the database refused access: \(reason)", status: .noPermission)
        case .failed(let code, let reason): self.init("library", "database error \(code): \(reason)", status: .diskFailed)
        }
    }

    init(_ failure: LocalFailure, doing what: String) {
        switch failure {
        case .storage(let failure): self.init(failure, doing: what)
        case .system(let failure): self.init(failure, doing: what)
        case .database(let failure): self.init(failure, doing: what)
        }
    }

    init(_ failure: CopyFailure) {
        switch failure {
        case .occupied(let destination):
            self.init(destination, "holds a library or other files; nothing was changed", status: .badData)
        case .otherSource(let destination, let source):
            self.init(
                destination, "holds an unfinished copy of \(source.oneLine); nothing was changed", status: .badData,
                advice: "finish that one, or delete it")
        }
    }

    init(_ failure: DownloadsMissing) {
        let missing = failure.files == 1 ? "a downloaded file" : "\(grouped(failure.files)) downloaded files"
        self.init(
            failure.folder,
            (failure.isOtherDevice ? "on another disk than before" : "empty")
                + ", though it had \(missing); is its disk mounted?",
            status: .diskFailed, advice: "if you deleted them, 'jimmy downloads remove --query is:downloaded' forgets them")
    }

    init(_ failure: EditFailure) {
        switch failure {
        case .badURL(let url):
            self.init(
                WebURL(url)?.text ?? "feed URL", "not a URL jimmy can fetch", status: .usage, advice: "give an http or https URL")
        case .taken(let podcast):
            self.init(
                podcast.feedURL, "already the feed of \(podcast.displayTitle.oneLine) (\(podcast.id))", status: .usage,
                advice: "unsubscribe from one of the two")
        case .gone:
            self.init("edit", "the podcast was unsubscribed in the meantime", status: .notFound)
        }
    }

    init(_ failure: RecordingFailure, doing what: String) {
        switch failure {
        case .unreadable(let errno): self.init(reading: what, errno: errno)
        case .unwritable(let errno): self.init(writing: what, errno: errno)
        case .missingLibrary(let name):
            self.init(name, "cannot be loaded", status: .diskFailed, advice: "jimmy records with it")
        case .notARecording:
            self.init(what, "not a recording", status: .badData, advice: "'jimmy refresh --record FILE' makes one")
        case .newerVersion(let version):
            self.init(what, "recorded by a newer jimmy (format \(version))", status: .badData, advice: "update jimmy")
        case .damaged(let record):
            self.init(what, "record \(record) is damaged", status: .badData, advice: "everything before it was used")
        case .noBodies:
            self.init(
                what, "recorded without bodies", status: .badData, advice: "record with '--record-bodies feeds'")
        case .noFeed(let name):
            self.init(name, "no such feed in the recording", status: .notFound, advice: "'jimmy replay show' lists them")
        case .noDocument(let name):
            self.init(
                name, "the recording holds no document for it", status: .notFound,
                advice: "'jimmy replay show' lists what servers answered; media files are never recorded")
        }
    }

    init(_ failure: IndexFailure) {
        let status: ExitStatus =
            switch failure {
            case .busy: .locked
            case .denied: .noPermission
            case .damaged: .badData
            case .full, .io: .diskFailed
            }
        var advice: String?
        if case .denied(let folder?) = failure { advice = "check the owner and permissions of \(folder)" }
        self.init("search index", failure.words, status: status, advice: advice)
    }

    init(_ failure: FetchFailure, doing what: String) {
        let local = failure.detail == .localAddress ? "'jimmy subscribe \(what)' can fetch it" : nil
        self.init(failure, doing: what, advice: local)
    }

    init(_ failure: FetchFailure, doing what: String, advice: String?) {
        let status: ExitStatus =
            switch failure.code {
            case .notAFeed: .badData
            case .storage: .diskFailed
            case .cancelled: .interrupted
            default: .unavailable
            }
        self.init(what, failure.words, status: status, advice: advice)
    }

    public init(_ failure: SubscribeFailure, doing what: String) {
        switch failure {
        case .badURL:
            // The user and password were replaced by an ellipsis.
            let hasLogin = what.contains("…@")
            self.init(
                what, "not a URL jimmy can fetch", status: .usage,
                advice: hasLogin
                    ? "in a user or password, write / as %2F, ? as %3F, # as %23, : as %3A and @ as %40"
                    : "give an http or https URL, or find one with 'jimmy discover'")
        case .fetch(let failure): self.init(failure, doing: what)
        case .local(let failure): self.init(failure, doing: what)
        case .directory(let error): self.init(error, doing: what)
        }
    }
}

/// The system's text for an error number, without its capital letter.
public func systemWords(_ number: Int32) -> String {
    guard let text = strerror(number) else { return "error \(number)" }
    let words = String(cString: text)
    return words.prefix(1).lowercased() + words.dropFirst()
}

extension NotOPML {
    var words: String {
        switch self {
        case .empty: "not an OPML list: the document is empty"
        case .notXML(let line): line.map { "not an OPML list: not XML (line \($0))" } ?? "not an OPML list: not XML"
        case .unknownRoot(let name): "not an OPML list: the document is a <\(name.oneLine)>"
        case .tooDeep: "not an OPML list jimmy reads: nested too deep"
        case .entityExpansion: "not an OPML list jimmy reads: its entities expand without end"
        case .tooLarge: "not an OPML list jimmy reads: it takes more memory than one list may have"
        }
    }
}

extension IndexFailure {
    var words: String {
        switch self {
        case .busy: "another jimmy is writing it"
        case .denied: "permission denied"
        case .full: "no space is left on the disk"
        case .damaged: "it was unreadable; the next search rebuilds it"
        case .io(let errno): systemWords(errno)
        }
    }
}

extension NotAFeed {
    public var words: String {
        switch self {
        case .empty: "not a feed: the document is empty"
        case .html: "not a feed: a web page"
        case .notXML(let line): line.map { "not a feed: neither XML nor JSON (line \($0))" } ?? "not a feed: neither XML nor JSON"
        case .unknownRoot("JSON"): "not a feed: JSON, but not a JSON Feed"
        case .unknownRoot("opml"): "not a feed: a list of feeds, for 'jimmy opml import'"
        case .unknownRoot(let name): "not a feed: the document is a <\(name.oneLine)>"
        case .tooDeep: "not a feed jimmy reads: nested too deep"
        case .entityExpansion: "not a feed jimmy reads: its entities expand without end"
        case .tooLarge: "not a feed jimmy reads: it takes more memory than one feed may have"
        }
    }
}
