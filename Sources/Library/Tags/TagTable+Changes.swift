import Domain

/// What commands and refreshes change in the tags. Only differences are part of a change.
extension TagTable {
    /// - Returns: the changes, and the previous tags of the episodes that change.
    func changes(by edit: TagEdit, of episodes: [EpisodeID]) -> (changes: TagChanges, before: [EpisodeID: Set<Tag>]) {
        var changes = TagChanges()
        var before: [EpisodeID: Set<Tag>] = [:]
        for id in episodes {
            let own = tags[id] ?? []
            let edited = edit.applied(to: own)
            if edited != own { (changes.tags[id], before[id]) = (edited, own) }
        }
        return (changes, before)
    }

    /// The tag `downloaded` follows the entries.
    func changes(storing entries: [DownloadEntry]) -> TagChanges {
        var changes = TagChanges()
        for entry in entries {
            let own = tags[entry.episodeID] ?? []
            let edited = entry.file == nil ? own.subtracting([.downloaded]) : own.union([.downloaded])
            if edited != own { changes.tags[entry.episodeID] = edited }
        }
        return changes
    }

    /// New episodes of a refresh get the tag `new`.
    func changes(adding podcasts: [PodcastChanges]) -> TagChanges {
        var changes = TagChanges()
        for podcast in podcasts {
            for id in podcast.new { changes.tags[id] = (tags[id] ?? []).union([.new]) }
            if podcast.isPending { changes.pending.formUnion(podcast.new) }
        }
        return changes
    }
}
