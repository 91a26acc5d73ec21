import Domain
import Records

/// The owner's tags.
struct TagStore: TagRepository {
    let owner: OwnerWriter

    // MARK: Reading

    func tags(of episodes: [EpisodeID]) async throws -> [EpisodeID: Set<Tag>] {
        guard !episodes.isEmpty else { return [:] }
        return try await rows(Self.readTags(episodes)).compactMapValues { $0.tags.isEmpty ? nil : $0.tags }
    }

    func episodes(tagged tags: Set<Tag>) async throws -> [Tag: [EpisodeID]] {
        guard !tags.isEmpty else { return [:] }
        let wanted = tags.sorted()
        let rows = try await owner.session.read([
            Transaction(wanted.map { Call(.tagged, .owner, .text(TagRow.word($0))) })
        ])
        var idsByTag: [Tag: [EpisodeID]] = [:]
        for (tag, rows) in zip(wanted, rows) where !rows.isEmpty { idsByTag[tag] = Self.tagRows(rows).keys.sorted() }
        return idsByTag
    }

    func taggedEpisodes() async throws -> [TaggedEpisode] {
        try await rows(Call(.allTags, .owner)).filter { !$0.value.tags.isEmpty }
            .map { TaggedEpisode(id: $0.key, tags: $0.value.tags) }.sorted { $0.id < $1.id }
    }

    func waitingTags() async throws -> [TagLine] {
        try Self.waiting(try await owner.read(OwnerDocument.waiting.read))
    }

    func pendingEpisodes() async throws -> [EpisodeID] {
        try await rows(Call(.pendingTags, .owner)).filter { $0.value.tags.contains(.new) }.keys.sorted()
    }

    // MARK: Writing

    func edit(_ edit: TagEdit, of episodes: [EpisodeID]) async throws -> [EpisodeID: Set<Tag>] {
        guard !episodes.isEmpty, !edit.isEmpty else { return [:] }
        return try await changeTags(of: episodes) { own, _ in
            var changes = TagChanges()
            for id in episodes {
                let before = own[id]?.tags ?? []
                let edited = edit.applied(to: before)
                if edited != before { changes.tags[id] = edited }
            }
            return changes
        }
    }

    func apply(_ changes: TagChanges) async throws {
        guard !changes.isEmpty else { return }
        let episodes = Set(changes.tags.keys).union(changes.pending).union(changes.taken)
        _ = try await changeTags(of: Array(episodes)) { _, _ in changes }
    }

    /// Adds the tag `new` before the episodes are written: after a crash between the two, a fetched episode counts as
    /// new again.
    func addNewTags(of changes: [PodcastChanges]) async throws {
        var tags = TagChanges()
        for change in changes where !change.new.isEmpty {
            for id in change.new { tags.tags[id] = [] }
            if change.isPending { tags.pending.formUnion(change.new) }
        }
        guard !tags.isEmpty else { return }
        let new = tags
        _ = try await changeTags(of: Array(new.tags.keys)) { own, _ in
            var changes = new
            for id in new.tags.keys { changes.tags[id] = (own[id]?.tags ?? []).union([.new]) }
            return changes
        }
    }

    /// Undoes `addNewTags` if the podcast was unsubscribed meanwhile, so that its episodes were never stored.
    func removeNewTags(of episodes: [EpisodeID]) async throws {
        guard !episodes.isEmpty else { return }
        _ = try await changeTags(of: episodes) { own, _ in
            var changes = TagChanges()
            for id in episodes { changes.tags[id] = (own[id]?.tags ?? []).subtracting([.new]) }
            changes.taken = Set(episodes)
            return changes
        }
    }

    /// - Parameter change: called with the tags of these episodes and the waiting lines.
    /// - Returns: the previous tags of the episodes that were changed.
    func changeTags(
        of episodes: [EpisodeID], _ change: ([EpisodeID: TagRow], [TagLine]) throws -> TagChanges
    ) async throws -> [EpisodeID: Set<Tag>] {
        try await owner.write(reading: [Self.readTags(episodes), OwnerDocument.waiting.read]) { rows in
            let (own, waiting) = (Self.tagRows(rows[0]), try Self.waiting(rows[1]))
            let (calls, before) = Self.calls(try change(own, waiting), own, waiting)
            return (calls, before)
        }
    }

    static func calls(
        _ changes: TagChanges, _ own: [EpisodeID: TagRow], _ waiting: [TagLine]
    ) -> (calls: [Call], before: [EpisodeID: Set<Tag>]) {
        var edited: [EpisodeID: TagRow] = [:]
        var before: [EpisodeID: Set<Tag>] = [:]
        for id in Set(changes.tags.keys).union(changes.pending).union(changes.taken) {
            var row = own[id] ?? TagRow()
            if let tags = changes.tags[id] {
                if tags != row.tags { before[id] = row.tags }
                row.tags = tags
            }
            if changes.pending.contains(id) { row.isPending = true }
            if changes.taken.contains(id) { row.isPending = false }
            edited[id] = row
        }
        var calls = writeTags(edited, over: own)
        let lines = TagLine.waiting(waiting, settling: changes.settled, adding: changes.waiting)
        if lines != waiting { calls.append(OwnerDocument.waiting.write { $0.entries(lines) { $0.write(to: &$1) } }) }
        return (calls, before)
    }

    // MARK: Rows

    /// One episode's row in the table of tags.
    struct TagRow: Hashable {
        var tags: Set<Tag> = []
        /// True if the episode waits for an `--on-new` command.
        var isPending = false

        /// The form of a tag in the column `words`.
        static func word(_ tag: Tag) -> String { " \(tag) " }

        var words: String { tags.isEmpty ? "" : " " + tags.sorted().map { "\($0) " }.joined() }
    }

    static func readTags(_ episodes: [EpisodeID]) -> Call { Call(.tags, .owner, .texts(episodes.map(\.text))) }

    static func tagRows(_ rows: Rows) -> [EpisodeID: TagRow] {
        var tagRows: [EpisodeID: TagRow] = [:]
        for row in rows {
            guard let id = EpisodeID(text: row.text("episode")) else { continue }
            tagRows[id] = TagRow(
                tags: Set(row.text("words").split(separator: " ").compactMap { Tag($0) }), isPending: row.int("pending") > 0)
        }
        return tagRows
    }

    static func writeTags(_ edited: [EpisodeID: TagRow], over own: [EpisodeID: TagRow]) -> [Call] {
        let changed = edited.filter { own[$0.key] ?? TagRow() != $0.value }.sorted { $0.key < $1.key }
        let gone = changed.filter { $0.value == TagRow() }.map(\.key.text)
        var calls = gone.isEmpty ? [] : [Call(.dropTags, .owner, .texts(gone))]
        calls += Call.each(changed.filter { $0.value != TagRow() }, atMost: OwnerWriter.maxRows) { rows in
            Call(
                .putTags(rows.count), .owner,
                rows.flatMap { [.text($0.key.text), .text($0.value.words), .flag($0.value.isPending)] })
        }
        return calls
    }

    private func rows(_ call: Call) async throws -> [EpisodeID: TagRow] {
        Self.tagRows(try await owner.read(call))
    }

    static func waiting(_ rows: Rows) throws -> [TagLine] { try OwnerDocument.waiting.list(rows) { try TagLine(from: &$0) } }
}
