public import Domain
public import Results
public import Searching

/// Brings the index in line with the library by indexing the podcasts with changes that are not indexed yet.
///
/// Needed after a crash between a commit and the index update, after a channel changed, and if the index is missing. If
/// the index has the library's revision, nothing else is read.
public struct ReconcileIndex: Sendable {
    private let podcasts: any PodcastRepository
    private let episodes: any EpisodeRepository
    private let transcripts: any TranscriptRepository
    private let index: any SearchIndex

    public init(_ library: Repositories, index: any SearchIndex) {
        podcasts = library.podcasts
        episodes = library.episodes
        transcripts = library.transcripts
        self.index = index
    }

    /// The podcasts that `callAsFunction` could not index.
    public struct Outcome: Sendable {
        public var unreadable: [UnreadablePodcast] = []
        /// Number of podcasts left to another run.
        public var postponed = 0
    }

    /// Number of episodes after which the index is saved, so that a run that is killed loses little.
    private static let savedEpisodes = 200_000

    /// - Parameters:
    ///   - limit: most episodes to index. Podcasts with more are left to another run, unless the index was lost.
    ///   - progress: called after each podcast.
    /// - Throws: `IndexFailure`; `LibraryFailure` if the subscriptions cannot be read.
    @discardableResult
    public func callAsFunction(
        limit: Int = .max, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> Outcome {
        let outdated = try await findOutdated()
        guard outdated.revision != outdated.indexed || !outdated.isEmpty else { return Outcome() }
        try await index.add(outdated.removed.map { .removed($0) })
        var run = Run(remaining: outdated.indexed == nil ? .max : limit, total: outdated.changed.count)
        try await add(outdated.changed, in: &run, progress)
        // If a podcast's own texts changed, all of its episodes are outdated.
        if !run.partly.isEmpty {
            try await index.save(revision: nil)
            let again = try await outdatedPodcasts(among: run.partly)
            run.total += again.count
            try await add(again.map { OutdatedPodcast(id: $0.id) }, in: &run, progress)
        }
        // A podcast that is not indexed must be found again by the next run.
        let isComplete = run.outcome.unreadable.isEmpty && run.outcome.postponed == 0
        try await index.save(revision: isComplete ? outdated.revision : nil)
        return run.outcome
    }

    /// The state of one call.
    private struct Run {
        /// Number of episodes that may still be indexed.
        var remaining: Int
        var total: Int
        var done = 0
        var unsaved = 0
        var outcome = Outcome()
        /// Podcasts of which only the changed episodes were added, with their content revisions.
        var partly: [PodcastID: Int] = [:]

        init(remaining: Int, total: Int) { (self.remaining, self.total) = (remaining, total) }

        /// Returns false if the episodes are too many, so that the podcast is left to another run.
        mutating func take(_ episodes: Int) -> Bool {
            guard episodes <= remaining else {
                outcome.postponed += 1
                return false
            }
            if remaining < .max { remaining -= episodes }
            unsaved += episodes
            return true
        }
    }

    private func add(
        _ outdated: [OutdatedPodcast], in run: inout Run, _ progress: (_ done: Int, _ total: Int) -> Void
    ) async throws {
        // Read again, since podcasts may have changed or been removed meanwhile.
        try await podcasts.forEach(of: outdated, by: \.id) { entry, podcast in
            run.done += 1
            if let podcast {
                do {
                    try await add(podcast, indexed: entry.indexed, in: &run)
                } catch let failure as LibraryFailure {
                    run.outcome.unreadable.append(UnreadablePodcast(id: entry.id, failure: failure))
                }
            } else {
                try await index.add([.removed(entry.id)])
            }
            progress(run.done, run.total)
            guard run.unsaved >= Self.savedEpisodes else { return }
            try await index.save(revision: nil)
            run.unsaved = 0
        }
    }

    private func add(_ podcast: Podcast, indexed: Int, in run: inout Run) async throws {
        if indexed > 0, let changed = try await episodes.episodes(of: podcast.id, changedAfter: indexed) {
            guard run.take(changed.count) else { return }
            try await index.add(changed, of: podcast, after: indexed, episodes, transcripts)
            run.partly[podcast.id] = podcast.contentRevision
        } else if run.take(podcast.episodeCount) {
            try await index.add(whole: podcast, episodes, transcripts)
        }
    }

    /// The number of podcasts that `callAsFunction` would index or remove.
    public func outdatedCount() async throws -> Int {
        let outdated = try await findOutdated()
        return outdated.changed.count + outdated.removed.count
    }

    private struct OutdatedPodcast {
        var id: PodcastID
        /// The content revision that is indexed; 0 to index it as a whole.
        var indexed = 0
    }

    private struct Outdated {
        /// The library's revision at the time of the check, and the last one indexed.
        var revision: Int
        var indexed: Int?
        var changed: [OutdatedPodcast] = []
        var removed: [PodcastID] = []

        var isEmpty: Bool { changed.isEmpty && removed.isEmpty }
    }

    private func findOutdated() async throws -> Outdated {
        // The revision is read first, so that later changes are seen by the next run.
        let revision = try await podcasts.revision()
        var outdated = Outdated(revision: revision, indexed: try await index.revision())
        guard outdated.indexed != revision else { return outdated }
        // Not for revision 0: since then everything has changed, which may be too much at once.
        if let indexed = outdated.indexed, indexed > 0, let changes = try await podcasts.changes(since: indexed) {
            outdated.revision = changes.revision
            outdated.changed = try await outdatedPodcasts(among: changes.changed)
            outdated.removed = try await index.contentRevisions(of: Array(changes.removed)).keys.sorted()
            return outdated
        }
        var unsubscribed = try await index.podcasts()
        var page: [PodcastID: Int] = [:]
        try await podcasts.forEach { podcast in
            unsubscribed.remove(podcast.id)
            if podcast.contentRevision > 0 { page[podcast.id] = podcast.contentRevision }
            if page.count == 1_024 {
                outdated.changed += try await outdatedPodcasts(among: page)
                page = [:]
            }
            return true
        }
        outdated.changed += try await outdatedPodcasts(among: page)
        outdated.removed = unsubscribed.sorted()
        return outdated
    }

    private func outdatedPodcasts(among revisions: [PodcastID: Int]) async throws -> [OutdatedPodcast] {
        guard !revisions.isEmpty else { return [] }
        let indexed = try await index.contentRevisions(of: Array(revisions.keys))
        return revisions.filter { indexed[$0.key] != $0.value }.map { OutdatedPodcast(id: $0.key, indexed: indexed[$0.key] ?? 0) }
            .sorted { $0.id < $1.id }
    }
}
