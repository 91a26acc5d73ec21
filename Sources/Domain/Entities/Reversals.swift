/// Changes of tags, each with the episodes whose tags changed that way.
public struct TagReversal: Equatable, Sendable {
    public struct Change: Hashable, Sendable {
        public var added: Set<Tag>
        public var removed: Set<Tag>

        public init(added: Set<Tag>, removed: Set<Tag>) { (self.added, self.removed) = (added, removed) }
    }

    public var changes: [Change: [EpisodeID]] = [:]
    /// Lines that started waiting.
    public var waiting: [TagLine] = []
    /// Lines that stopped waiting or were replaced.
    public var settled: [TagLine] = []

    public init() {}

    init(from before: OwnedState, to after: OwnedState) {
        let changed = after.tagChanges(since: before)
        for (id, now) in changed.tags {
            let earlier = before.tags[id] ?? []
            changes[Change(added: now.subtracting(earlier), removed: earlier.subtracting(now)), default: []].append(id)
        }
        changes = changes.mapValues { $0.sorted() }
        (waiting, settled) = (changed.waiting, changed.settled)
    }

    public var isEmpty: Bool { changes.isEmpty && waiting.isEmpty && settled.isEmpty }

    func revert(_ state: inout OwnedState) {
        for (change, episodes) in changes {
            for id in episodes {
                let reverted = (state.tags[id] ?? []).subtracting(change.added).union(change.removed)
                state.tags[id] = reverted.isEmpty ? nil : reverted
            }
        }
        guard !waiting.isEmpty || !settled.isEmpty else { return }
        let started = Set(waiting)
        state.waiting.removeAll { started.contains($0) }
        let now = Set(state.waiting)
        state.waiting += settled.filter { !now.contains($0) }
    }
}

/// An entry of the play queue and its index, counted from 0.
public struct QueuePlace: Equatable, Sendable {
    public var index: Int
    public var entry: QueueEntry

    public init(index: Int, entry: QueueEntry) { (self.index, self.entry) = (index, entry) }
}

/// A change of the play queue. An entry that was moved was removed and added.
public struct QueueReversal: Equatable, Sendable {
    /// Where entries were before, in order.
    public var removed: [QueuePlace] = []
    /// Where entries were after it, in order.
    public var added: [QueuePlace] = []

    public init() {}

    init(from before: [QueueEntry], to after: [QueueEntry]) {
        for change in after.difference(from: before) {
            switch change {
            case .remove(let index, let entry, _): removed.append(QueuePlace(index: index, entry: entry))
            case .insert(let index, let entry, _): added.append(QueuePlace(index: index, entry: entry))
            }
        }
        removed.sort { $0.index < $1.index }
        added.sort { $0.index < $1.index }
    }

    public var isEmpty: Bool { removed.isEmpty && added.isEmpty }

    /// Entries that were removed and are queued again stay where they are.
    func revert(_ entries: inout [QueueEntry]) {
        let (gone, new) = (Set(removed.map(\.entry.episodeID)), Set(added.map(\.entry.episodeID)))
        entries.removeAll { new.contains($0.episodeID) && (!gone.contains($0.episodeID) || added.contains(entry: $0)) }
        let queued = Set(entries.map(\.episodeID))
        for former in removed where !queued.contains(former.entry.episodeID) {
            entries.insert(former.entry, at: min(former.index, entries.count))
        }
    }
}

extension [QueuePlace] {
    fileprivate func contains(entry: QueueEntry) -> Bool { contains { $0.entry == entry } }
}

/// A change of a setting in the settings file; nil is the default.
public struct SettingReversal: Equatable, Sendable {
    public var name: String
    public var before: String?
    public var after: String?

    public init(_ name: String, before: String?, after: String?) {
        (self.name, self.before, self.after) = (name, before, after)
    }

    public var inverse: SettingReversal { SettingReversal(name, before: after, after: before) }
}

/// A change of the position in an episode.
public struct PositionReversal: Equatable, Sendable {
    public var episode: EpisodeID
    public var before: PlayPosition?
    public var after: PlayPosition?

    public init(episode: EpisodeID, before: PlayPosition?, after: PlayPosition?) {
        (self.episode, self.before, self.after) = (episode, before, after)
    }

    /// What was heard since stays.
    func revert(_ positions: inout [EpisodeID: PlayPosition]) {
        if positions[episode] == after { positions[episode] = before }
    }
}
