import Composition
import Domain
import Presentation
import Results
import UseCases

/// The downloads that people started in the page. A file that was not finished when the server ends is continued by the
/// next download of its episode.
actor DownloadRuns {
    struct Run: Sendable {
        let listed: ListedEpisode
        var bytes = 0
        /// nil if the server does not say, or has not been asked yet.
        var total: Int?
        var isWaiting = true
    }

    private let feeds: WebFeeds
    private let library: OpenLibrary
    private var runs: [EpisodeID: Run] = [:]
    private var tasks: [EpisodeID: Task<Void, Never>] = [:]
    /// The episodes in the order in which they were asked for.
    private var order: [EpisodeID] = []
    /// Why the last download of an episode failed.
    private var failures: [EpisodeID: String] = [:]
    private static let maxAtOnce = 2

    init(_ feeds: WebFeeds, _ library: OpenLibrary) { (self.feeds, self.library) = (feeds, library) }

    /// The downloads that are under way or wait, in order.
    var current: [Run] { order.compactMap { runs[$0] } }

    func isRunning(_ id: EpisodeID) -> Bool { runs[id] != nil }
    func failure(of id: EpisodeID) -> String? { failures[id] }

    func start(_ episodes: [ListedEpisode]) {
        for listed in episodes where runs[listed.episode.id] == nil {
            runs[listed.episode.id] = Run(listed: listed)
            order.append(listed.episode.id)
            failures[listed.episode.id] = nil
        }
        begin()
    }

    func cancel(_ id: EpisodeID) {
        if let task = tasks[id] { task.cancel() } else { end(id, failure: nil) }
    }

    private func begin() {
        for id in order where tasks.count < Self.maxAtOnce && tasks[id] == nil {
            guard let run = runs[id] else { continue }
            runs[id]?.isWaiting = false
            tasks[id] = Task { [feeds, library] in
                let failure = await feeds.download(run.listed, in: library) { step in
                    Task { await self.note(step) }
                }
                end(id, failure: Task.isCancelled ? nil : failure)
            }
        }
    }

    private func note(_ step: DownloadProgressStep) {
        // Steps may overtake each other.
        guard let run = runs[step.id], step.bytes >= run.bytes else { return }
        runs[step.id]?.bytes = step.bytes
        runs[step.id]?.total = step.total
    }

    private func end(_ id: EpisodeID, failure: String?) {
        (runs[id], tasks[id], failures[id]) = (nil, nil, failure)
        order.removeAll { $0 == id }
        begin()
    }
}

extension WebFeeds {
    /// - Throws: `FailureLine` if the setting for names is not valid.
    private static func downloadOptions(_ composition: Composition) throws -> DownloadEpisodes.Options {
        guard let name = MediaName(composition.settings.name) else {
            throw FailureLine("name", "not a valid template: '\(composition.settings.name)'", status: .usage)
        }
        var options = DownloadEpisodes.Options(folder: composition.downloadsFolder, name: name)
        options.isNamed = true
        return options
    }

    /// What downloads of these episodes would fetch.
    func extent(of episodes: [ListedEpisode], in library: OpenLibrary) async throws -> DownloadExtent {
        let options = try Self.downloadOptions(library.composition)
        return try await politely { _, fetcher in try await library.download(by: fetcher).extent(of: episodes, options) }
    }

    /// Downloads one file.
    ///
    /// - Returns: why that failed; nil if the file is there.
    func download(
        _ listed: ListedEpisode, in library: OpenLibrary, follow: @escaping @Sendable (DownloadProgressStep) -> Void
    ) async -> String? {
        let last = LastOutcome()
        do {
            let wanted = try Self.downloadOptions(library.composition)
            _ = try await politely { politeness, fetcher in
                try await library.download(by: fetcher)([listed], wanted, politeness, follow: follow) { await last.set($0) }
            }
        } catch {
            return FailureLine(error, doing: "download").words
        }
        return await last.outcome.flatMap { DownloadView($0).failure }
    }
}

private actor LastOutcome {
    private(set) var outcome: DownloadOutcome?
    func set(_ outcome: DownloadOutcome) { self.outcome = outcome }
}
