internal import Domain
internal import Memory
internal import Searching

/// One change of the index, by the only process that may change it at the time. Added documents are collected and
/// written as segments; readers see them from `save` on.
///
/// `SegmentBuilders` builds segments, several at a time; merges run in the background.
final class IndexUpdate {
    private let folder: IndexFolder
    private let lock: IndexLock
    private(set) var snapshot: IndexSnapshot
    private let numbers: SegmentNumbers
    private let builders: SegmentBuilders
    /// The podcasts in `builders`.
    private var building: Set<PodcastID> = []
    /// Whether documents were deleted whose new versions are still in `builders`.
    private var hasDeleted = false
    private var merge: BackgroundMerge?
    /// The number of segments of which some pages were read since their memory was last released.
    private var readSegments = 0
    /// Segments that the manifest does not list yet, and that may not be on disk yet.
    private var unpublished: [Int] = []
    /// Merged segments that the published manifest still lists. They may be read until it is replaced.
    private var replaced: [Segment] = []
    /// All podcasts of the index if it was empty at the beginning; others need no lookup. nil for any other index.
    private var allPodcasts: Set<PodcastID>?

    /// - Throws: `IndexFailure.busy`, `StorageError`, `StorageDamage`.
    init(_ folder: IndexFolder, waitSeconds: Int) throws {
        self.folder = folder
        lock = try IndexLock(folder, waitSeconds: waitSeconds)
        snapshot = try IndexSnapshot(folder)
        numbers = SegmentNumbers(next: snapshot.manifest.next)
        builders = SegmentBuilders(folder, numbers)
        folder.removeAllBut(snapshot.manifest)
        if snapshot.segments.isEmpty { allPodcasts = [] }
    }

    /// Stops all writing threads: afterwards the lock is released, and another process may write.
    deinit {
        builders.abandon()
        if let merge { _ = try? merge.wait() }
    }

    /// Removes the whole content. Processes that have the index open keep reading it.
    static func reset(_ folder: IndexFolder, waitSeconds: Int) throws {
        let lock = try IndexLock(folder, waitSeconds: waitSeconds)
        try withExtendedLifetime(lock) {
            try folder.publish(Manifest(), unsynced: [])
            folder.removeAllBut(Manifest())
        }
    }

    /// True if another process waits to change the index.
    var isWanted: Bool { lock.isWanted }

    // MARK: Adding

    func add(_ changes: [IndexChange]) throws {
        var jobs: [BuildJob] = []
        for change in changes {
            try add(change, to: &jobs)
            if readSegments > 64 { forget() }
        }
        try run(&jobs)
        if readSegments > 0 { forget() }
    }

    private func forget() {
        for segment in snapshot.segments { segment.file.forget() }
        readSegments = 0
    }

    private func add(_ change: IndexChange, to jobs: inout [BuildJob]) throws {
        switch change {
        case .episodes(let podcast, let after, let channel, let episodes, let transcripts):
            try add(episodes, of: podcast, channel, transcripts, .after(after), to: &jobs)
        case .part(let podcast, let channel, let episodes, let transcripts):
            try add(episodes, of: podcast, channel, transcripts, .unfinished, to: &jobs)
        case .whole(let podcast, let channel, let episodes, let transcripts, let added):
            try add(episodes, of: podcast, channel, transcripts, .whole(added: added), to: &jobs)
        case .removed(let id):
            try makeCurrent(id, &jobs)
            guard try storedRow(id) != nil else { return }
            for document in snapshot.documents(of: id) { delete(document) }
            building.insert(id)
            builders.remove(id)
        }
    }

    /// Writes the segments being built if the podcast is in one, because it cannot be changed there.
    private func makeCurrent(_ podcast: PodcastID, _ jobs: inout [BuildJob]) throws {
        guard building.contains(podcast) else { return }
        try run(&jobs)
        try write()
    }

    private func add(
        _ episodes: [Episode], of podcast: Podcast, _ channel: Channel, _ transcripts: [EpisodeID: [TranscriptSegment]],
        _ extent: Extent, to jobs: inout [BuildJob]
    ) throws {
        try makeCurrent(podcast.id, &jobs)
        let stored = try storedRow(podcast.id)
        let language = language(of: episodes, channel, extent, stored)
        let common = PodcastText(podcast, channel, language)
        var row = stored ?? SegmentPodcast()
        var added: [EpisodeID]?
        switch extent {
        case .after(let revision):
            // Every document contains the podcast's texts. If these changed, or a change of the library was missed, the
            // other episodes are out of date, and the row keeps its old revision.
            if stored?.revision ?? 0 == revision, stored?.digest ?? common.digest == common.digest {
                row = SegmentPodcast(revision: podcast.contentRevision, digest: common.digest)
            }
        case .unfinished: row.revision = 0
        case .whole(let ids):
            row = SegmentPodcast(revision: podcast.contentRevision, digest: common.digest)
            added = ids
        }
        row.language = language
        var obsolete = added != nil && stored != nil ? Set(snapshot.documents(of: podcast.id).map { Location($0) }) : []
        for id in added ?? [] {
            if let document = snapshot.document(of: podcast.id, id) { obsolete.remove(Location(document)) }
        }
        var changed = stored == nil ? episodes : []
        if stored != nil {
            for episode in episodes {
                guard let old = snapshot.document(of: podcast.id, episode.id) else {
                    changed.append(episode)
                    continue
                }
                obsolete.remove(Location(old))
                let digest = IndexedText.digest(of: episode, of: common, transcript: transcripts[episode.id] ?? [])
                if snapshot.segments[old.segment].facts(old.document).digest == digest { continue }
                delete(old)
                changed.append(episode)
            }
        }
        for location in obsolete { delete((location.segment, location.document)) }
        allPodcasts?.insert(podcast.id)
        building.insert(podcast.id)
        jobs.append(BuildJob(id: podcast.id, row: row, text: common, episodes: changed, transcripts: transcripts))
    }

    /// Keeps the language decided before unless the change contains all episodes: a part of them says less about it.
    private func language(of episodes: [Episode], _ channel: Channel, _ extent: Extent, _ stored: SegmentPodcast?) -> Language {
        if let stored, stored.language != .undetermined {
            guard case .whole(let added) = extent, added.isEmpty else { return stored.language }
        }
        return LanguageDecision.language(declared: channel.language, episodes)
    }

    /// Which of a podcast's episodes a change contains.
    private enum Extent {
        /// Those that changed since this revision.
        case after(Int)
        /// Some of them; the others come later.
        case unfinished
        /// All except those that were added before.
        case whole(added: [EpisodeID])
    }

    /// Returns the row of a podcast in the index. Its documents may be deleted afterwards: no merge is under way.
    private func storedRow(_ podcast: PodcastID) throws -> SegmentPodcast? {
        if let allPodcasts, !allPodcasts.contains(podcast) { return nil }
        try endMerge()
        readSegments += snapshot.segments.count
        return snapshot.podcast(podcast)
    }

    private struct Location: Hashable {
        var segment: Int
        var document: Int

        init(_ location: (segment: Int, document: Int)) { (segment, document) = location }
    }

    private func delete(_ location: (segment: Int, document: Int)) {
        let number = snapshot.segments[location.segment].number
        builders.delete(location.document, of: number)
        snapshot.delete(location.document, of: number)
        hasDeleted = true
    }

    // MARK: Writing

    /// Writes everything collected, and publishes it.
    ///
    /// - Parameter revision: the revision of the library that the index now reflects; nil leaves it unchanged.
    func save(revision: Int? = nil) throws {
        if !builders.isEmpty || snapshot.isDamaged { try write() }
        if !unpublished.isEmpty || revision ?? snapshot.manifest.revision != snapshot.manifest.revision {
            if let revision { snapshot.manifest.revision = revision }
            try publish()
        }
        while merge != nil { try endMerge() }
    }

    private func run(_ jobs: inout [BuildJob]) throws {
        defer { jobs.removeAll() }
        if !jobs.isEmpty { try take(builders.run(jobs)) }
    }

    private func write() throws {
        if snapshot.isDamaged { throw StorageDamage() }
        try take(builders.finish())
        building.removeAll()
        hasDeleted = false
        try beginMerge()
    }

    private func take(_ written: [Manifest.Entry]) throws {
        for entry in written {
            let segment = try Segment(folder.path(of: entry.number), entry)
            segment.file.forget()
            snapshot.replace(snapshot.segments.count..<snapshot.segments.count, by: segment)
            unpublished.append(entry.number)
        }
        if let merge, merge.isFinished { try endMerge() }
        if !written.isEmpty { try beginMerge() }
    }

    private func publish() throws {
        snapshot.manifest.next = numbers.next
        try folder.publish(snapshot.manifest, unsynced: unpublished)
        unpublished = []
        guard merge == nil, !replaced.isEmpty else { return }
        for segment in replaced { folder.remove(segment.number) }
        replaced = []
    }

    private func beginMerge() throws {
        guard merge == nil, !snapshot.isDamaged, let range = Merge.range(of: snapshot.segments.map(\.size)) else { return }
        merge = BackgroundMerge(
            range, of: snapshot.manifest, deleted: Array(snapshot.deleted[range]), number: numbers.take(), in: folder,
            builders.mergePause)
    }

    /// Waits for the current merge, and begins the next.
    private func endMerge() throws {
        guard let ended = merge else { return }
        merge = nil
        let entry = try ended.wait()
        replaced += snapshot.segments[ended.range]
        snapshot.replace(ended.range, by: try Segment(folder.path(of: entry.number), entry))
        unpublished.append(entry.number)
        // Publishing a merge at once keeps it even if this process dies. But a merge leaves out deleted documents, and
        // these must stay visible until their new versions are.
        if !hasDeleted { try publish() }
        try beginMerge()
    }
}
