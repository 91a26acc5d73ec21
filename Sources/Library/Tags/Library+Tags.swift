public import Domain

extension Library: TagRepository {
    public func tags(of episodes: [EpisodeID]) throws -> [EpisodeID: Set<Tag>] {
        let table = try tagTable()
        var tags: [EpisodeID: Set<Tag>] = [:]
        for id in episodes { if let own = table.tags[id] { tags[id] = own } }
        return tags
    }

    public func episodes(tagged tags: Set<Tag>) throws -> [Tag: [EpisodeID]] {
        guard !tags.isEmpty else { return [:] }
        let table = try tagTable()
        let missing = tags.filter { idsByTag[$0] == nil }
        var ids: [Tag: [EpisodeID]] = [:]
        if !missing.isEmpty {
            for (id, own) in table.tags { for tag in missing where own.contains(tag) { ids[tag, default: []].append(id) } }
        }
        for tag in missing { idsByTag[tag] = ids[tag]?.sorted() ?? [] }
        return idsByTag.filter { tags.contains($0.key) && !$0.value.isEmpty }
    }

    public func taggedEpisodes() throws -> [TaggedEpisode] {
        try tagTable().tags.map { TaggedEpisode(id: $0.key, tags: $0.value) }.sorted { $0.id < $1.id }
    }

    public func waitingTags() throws -> [TagLine] { try tagTable().waiting }

    public func pendingEpisodes() throws -> [EpisodeID] {
        let table = try tagTable()
        return table.pending.filter { table.tags[$0]?.contains(.new) ?? false }.sorted()
    }

    public func edit(_ edit: TagEdit, of episodes: [EpisodeID]) async throws -> [EpisodeID: Set<Tag>] {
        guard !episodes.isEmpty, !edit.isEmpty else { return [:] }
        return try await write {
            let table = try tagTable()
            var changes = TagChanges()
            var before: [EpisodeID: Set<Tag>] = [:]
            for id in episodes {
                let own = table.tags[id] ?? []
                let edited = edit.applied(to: own)
                if edited != own { (changes.tags[id], before[id]) = (edited, own) }
            }
            try applyTags(changes)
            return before
        }
    }

    public func apply(_ changes: TagChanges) async throws {
        guard !changes.isEmpty else { return }
        try await write { try applyTags(changes) }
    }

    /// Requires the write lock.
    func applyTags(_ changes: TagChanges, downloads: [DownloadEntry] = []) throws {
        guard !changes.isEmpty || !downloads.isEmpty else { return }
        var table = try tagTable()
        loadedTags = nil  // one owner, so that the change copies nothing
        defer {
            table.status = (try? disk.status(TagTable.logName)) ?? nil
            loadedTags = table
        }
        try table.apply(changes, downloads, disk)
        marker.note(table.logs)
    }

    /// The current tags.
    func tagTable() throws -> TagTable {
        let status = try disk.status(TagTable.logName)
        if let loadedTags, loadedTags.status == status { return loadedTags }
        if !isWriting { marker = try LibraryMarker(disk) }
        var table = try TagTable(disk, marker.anchors)
        table.status = status
        loadedTags = table
        return table
    }

    /// Requires the write lock.
    func newTags(of changes: [PodcastChanges]) throws -> TagChanges {
        var tagChanges = TagChanges()
        guard changes.contains(where: { !$0.new.isEmpty }) else { return tagChanges }
        let table = try tagTable()
        for change in changes {
            for id in change.new { tagChanges.tags[id] = (table.tags[id] ?? []).union([.new]) }
            if change.isPending { tagChanges.pending.formUnion(change.new) }
        }
        return tagChanges
    }
}
