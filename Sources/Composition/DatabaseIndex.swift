import Database
import Domain
import Index
import Threads

/// The search index of a library in a database: `Database` stores its terms, `Index` makes and interprets them.
///
/// Changes are written as terms. A search reads the newest episodes with the terms that it needs. Summaries of their
/// terms show which of these may be the best hits, and `Index` searches the texts of those.
actor DatabaseIndex: SearchIndex {
    let library: Database
    private let thread: BlockingThread
    /// Hashes of entries that are known to be in the word list.
    private var knownWords: Set<UInt64> = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// - Parameter thread: the thread that makes terms; nil for a new one.
    /// - Throws: `SystemFailure`.
    init(of library: Database, on thread: BlockingThread?) throws {
        self.library = library
        self.thread = try thread ?? BlockingThread(for: .indexing)
    }

    // MARK: State

    func revision() async throws -> Int? { try await library.indexedRevision() }
    func podcasts() async throws -> Set<PodcastID> { try await library.indexedPodcasts() }

    func contentRevisions(of podcasts: [PodcastID]) async throws -> [PodcastID: Int] {
        try await library.indexedStates(of: podcasts).mapValues(\.revision)
    }

    func language(of podcast: PodcastID) async throws -> String? {
        try await library.indexedStates(of: [podcast])[podcast].flatMap { IndexedPodcast.languageCode($0.language) }
    }

    // MARK: Changes

    func save(revision: Int?) async throws {
        guard let revision, try await library.indexedRevision() != revision else { return }
        try await writing { try await library.setIndexedRevision(revision) }
    }

    func reset() async throws {
        knownWords = []
        try await library.resetIndex()
    }

    func add(_ changes: [IndexChange]) async throws {
        guard !changes.isEmpty else { return }
        try await writing {
            var states = try await library.indexedStates(of: changes.map(\.podcastID))
            var (writes, removed, words) = ([Database.IndexWrite](), [PodcastID](), Set<UInt64>())
            for change in changes {
                guard let part = change.part(language: states[change.podcastID]?.language) else {
                    removed.append(change.podcastID)
                    continue
                }
                var terms = try PodcastTerms(of: part)
                let before = states[change.podcastID]
                change.setRevision(of: &terms.state, before: before)
                terms.words.removeAll { word in
                    let hash = Self.hash(word, terms.podcast)
                    words.insert(hash)
                    return knownWords.contains(hash)
                }
                writes.append(Database.IndexWrite(terms, before: before, whole: change.allEpisodes))
                states[change.podcastID] = terms.state
            }
            try await library.dropIndexed(removed)
            try await library.write(writes)
            if knownWords.count > Self.maxKnownWords { knownWords = [] }
            knownWords.formUnion(words)
        }
    }

    private static let maxKnownWords = 2_000_000

    /// The hash of a word with the shard's part of the podcast's id: a shard contains the words of podcasts whose ids
    /// begin alike.
    private static func hash(_ word: [UInt8], _ podcast: PodcastID) -> UInt64 {
        XXH64.hash(Array(podcast.text.utf8.prefix(1)) + word)
    }

    /// Reports missing permission as such: a reader then uses what others have indexed.
    private func writing(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch DatabaseFailure.denied {
            throw IndexFailure.denied(folder: nil)
        }
    }
}

extension IndexChange {
    fileprivate var podcastID: PodcastID {
        switch self {
        case .episodes(let podcast, _, _, _, _), .part(let podcast, _, _, _), .whole(let podcast, _, _, _, _): podcast.id
        case .removed(let id): id
        }
    }

    /// The podcast to index; nil if it was removed.
    fileprivate func part(language: String?) -> IndexedPodcast? {
        switch self {
        case .episodes(let podcast, _, let channel, let episodes, let transcripts),
            .part(let podcast, let channel, let episodes, let transcripts):
            IndexedPodcast(podcast, channel, language: language, episodes, transcripts)
        case .whole(let podcast, let channel, let episodes, let transcripts, let added):
            // Only with all episodes may the language be determined again.
            IndexedPodcast(podcast, channel, language: added.isEmpty ? nil : language, episodes, transcripts)
        case .removed: nil
        }
    }

    /// All episodes of the podcast; nil if these are only some.
    fileprivate var allEpisodes: [EpisodeID]? {
        guard case .whole(_, _, let episodes, _, let added) = self else { return nil }
        return episodes.map(\.id) + added
    }

    /// Sets the podcast's revision, but only if the index is complete for the podcast.
    fileprivate func setRevision(of state: inout IndexedState, before: IndexedState?) {
        switch self {
        case .whole, .removed: break
        case .part: state.revision = 0
        case .episodes(_, let after, _, _, _):
            if before?.revision ?? 0 != after || before?.digest ?? state.digest != state.digest {
                (state.revision, state.digest) = (before?.revision ?? 0, before?.digest ?? state.digest)
            }
        }
    }
}
