import Domain

/// The owner's tags, in the log that also has the state of downloads.
actor TagStore: TagRepository, FolderStore {
    let writer: LibraryWriter
    private var loaded: TagTable? { didSet { idsByTag = [:] } }
    /// The episodes of the tags asked for since the tags last changed, in id order.
    private var idsByTag: [Tag: [EpisodeID]] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { writer.unownedExecutor }

    init(_ writer: LibraryWriter) { self.writer = writer }

    func tags(of episodes: [EpisodeID]) throws -> [EpisodeID: Set<Tag>] {
        let table = try table()
        var tags: [EpisodeID: Set<Tag>] = [:]
        for id in episodes { if let own = table.tags[id] { tags[id] = own } }
        return tags
    }

    func episodes(tagged tags: Set<Tag>) throws -> [Tag: [EpisodeID]] {
        guard !tags.isEmpty else { return [:] }
        let table = try table()
        let missing = tags.filter { idsByTag[$0] == nil }
        var ids: [Tag: [EpisodeID]] = [:]
        if !missing.isEmpty {
            for (id, own) in table.tags { for tag in missing where own.contains(tag) { ids[tag, default: []].append(id) } }
        }
        for tag in missing { idsByTag[tag] = ids[tag]?.sorted() ?? [] }
        return idsByTag.filter { tags.contains($0.key) && !$0.value.isEmpty }
    }

    func taggedEpisodes() throws -> [TaggedEpisode] {
        try table().tags.map { TaggedEpisode(id: $0.key, tags: $0.value) }.sorted { $0.id < $1.id }
    }

    func waitingTags() throws -> [TagLine] { try table().waiting }

    func pendingEpisodes() throws -> [EpisodeID] {
        let table = try table()
        return table.pending.filter { table.tags[$0]?.contains(.new) ?? false }.sorted()
    }

    func edit(_ edit: TagEdit, of episodes: [EpisodeID]) async throws -> [EpisodeID: Set<Tag>] {
        guard !episodes.isEmpty, !edit.isEmpty else { return [:] }
        return try await write { store in
            let (changes, before) = try store.table().changes(by: edit, of: episodes)
            try store.commit(changes)
            return before
        }
    }

    func apply(_ changes: TagChanges) async throws {
        guard !changes.isEmpty else { return }
        try await write { try $0.commit(changes) }
    }

    /// Stores the entries with the tags that follow from them.
    func store(_ entries: [DownloadEntry]) async throws {
        guard !entries.isEmpty else { return }
        try await write { try $0.commit($0.table().changes(storing: entries), downloads: entries) }
    }

    /// Requires a batch.
    func commit(_ changes: TagChanges, downloads: [DownloadEntry] = []) throws {
        guard !changes.isEmpty || !downloads.isEmpty else { return }
        var table = try table()
        loaded = nil  // one owner, so that the change copies nothing
        defer {
            table.status = (try? disk.status(TagTable.logName)) ?? nil
            loaded = table
        }
        try table.apply(changes, downloads, disk)
        writer.note(table.logs)
    }

    /// Tags the new episodes among these. Requires a batch.
    func commitNew(of changes: [PodcastChanges]) throws {
        guard changes.contains(where: { !$0.new.isEmpty }) else { return }
        try commit(try table().changes(adding: changes))
    }

    /// The current tags.
    func table() throws -> TagTable {
        let status = try disk.status(TagTable.logName)
        if let loaded, loaded.status == status { return loaded }
        var table = try TagTable(disk, writer.anchors)
        table.status = status
        loaded = table
        return table
    }
}
