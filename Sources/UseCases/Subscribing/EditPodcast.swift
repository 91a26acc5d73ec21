public import Addresses
public import Domain
import Scheduling
public import Searching

/// Changes the user's settings, the feed URL or the credentials of one podcast.
public struct EditPodcast: Sendable {
    public struct Changes: Sendable {
        /// Applied to the settings as they are when the edit is stored.
        public var settings: @Sendable (inout PodcastSettings) -> Void
        /// The new feed URL; user and password in it are stored separately.
        public var feedURL: String?
        /// The new credentials; `.some(nil)` removes them.
        public var credentials: Credentials??

        public init(_ settings: @escaping @Sendable (inout PodcastSettings) -> Void = { _ in }) { self.settings = settings }
    }

    let library: Repositories
    let index: (any SearchIndex)?

    public init(_ library: Repositories, index: (any SearchIndex)?) {
        self.library = library
        self.index = index
    }

    /// Returns the stored podcast. An edit during a refresh is applied to what the refresh stored.
    ///
    /// - Throws: `EditFailure`, `LibraryFailure`.
    public func callAsFunction(_ podcast: Podcast, _ changes: Changes, now: Timestamp) async throws -> Podcast {
        var address: FeedURL?
        if let url = changes.feedURL {
            guard let parsed = FeedURL.parse(url) else { throw EditFailure.badURL(url) }
            if let other = try await library.podcasts.podcast(at: parsed.url), other.id != podcast.id {
                throw EditFailure.taken(by: other)
            }
            address = parsed
        }
        func edit(_ current: Podcast) -> Podcast {
            var edited = current
            changes.settings(&edited.settings)
            if let address { edited.move(to: address, now: now) }
            if let credentials = changes.credentials { edited.sign(with: credentials) }
            if edited.settings != current.settings { Schedule.heedBounds(&edited) }
            return edited
        }
        var step = UndoStep(.edit, at: now)
        let states = (before: EditedPodcast.State(podcast), after: EditedPodcast.State(edit(podcast)))
        if states.before != states.after {
            step.edited = [EditedPodcast(id: podcast.id, before: states.before, after: states.after)]
            try await library.undo.record(step, keepingRedo: false)
        }
        let edited = try await library.podcasts.change(podcast, edit)
        guard let edited else { throw EditFailure.gone }
        if let index, edited.contentRevision != podcast.contentRevision {
            // Episodes are also found by their podcast's title. An index that cannot be written now is reconciled
            // later.
            _ = try? await ReconcileIndex(library, index: index)()
        }
        return edited
    }
}

extension Podcast {
    /// Moves the subscription. State of the old address is dropped; the episodes stay. Its own address changes nothing, but
    /// user and password in it are stored.
    fileprivate mutating func move(to address: FeedURL, now: Timestamp) {
        guard address.url != feedURL else {
            if let credentials = address.credentials { sign(with: credentials) }
            return
        }
        fetch.record(FeedMove(at: now, from: feedURL, reason: .edited))
        moveTo(feedURL: address.url, credentials: address.credentials)
    }
}
