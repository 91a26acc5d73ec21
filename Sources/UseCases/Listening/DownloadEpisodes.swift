import Addresses
public import Domain
public import Results
import Scheduling

/// Downloads the media files of episodes.
///
/// 1. Files that exist cost no request. Each of the others gets an unused name.
/// 2. Hosts take turns, under the same rules as feeds.
/// 3. Each finished file is recorded at once, with the tag `downloaded`.
public struct DownloadEpisodes: Sendable {
    public struct Options: Sendable {
        /// Absolute.
        public var folder: String
        public var name: MediaName
        public var concurrency = 4
        /// Most files to fetch; nil for no limit.
        public var limit: Int?
        /// Most bytes to fetch; nil for no limit.
        public var maxTotal: Int?
        /// True if the owner named the episodes, so that an earlier failure does not make them wait.
        public var isNamed = false

        public init(folder: String, name: MediaName) { (self.folder, self.name) = (folder, name) }
    }

    let fetcher: any FeedFetching
    let files: any MediaFiles
    let downloads: any DownloadRepository
    let work: any WorkSource
    let clock: @Sendable () -> Timestamp
    /// nil if files stay as servers sent them.
    let tagging: WriteMediaTags?
    let journal: (any RunJournal)?

    /// - Parameter journal: notes what a replay needs; nil if the run is not recorded.
    public init(
        _ library: Repositories, fetcher: any FeedFetching, files: any MediaFiles,
        clock: @escaping @Sendable () -> Timestamp, tagging: WriteMediaTags? = nil, journal: (any RunJournal)? = nil
    ) {
        self.fetcher = fetcher
        self.files = files
        downloads = library.downloads
        work = library.work
        self.clock = clock
        self.tagging = tagging
        self.journal = journal
    }

    /// - Parameters:
    ///   - politeness: shared by all fetches of the process.
    ///   - follow: receives the progress of each file, on any thread.
    ///   - report: receives the outcome of each file, in the order in which they end.
    /// - Throws: `LibraryFailure`; `DownloadsMissing` if the folder's disk seems not to be mounted.
    public func callAsFunction(
        _ episodes: [ListedEpisode], _ options: Options, _ politeness: Politeness,
        follow: @escaping @Sendable (DownloadProgressStep) -> Void = { _ in }, report: @Sendable (DownloadOutcome) async -> Void
    ) async throws -> DownloadSummary {
        var summary = DownloadSummary()
        var jobs: [DownloadJob] = []
        let entries = try await downloads.downloads()
        try checkFolder(entries, options)
        var names = DownloadNames(
            entries.values.compactMap { entry in entry.file.map { (entry.episodeID.podcastID, $0.path) } }, options, files)
        for listed in episodes {
            let entry = entries[listed.episode.id] ?? DownloadEntry(listed.episode.id)
            switch try await plan(listed, entry, jobs.count, &names, options) {
            case .fetch(let job): jobs.append(job)
            case .beyondLimit: summary.beyondLimit += 1
            case .end(let kind):
                summary.add(kind)
                await report(DownloadOutcome(listed: listed, kind: kind))
            }
        }
        guard !jobs.isEmpty else { return summary }

        politeness.restore(pauses: try await work.pauses(now: clock()))
        politeness.restore(allowances: try await work.hosts(Array(Set(jobs.map(\.hostKey)))))
        let download = DownloadFile(
            fetcher: fetcher, files: files, politeness: politeness, room: DownloadRoom(options.maxTotal), follow: follow)
        let scheduler = Scheduler<DownloadJob, DownloadOutcome.Kind>(concurrency: options.concurrency, politeness: politeness)
        var failure: (any Error)?
        await scheduler.run(jobs) { job in
            let kind = await download(job)
            guard case .downloaded(let file) = kind, let tagging else { return kind }
            return .downloaded(await tagging(job.listed, file, politeness))
        } handOver: { outcome in
            let (job, kind): (DownloadJob, DownloadOutcome.Kind) =
                switch outcome {
                case .replied(let job, let kind): (job, kind)
                case .paused(let job, let until): (job, .skipped(until: until))
                case .unreachable(let job, let failure): (job, .failed(failure))
                }
            do {
                try await store(kind, job.entry)
            } catch {
                failure = failure ?? error
            }
            summary.add(kind)
            await report(DownloadOutcome(listed: job.listed, kind: kind))
        }
        let hosts = politeness.rows()
        journal?.noted(.downloadsEnded(hosts: hosts))
        try await work.store(hosts)
        if summary.downloaded > 0 { files.noteStanding(of: options.folder) }
        if let failure { throw failure }
        return summary
    }

    /// Downloads stop if none of the files that are recorded is there, and the folder is empty or on another device.
    private func checkFolder(_ entries: [EpisodeID: DownloadEntry], _ options: Options) throws {
        let paths = entries.values.compactMap { $0.file?.path }.filter { $0.hasPrefix(options.folder + "/") }
        guard !paths.isEmpty else { return }
        if try paths.contains(where: { try files.file(at: $0) != nil }) { return files.noteStanding(of: options.folder) }
        let standing = try files.standing(of: options.folder)
        guard standing != .usual else { return }
        throw DownloadsMissing(folder: options.folder, files: paths.count, isOtherDevice: standing == .otherDevice)
    }

    /// What a run with these options would fetch.
    public func extent(of episodes: [ListedEpisode], _ options: Options) async throws -> DownloadExtent {
        var extent = DownloadExtent()
        let entries = try await downloads.downloads()
        try checkFolder(entries, options)
        for listed in episodes where extent.files < options.limit ?? .max {
            let entry = entries[listed.episode.id]
            if let file = entry?.file, try files.file(at: file.path) != nil { continue }
            if entry?.waits(at: clock()) ?? false, !options.isNamed { continue }
            if let enclosure = listed.episode.item.chosenEnclosure { extent.add(bytes: enclosure.length ?? 0) }
        }
        if let maxTotal = options.maxTotal { extent.bytes = min(extent.bytes, maxTotal) }
        return extent
    }

    private enum Plan {
        case fetch(DownloadJob)
        case beyondLimit
        case end(DownloadOutcome.Kind)
    }

    /// Decides what to do for one episode.
    private func plan(
        _ listed: ListedEpisode, _ entry: DownloadEntry, _ jobs: Int, _ names: inout DownloadNames, _ options: Options
    ) async throws -> Plan {
        if let file = entry.file, try files.file(at: file.path) != nil {
            // An earlier run may have ended before its last step.
            try files.settle(file.path)
            return .end(.present(file))
        }
        guard let enclosure = listed.episode.item.chosenEnclosure, let url = enclosure.url.flatMap(WebURL.init)
        else { return .end(.failed(FetchFailure(.protocol, detail: .noMedia))) }
        if let file = try names.unreported(listed, enclosure) {
            try await store(.present(file), entry)
            return .end(.present(file))
        }
        if let file = try entry.file.flatMap({ try names.moved($0, listed, enclosure) }) {
            try await store(.present(file), entry)
            return .end(.present(file))
        }
        // A new library adopts the files of an earlier one.
        let existing = try names.existing(listed, enclosure)
        if let file = existing, file.bytes == enclosure.length {
            try await store(.present(file), entry)
            return .end(.present(file))
        }
        if let retryAt = entry.retryAt, entry.waits(at: clock()), !options.isNamed { return .end(.skipped(until: retryAt)) }
        guard jobs < options.limit ?? .max else { return .beyondLimit }
        let name = try names.name(for: listed, enclosure, entry.file?.path)
        return .fetch(DownloadJob(listed: listed, entry: entry, url: url, enclosure: enclosure, name: name, existing: existing))
    }

    private func store(_ kind: DownloadOutcome.Kind, _ before: DownloadEntry) async throws {
        var entry = before
        switch kind {
        case .present(let file), .downloaded(let file):
            entry = DownloadEntry(before.episodeID)
            entry.file = file
        case .failed(let failure) where failure.code != .cancelled:
            (entry.file, entry.failures) = (nil, entry.failures + 1)
            entry.retryAt = Schedule.retryAfter(failure, now: clock()) ?? clock() + Schedule.downloadBackoff(entry.failures)
        case .failed, .skipped, .busy, .storageFailed: return
        }
        journal?.noted(.downloads([entry]))
        try await downloads.store([entry])
        if let file = entry.file { try files.settle(file.path) }
    }
}

extension DownloadEntry {
    /// True if the next attempt is later. A time further away than any wait was written by a clock that has jumped.
    fileprivate func waits(at now: Timestamp) -> Bool {
        retryAt.map { $0 > now && $0 - now <= CachingHeaders.maxRetryAfter } ?? false
    }
}

extension Schedule {
    /// Seconds until the next attempt: an hour after the first failure, then twice as long each time, up to 8 days.
    static func downloadBackoff(_ failures: Int) -> Int64 { min(hour << Int64(min(max(failures, 1) - 1, 8)), 8 * day) }
}

/// One file to download.
struct DownloadJob: Hosted {
    let listed: ListedEpisode
    let entry: DownloadEntry
    let url: WebURL
    /// As written in the feed.
    let enclosure: Enclosure
    let name: DownloadName
    /// A file that has the plain name, adopted if the server's file has the same size.
    var existing: DownloadedFile?
    var hostKey: String { url.hostKey }
}
