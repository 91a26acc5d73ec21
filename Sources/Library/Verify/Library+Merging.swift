import Domain

/// Merges the other machine's side of conflicts. Nothing of this machine's is lost: what both changed stays as it is here,
/// where the later version is.
extension Library {
    /// - Returns: the copies, which are now in `damaged/`.
    func merge(_ copies: ConflictCopies) async throws -> [String] {
        try await mergeSubscriptions(copies)
        for sides in copies.tags { try await mergeTags(sides) }
        if !copies.positions.isEmpty {
            try await self.positions.updatePositions(of: copies.positions.map(\.episodeID)) { positions in
                for theirs in copies.positions { positions[theirs.episodeID] = theirs.merged(with: positions[theirs.episodeID]) }
            }
        }
        if !copies.queue.isEmpty {
            try await self.queue.update { entries in
                for entry in copies.queue where !entries.contains(where: { $0.episodeID == entry.episodeID }) {
                    entries.append(entry)
                }
            }
        }
        if !copies.bookmarks.isEmpty {
            try await self.bookmarks.updateBookmarks { bookmarks in
                let places = Set(bookmarks.map { [$0.episodeID.text, "\($0.seconds)"] })
                for theirs in copies.bookmarks where !places.contains([theirs.episodeID.text, "\(theirs.seconds)"]) {
                    bookmarks.set(theirs)
                }
            }
        }
        return try await writer.write {
            let aside = try Repair.setAside(copies.names, writer.disk)
            for name in copies.names { try writer.disk.remove(name) }
            return aside
        }
    }

    private func mergeSubscriptions(_ copies: ConflictCopies) async throws {
        // Episodes that the other machine fetched are taken over from its file.
        let added = copies.added.map { theirs in
            var podcast = Podcast(id: theirs.id, feedURL: theirs.feedURL, subscribedAt: theirs.subscribedAt)
            podcast.settings = theirs.settings
            podcast.credentials = copies.secrets[theirs.id]
            return NewSubscription(podcast)
        }
        _ = try await podcasts.add(added.filter { !$0.podcast.feedURL.isEmpty })
        for sides in copies.podcasts {
            for own in try await podcasts.podcasts(Array(sides.theirs.keys)) {
                guard let theirs = sides.theirs[own.id], let base = sides.base[own.id], theirs.settings != base.settings,
                    own.settings == base.settings
                else { continue }
                _ = try await podcasts.change(own) { current in
                    var changed = current
                    changed.settings = theirs.settings
                    return changed
                }
            }
        }
    }

    private func mergeTags(_ sides: ConflictCopies.Sides<TagLogLines>) async throws {
        let (theirs, base) = (sides.theirs, sides.base)
        let ids = Set(theirs.tags.keys).union(base.tags.keys)
        let stored = try await tags.tags(of: Array(ids))
        var changes = TagChanges()
        for id in ids {
            let (own, before) = (stored[id] ?? [], base.tags[id] ?? [])
            let now = theirs.tags[id] ?? []
            var merged = own.union(now.subtracting(before)).subtracting(before.subtracting(now))
            // This tag goes with the record of the file.
            if own.contains(.downloaded) { merged.insert(.downloaded) } else { merged.remove(.downloaded) }
            if merged != own { changes.tags[id] = merged }
        }
        changes.pending = theirs.pending.subtracting(base.pending).subtracting(try await tags.pendingEpisodes())
        let waiting = Set(try await tags.waitingTags())
        changes.waiting = theirs.waitingLines.filter { !waiting.contains($0) && !base.waitingLines.contains($0) }
        try await tags.apply(changes)
        let downloaded = try await downloads.downloads()
        let files = theirs.downloads.values.filter { $0.file != nil && downloaded[$0.episodeID]?.file == nil }
        try await downloads.store(files.sorted { $0.episodeID < $1.episodeID })
    }
}

extension PlayPosition {
    /// The later of two positions of an episode, with all that was heard on both machines.
    fileprivate func merged(with own: PlayPosition?) -> PlayPosition {
        guard let own else { return self }
        var merged = own.at >= at ? own : self
        merged.playedAt = [own.playedAt, playedAt].compactMap { $0 }.max()
        merged.heard = Set(own.heard).union(heard).sorted { ($0.at, $0.seconds) < ($1.at, $1.seconds) }
        return merged
    }
}
