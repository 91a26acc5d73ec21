public import Domain
internal import Glibc
public import Searching
public import Threads

/// The search index: an inverted index in a folder of files of its own.
///
/// It is outside the library, in the user's cache: deleting it costs only the time to rebuild it. Files that cannot be
/// read as an index of this version are replaced by an empty index, in which every podcast is stale. Other processes
/// may read while this one writes.
///
/// ```
/// IndexChange ─▶ IndexedText ─▶ CTokenizer ─▶ SegmentBuffer ─▶ segment ─▶ manifest      (IndexUpdate; Merge now and then)
/// SearchQuery ─▶ MatchExpression ─▶ cursors over each segment ─▶ Ranking ─▶ hits    (IndexSearch)
/// ```
public actor SegmentIndex: SearchIndex {
    private let thread: BlockingThread
    private var folder: IndexFolder
    private let mayBeTemporary: Bool
    private var temporary: TemporaryFolder?
    private let waitSeconds: Int
    private var update: IndexUpdate?
    /// True if this process wrote to the index, so that it must be readable.
    private var hasChanged = false
    /// True after the first search. A command searches once; a process that searches again keeps touched memory.
    private var hasSearched = false
    private var opened: (stamp: IndexFolder.Stamp?, snapshot: IndexSnapshot)?

    /// - Parameters:
    ///   - folder: created when it is first written to.
    ///   - library: the id of the library. An index of another one counts as none.
    ///   - mayBeTemporary: true to use a temporary index if there is none and none can be written; it is deleted
    ///     together with this actor.
    ///   - waitSeconds: how long a change waits for another process to finish. Searches never wait.
    ///   - thread: the thread that reads and writes; nil for a new one.
    /// - Throws: `SystemFailure` if the system cannot create a thread.
    public init(
        folder: String, of library: UInt64? = nil, mayBeTemporary: Bool = false, waitSeconds: Int = 5,
        on thread: BlockingThread? = nil
    ) throws {
        self.thread = try thread ?? BlockingThread(for: .indexing)
        self.folder = IndexFolder(path: folder, library: library)
        self.mayBeTemporary = mayBeTemporary
        self.waitSeconds = waitSeconds
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    public func add(_ changes: [IndexChange]) throws {
        guard !changes.isEmpty else { return }
        try reportingFailures {
            if update == nil { update = try begin() }
            hasChanged = true
            try update?.add(changes)
            try makeWay()
        }
    }

    /// Lets a waiting process change the index between two batches of this one.
    private func makeWay() throws {
        guard update?.isWanted == true else { return }
        try update?.save()
        update = nil
        // The other looks again within this time.
        usleep(2 * IndexLock.pollTime)
    }

    private func begin() throws -> IndexUpdate {
        do {
            return try IndexUpdate(folder, waitSeconds: waitSeconds)
        } catch let error as StorageError
            where mayBeTemporary && error.isDenial && (try? folder.manifest().segments.isEmpty) ?? true
        {
            let temporary = try TemporaryFolder()
            self.temporary = temporary
            folder = IndexFolder(path: temporary.path)
            return try IndexUpdate(folder, waitSeconds: waitSeconds)
        }
    }

    public func save(revision: Int?) throws {
        try reportingFailures {
            if update == nil, let revision, try folder.manifest().revision != revision { update = try begin() }
            try update?.save(revision: revision)
            update = nil
        }
    }

    public func revision() throws -> Int? { try read(\.manifest.revision) }

    public func contentRevisions(of podcasts: [PodcastID]) throws -> [PodcastID: Int] {
        try read { snapshot in
            var revisions: [PodcastID: Int] = [:]
            for podcast in podcasts { revisions[podcast] = snapshot.podcast(podcast)?.revision }
            return revisions
        }
    }

    public func podcasts() throws -> Set<PodcastID> { try read { Set($0.revisions.keys) } }

    public func language(of podcast: PodcastID) throws -> String? {
        let language = try read { $0.podcast(podcast)?.language }
        return language == .undetermined ? nil : language?.code
    }

    public func search(_ request: SearchRequest) throws -> SearchResults {
        let keepsMemory = hasSearched
        hasSearched = true
        return try read { IndexSearch($0, keepsMemory: keepsMemory).search(request) }
    }

    public func episodes(matching request: SearchRequest) throws -> [EpisodeID] {
        try read { IndexSearch($0).episodes(matching: request) }
    }

    public func count(matching request: SearchRequest) throws -> Int {
        try read { IndexSearch($0).count(matching: request) }
    }

    public func publications(from first: Timestamp, to last: Timestamp) throws -> [PodcastID: [Publication]] {
        try read { IndexSearch($0).publications(from: first, to: last) }
    }

    public func similar(to episode: Episode, of podcast: Podcast, limit: Int) throws -> [SimilarHit] {
        try read { SimilarEpisodes($0).hits(like: episode, of: podcast, limit: limit) }
    }

    public nonisolated func snippets(for request: SearchRequest) -> any SnippetMaking { SnippetMaker(request) }

    /// Reads and checks the whole index without changing it. A search that meets damage rebuilds the index.
    ///
    /// - Throws: `IndexFailure`.
    public func isWhole() throws -> Bool {
        do {
            for segment in try IndexSnapshot(folder).segments { try segment.checkAll() }
            return true
        } catch is StorageDamage {
            return false
        } catch let error as StorageError {
            // An index that must not be read counts as none.
            if error.isDenial { return true }
            throw error.failure(in: folder.path)
        }
    }

    /// Empties the index, so that everything is stale.
    ///
    /// - Throws: `IndexFailure`.
    public func reset() throws {
        update = nil
        opened = nil
        try reportingFailures { try IndexUpdate.reset(folder, waitSeconds: waitSeconds) }
    }

    private func read<T>(_ work: (IndexSnapshot) -> T) throws -> T {
        try reportingFailures {
            let snapshot = try snapshot()
            let result = work(snapshot)
            if snapshot.isDamaged { throw StorageDamage() }
            return result
        }
    }

    /// The current index; other processes may have changed it.
    private func snapshot() throws -> IndexSnapshot {
        try update?.save()
        do {
            let stamp = try folder.stamp()
            if let opened, opened.stamp == stamp { return opened.snapshot }
            let snapshot = try IndexSnapshot(folder)
            opened = (stamp, snapshot)
            return snapshot
        } catch let error as StorageError where error.isDenial && mayBeTemporary && opened == nil && !hasChanged {
            return IndexSnapshot()
        }
    }

    /// Converts errors to those of the domain, and resets a damaged index.
    private func reportingFailures<T>(_ work: () throws -> T) throws -> T {
        do {
            return try work()
        } catch is StorageDamage {
            update = nil
            opened = nil
            do {
                try IndexUpdate.reset(folder, waitSeconds: waitSeconds)
            } catch let error as StorageError {
                throw error.failure(in: folder.path)
            }
            throw IndexFailure.damaged
        } catch let error as StorageError {
            update = nil
            throw error.failure(in: folder.path)
        }
    }
}

extension StorageError {
    func failure(in folder: String?) -> IndexFailure {
        switch errno {
        case ENOSPC, EDQUOT: .full
        default: isDenial ? .denied(folder: folder) : .io(errno: errno)
        }
    }

    /// True if the folder does not exist or must not be used.
    fileprivate var isDenial: Bool { [EACCES, EPERM, EROFS, ENOENT, ENOTDIR, ELOOP].contains(errno) }
}
