internal import CFiles
internal import Domain
internal import Memory

/// One change of the index, by the only process that may change it: what is added is collected, written as segments,
/// and seen by others from `save` on.
///
/// Segments are built by `SegmentBuilders` and merged in the background, several at a time.
final class IndexUpdate {
    private let folder: IndexFolder
    private let lock: IndexLock
    private(set) var snapshot: IndexSnapshot
    private let numbers: SegmentNumbers
    private let builders: SegmentBuilders
    /// Podcasts that are in them.
    private var building: Set<PodcastID> = []
    /// Documents are deleted whose successors are in them.
    private var hasDeleted = false
    private var merge: BackgroundMerge?
    /// Segments that were looked into, some pages each, since their memory was given back.
    private var looked = 0
    /// Segments that the manifest does not list yet, and that may not be on the disk.
    private var unpublished: [Int] = []
    /// Segments that it still lists, whose place another took; they may be read until it is replaced.
    private var replaced: [Segment] = []
    /// Podcasts that are in it, where it began empty: the others need not be looked for.
    private var all: Set<PodcastID>?

    /// - Throws: `IndexFailure.busy`, `StorageError`, `StorageDamage`.
    init(_ folder: IndexFolder, waitSeconds: Int) throws {
        self.folder = folder
        lock = try IndexLock(folder, waitSeconds: waitSeconds)
        snapshot = try IndexSnapshot(folder)
        numbers = SegmentNumbers(next: snapshot.manifest.next)
        builders = SegmentBuilders(folder, numbers)
        folder.removeAllBut(snapshot.manifest)
        if snapshot.segments.isEmpty { all = [] }
    }

    /// No thread must go on writing when another process may: the lock is given back behind this.
    deinit {
        builders.abandon()
        if let merge { _ = try? merge.wait() }
    }

    /// Removes all that is there. Processes that have it open keep reading it.
    static func reset(_ folder: IndexFolder, waitSeconds: Int) throws {
        let lock = try IndexLock(folder, waitSeconds: waitSeconds)
        try withExtendedLifetime(lock) {
            try folder.publish(Manifest(), unsynced: [])
            folder.removeAllBut(Manifest())
        }
    }

    // MARK: Adding

    func add(_ changes: [IndexChange]) throws {
        var jobs: [BuildJob] = []
        for change in changes {
            try add(change, to: &jobs)
            if looked > 64 { forget() }
        }
        try run(&jobs)
        if looked > 0 { forget() }
    }

    /// Adds podcasts to an index that has none of them.
    func add(_ jobs: [BuildJob]) throws {
        var jobs = jobs
        try run(&jobs)
    }

    private func forget() {
        for segment in snapshot.segments { segment.file.forget() }
        looked = 0
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
            guard try known(id) != nil else { return }
            for document in snapshot.documents(of: id) { delete(document) }
            building.insert(id)
            builders.remove(id)
        }
    }

    /// What is being built can't be changed: a podcast that is in it has to be written first.
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
        let known = try known(podcast.id)
        let language = language(of: episodes, channel, extent, known)
        let common = PodcastText(podcast, channel, language)
        var row = known ?? PodcastRow()
        var added: [EpisodeID]?
        switch extent {
        case .after(let revision):
            // What names the podcast is in every document: if it changed, the other episodes are behind, and the podcast
            // stays outdated. So it does if a change of the library was missed.
            if known?.revision ?? 0 == revision, known?.digest ?? common.digest == common.digest {
                row = PodcastRow(revision: podcast.contentRevision, digest: common.digest)
            }
        case .unfinished: row.revision = 0
        case .whole(let ids):
            row = PodcastRow(revision: podcast.contentRevision, digest: common.digest)
            added = ids
        }
        row.language = language
        var left = added != nil && known != nil ? Set(snapshot.documents(of: podcast.id).map { Place($0) }) : []
        for id in added ?? [] {
            if let place = snapshot.document(of: podcast.id, id) { left.remove(Place(place)) }
        }
        var changed = known == nil ? episodes : []
        if known != nil {
            for episode in episodes {
                guard let old = snapshot.document(of: podcast.id, episode.id) else {
                    changed.append(episode)
                    continue
                }
                left.remove(Place(old))
                let digest = IndexedText.digest(of: episode, of: common, transcript: transcripts[episode.id] ?? [])
                if snapshot.segments[old.segment].facts(old.document).digest == digest { continue }
                delete(old)
                changed.append(episode)
            }
        }
        for place in left { delete((place.segment, place.document)) }
        all?.insert(podcast.id)
        building.insert(podcast.id)
        jobs.append(BuildJob(id: podcast.id, row: row, text: common, episodes: changed, transcripts: transcripts))
    }

    /// The language that was decided stays, unless all episodes are given at once: some tell less.
    private func language(of episodes: [Episode], _ channel: Channel, _ extent: Extent, _ known: PodcastRow?) -> Language {
        if let known, known.language != .undetermined {
            guard case .whole(let added) = extent, added.isEmpty else { return known.language }
        }
        return LanguageDecision.language(declared: channel.language, episodes)
    }

    /// Which of a podcast's episodes are given.
    private enum Extent {
        /// Those that changed since this revision.
        case after(Int)
        /// Some, and the rest comes later.
        case unfinished
        /// All except those that were added before.
        case whole(added: [EpisodeID])
    }

    /// What the index has of a podcast, whose documents may be deleted then: no merge is under way.
    private func known(_ podcast: PodcastID) throws -> PodcastRow? {
        if let all, !all.contains(podcast) { return nil }
        try endMerge()
        looked += snapshot.segments.count
        return snapshot.podcast(podcast)
    }

    private struct Place: Hashable {
        var segment: Int
        var document: Int

        init(_ place: (segment: Int, document: Int)) { (segment, document) = place }
    }

    private func delete(_ place: (segment: Int, document: Int)) {
        let number = snapshot.segments[place.segment].number
        builders.delete(place.document, of: number)
        snapshot.delete(place.document, of: number)
        hasDeleted = true
    }

    // MARK: Writing

    /// Writes what is collected, and shows it to everybody.
    ///
    /// - Parameter revision: the library's revision that the index is in line with; nil leaves it.
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
            range, of: snapshot.manifest, deleted: Array(snapshot.deleted[range]), number: numbers.take(), in: folder)
    }

    /// Waits for the merge under way, and begins the next.
    private func endMerge() throws {
        guard let ended = merge else { return }
        merge = nil
        let entry = try ended.wait()
        replaced += snapshot.segments[ended.range]
        snapshot.replace(ended.range, by: try Segment(folder.path(of: entry.number), entry))
        unpublished.append(entry.number)
        // A merge is worth the time that it takes to show it: whatever becomes of this process, it is not made twice. But
        // it leaves out deleted documents, which may be seen no less than their successors.
        if !hasDeleted { try publish() }
        try beginMerge()
    }
}
