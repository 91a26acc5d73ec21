public import Domain

/// The play queue: an ordered list without repeats.
public struct ManageQueue: Sendable {
    let library: Repositories
    let listing: ListEpisodes

    public init(_ library: Repositories, listing: ListEpisodes) {
        self.library = library
        self.listing = listing
    }

    /// The queued episodes, in order. Entries whose episode is no longer stored are left out.
    public func list() async throws -> [ListedEpisode] {
        try await listing.listed(try await library.queue.entries().map(\.episodeID))
    }

    public func entries() async throws -> [QueueEntry] { try await library.queue.entries() }

    /// Appends the episodes that are not queued yet, and returns them.
    public func add(_ ids: [EpisodeID], now: Timestamp) async throws -> [EpisodeID] {
        try await change(.queueAdd, now) { entries in
            let queued = Set(entries.map(\.episodeID))
            let added = ids.uniqued(by: \.self).filter { !queued.contains($0) }
            entries += added.map { QueueEntry(episodeID: $0, addedAt: now) }
            return added
        }
    }

    /// Removes the episodes, and returns those that were queued.
    public func remove(_ ids: [EpisodeID], now: Timestamp) async throws -> [EpisodeID] {
        try await change(.queueRemove, now) { entries in
            let removed = Set(ids)
            let queued = entries.map(\.episodeID)
            entries.removeAll { removed.contains($0.episodeID) }
            return queued.filter(removed.contains)
        }
    }

    /// Moves an entry to a position counted from 1; positions past the end mean the end.
    /// Returns its new position, or nil if it is not queued.
    public func move(_ id: EpisodeID, to position: Int, now: Timestamp) async throws -> Int? {
        try await change(.queueMove, now) { entries in
            guard let index = entries.firstIndex(where: { $0.episodeID == id }) else { return nil }
            let entry = entries.remove(at: index)
            let target = min(max(position, 1) - 1, entries.count)
            entries.insert(entry, at: target)
            return target + 1
        }
    }

    /// Puts an episode behind another one that is queued, else first; it is queued if it was not.
    public func playNext(_ id: EpisodeID, after current: EpisodeID?, now: Timestamp) async throws {
        try await change(.queueMove, now) { entries in
            let entry = entries.first { $0.episodeID == id } ?? QueueEntry(episodeID: id, addedAt: now)
            entries.removeAll { $0.episodeID == id }
            let index = entries.firstIndex { $0.episodeID == current }
            entries.insert(entry, at: index.map { $0 + 1 } ?? 0)
        }
    }

    /// The first entry whose episode is stored; nil if there is none. Changes nothing.
    ///
    /// - Parameter id: only entries behind this one count, if it is queued.
    public func next(after id: EpisodeID? = nil) async throws -> ListedEpisode? {
        let entries = try await library.queue.entries()
        let start = entries.firstIndex { $0.episodeID == id }.map { $0 + 1 } ?? 0
        for entry in entries[start...] {
            if let first = try await listing.listed([entry.episodeID]).first { return first }
        }
        return nil
    }

    /// Removes the result of `next` and the entries before it from the queue; the episode is no longer new.
    public func finishNext(now: Timestamp) async throws -> ListedEpisode? {
        while let first = try await next() {
            let id = first.episode.id
            let isTaken = try await library.undo.changeOwned(of: [id], undoable: UndoMark(.queueNext, at: now)) { state in
                guard let index = state.queue.firstIndex(where: { $0.episodeID == id }) else { return false }
                state.queue.removeSubrange(...index)
                state.tag([id], TagEdit(removing: [.new]))
                return true
            }
            // Another process may have taken it meanwhile.
            guard isTaken else { continue }
            var done = first
            done.tags.remove(.new)
            return done
        }
        return nil
    }

    /// Empties the queue and returns the number of entries removed.
    public func clear(now: Timestamp) async throws -> Int {
        try await change(.queueClear, now) { entries in
            defer { entries.removeAll() }
            return entries.count
        }
    }

    private func change<Result: Sendable>(
        _ command: UndoMark.Command, _ now: Timestamp, _ change: @Sendable (inout [QueueEntry]) throws -> Result
    ) async throws -> Result {
        try await library.undo.changeOwned(of: [], undoable: UndoMark(command, at: now)) { try change(&$0.queue) }
    }

    /// The entry named by an id, a prefix of one, or words of a title; nil if there is none.
    ///
    /// - Throws: `LookupFailure` if there are several.
    public func entry(_ name: String) async throws -> EpisodeID? {
        let (prefix, queued) = (EpisodeIDPrefix(name), try await library.queue.entries().map(\.episodeID))
        var matches = prefix.map { prefix in queued.filter(prefix.matches) } ?? []
        if let exact = matches.first(where: { $0.text == prefix?.text }) { return exact }
        if matches.count != 1 {
            let titled = TitleName(name).best(among: try await library.episodes.episodes(queued)) { $0.item.title }
            if !titled.isEmpty { matches = titled.map(\.id) }
        }
        guard matches.count > 1 else { return matches.first }
        throw LookupFailure.ambiguousEpisode(
            name, try await listing.listed(matches).candidates(library))
    }
}
