/// The subscriptions' records.
///
/// A use case asks by key or by page; nothing returns all records at once. Reading takes no lock and never waits for a
/// writer. A record changes by compare-and-set on `Podcast.revision`, so writers never overwrite each other unseen. Every
/// write is durable when its method returns. No method reads a clock: times are arguments or members of the records.
public protocol PodcastRepository: Sendable {
    // MARK: Reading

    /// The records with these ids, in that order. Ids without a record are left out.
    func podcasts(_ ids: [PodcastID]) async throws -> [Podcast]
    /// The records that are fetched from these URLs, in that order. URLs without a record are left out; several that have
    /// moved to one URL are in id order.
    func podcasts(at feedURLs: [String]) async throws -> [Podcast]
    /// At most `limit` records whose ids begin with `prefix`, in id order.
    func podcasts(withIDPrefix prefix: String, limit: Int) async throws -> [Podcast]
    /// The number of characters that makes each of these ids unique, for those that need more than `ShortIDs.minLength`.
    func lengths(of ids: [PodcastID]) async throws -> [PodcastID: Int]
    /// At most `limit` records whose own or channel title fits the name best, in id order.
    func podcasts(titled name: TitleName, limit: Int) async throws -> [Podcast]
    /// The next `limit` records of a listing; fewer only at its end.
    ///
    /// - Parameter last: the last record of the page before; nil for the first page.
    func page(of listing: PodcastListing, after last: Podcast?, limit: Int) async throws -> [Podcast]
    /// Counts over all records, without reading them one by one.
    func overview(now: Timestamp) async throws -> LibraryOverview

    // MARK: Writing

    /// Adds subscriptions, each with the episodes of its first fetch if there was one. A podcast and its episodes are
    /// stored together or not at all.
    ///
    /// If the id is taken by a podcast that has moved elsewhere, the podcast is stored under the next free id and without
    /// its episodes, whose ids contain the podcast's. The next refresh fetches them.
    ///
    /// - Returns: one result for each, in order.
    func add(_ subscriptions: [NewSubscription]) async throws -> [AddResult]
    /// Replaces records whose stored revision is `Podcast.revision`.
    ///
    /// - Returns: one result for each, in order.
    func update(_ podcasts: [Podcast]) async throws -> [WriteResult]
    /// Removes podcasts with everything stored for them: record, credentials, episodes, transcripts.
    ///
    /// - Parameter keepingEpisodes: episodes and transcripts stay readable, apart from the subscriptions'.
    func remove(_ ids: [PodcastID], keepingEpisodes: Bool) async throws

    // MARK: Changes

    /// Grows with every change that the index and other derived data depend on: episodes, channels, transcripts,
    /// titles, removals. A 304 does not count. 0 for an empty library.
    func revision() async throws -> Int
    /// All changes after `revision`, and perhaps some slightly older ones. nil if that revision is too old, or not one
    /// of this library; then every podcast's `contentRevision` has to be compared.
    func changes(since revision: Int) async throws -> LibraryChanges?
}

/// A listing of podcasts that is read page by page.
public enum PodcastListing: Equatable, Sendable {
    /// In id order.
    case all
    /// By the date of the newest episode, newest first; podcasts whose newest episode has no date come before all others.
    /// Podcasts without episodes are left out.
    ///
    /// - Parameter publishedSince: only podcasts whose newest episode is not older, or has no date.
    case latestEpisodes(publishedSince: Timestamp? = nil)
    /// Podcasts whose transcripts, or chapters, are to be looked for, by the date of the newest episode, newest first.
    ///
    /// - Parameters:
    ///   - now: the time at which waiting transcripts must be due.
    ///   - byDefault: true if podcasts without a setting of their own want transcripts.
    ///   - all: true for podcasts with nothing new or due as well.
    case transcripts(of: EpisodeText = .transcript, now: Timestamp, byDefault: Bool, all: Bool)
}

/// A subscription that is to be added.
public struct NewSubscription: Sendable {
    public var podcast: Podcast
    /// The changes from its first fetch; nil if it was not fetched.
    public var changes: PodcastChanges?

    public init(_ podcast: Podcast, changes: PodcastChanges? = nil) {
        self.podcast = podcast
        self.changes = changes
    }
}

public enum AddResult: Sendable {
    /// The podcast as it is stored.
    case added(Podcast)
    /// Another podcast has the feed URL; nothing was stored.
    case existing(Podcast)

    public var podcast: Podcast {
        switch self {
        case .added(let podcast), .existing(let podcast): podcast
        }
    }
}

/// The result of a compare-and-set.
public enum WriteResult: Sendable {
    /// The podcast as it is stored, with its new revision.
    case stored(Podcast)
    /// Another writer was faster, and nothing was stored. Carries the current record, or nil if it was removed: decide
    /// again.
    case lost(current: Podcast?)
    /// The run's lease on the podcast has ended, and another run has it; nothing was stored.
    case expired

    public var stored: Podcast? {
        if case .stored(let podcast) = self { podcast } else { nil }
    }
}

/// Counts over all subscriptions.
public struct LibraryOverview: Equatable, Sendable {
    public var podcasts = 0
    public var episodes = 0
    public var health: [Health: Int] = [:]
    /// Podcasts whose last fetch failed, and those that are gone.
    public var failing = 0
    /// When the first podcast is due; in the past if one is due now.
    public var nextDueAt: Timestamp?
    /// Some podcasts that need attention, by title, at most `attentionLimit`.
    public var needingAttention: [PodcastID] = []

    public static let attentionLimit = 5

    public init() {}

    public var needingAttentionCount: Int { health.reduce(0) { $0 + ($1.key.needsAttention ? $1.value : 0) } }
}

/// The changes of a library between two of its revisions.
public struct LibraryChanges: Equatable, Sendable {
    /// The revision that these changes lead to.
    public var revision: Int
    /// The content revisions of podcasts that changed.
    public var changed: [PodcastID: Int]
    /// Podcasts that are no longer subscribed to.
    public var removed: Set<PodcastID>

    public init(revision: Int, changed: [PodcastID: Int] = [:], removed: Set<PodcastID> = []) {
        self.revision = revision
        self.changed = changed
        self.removed = removed
    }
}

extension Sequence<Podcast> {
    /// Those that are fetched from these URLs, in the order of `PodcastRepository.podcasts(at:)`.
    package func at(_ feedURLs: [String]) -> [Podcast] {
        let byURL = Dictionary(grouping: self, by: \.feedURL).mapValues { $0.sorted { $0.id < $1.id } }
        return feedURLs.flatMap { byURL[$0] ?? [] }
    }
}

extension PodcastRepository {
    public func podcast(_ id: PodcastID) async throws -> Podcast? { try await podcasts([id]).first }
    public func isEmpty() async throws -> Bool { try await page(of: .all, after: nil, limit: 1).isEmpty }
    public func podcast(at feedURL: String) async throws -> Podcast? { try await podcasts(at: [feedURL]).first }

    /// Reads a listing to its end, some hundred records at a time. Stops early if `body` returns false.
    public func forEach(
        in listing: PodcastListing = .all, pageSize: Int = 512, _ body: (Podcast) async throws -> Bool
    ) async throws {
        var last: Podcast?
        while true {
            let page = try await page(of: listing, after: last, limit: pageSize)
            for podcast in page where try await !body(podcast) { return }
            guard page.count == pageSize else { return }
            last = page.last
        }
    }

    /// Reads the records of what is wanted, some at a time.
    ///
    /// - Parameter body: receives nil for an id without a record.
    public func forEach<Wanted>(
        of wanted: [Wanted], by id: (Wanted) -> PodcastID, _ body: (Wanted, Podcast?) async throws -> Void
    ) async throws {
        let pageSize = 64
        for first in stride(from: 0, to: wanted.count, by: pageSize) {
            let page = wanted[first..<min(first + pageSize, wanted.count)]
            let stored = Dictionary(try await podcasts(page.map(id)).map { ($0.id, $0) }) { first, _ in first }
            for one in page { try await body(one, stored[id(one)]) }
        }
    }

    /// Changes one record. If another writer was faster, repeats the change on the current record.
    ///
    /// - Parameter change: called with each current record; nil leaves it as it is.
    /// - Returns: the stored record; nil if it was removed.
    public func change(_ podcast: Podcast, _ change: (Podcast) throws -> Podcast?) async throws -> Podcast? {
        var current = podcast
        while let changed = try change(current), changed != current {
            switch try await update([changed]).first {
            case .stored(let stored)?: return stored
            case .lost(let newer?)?: current = newer
            case .lost(nil)?, .expired?, nil: return nil
            }
        }
        return current
    }
}
