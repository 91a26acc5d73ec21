internal import CFiles
internal import Domain

/// One change of the index, by the only process that may change it: what is added is gathered, written as segments,
/// and seen by others from `save` on.
final class IndexUpdate {
    private let folder: IndexFolder
    private let lock: IndexLock
    private(set) var snapshot: IndexSnapshot
    private var collector = Collector()
    private var text = IndexedText()
    /// Segments that were looked into, some pages each, since their memory was given back.
    private var looked = 0
    /// There are segments that the manifest does not list yet.
    private var isUnpublished = false
    /// Podcasts that are in it, where it began empty: the others need not be looked for.
    private var all: Set<PodcastID>?

    /// - Throws: `IndexFailure.busy`, `StorageError`, `StorageDamage`.
    init(_ folder: IndexFolder, waitSeconds: Int) throws {
        self.folder = folder
        lock = try IndexLock(folder, waitSeconds: waitSeconds)
        snapshot = try IndexSnapshot(folder)
        folder.removeAllBut(snapshot.manifest)
        if snapshot.segments.isEmpty { all = [] }
    }

    /// Removes all that is there. Processes that have it open keep reading it.
    static func reset(_ folder: IndexFolder, waitSeconds: Int) throws {
        let lock = try IndexLock(folder, waitSeconds: waitSeconds)
        try withExtendedLifetime(lock) {
            try folder.publish(Manifest())
            folder.removeAllBut(Manifest())
        }
    }

    // MARK: Adding

    func add(_ changes: [IndexChange]) throws {
        for change in changes {
            try add(change)
            if looked > 64 { forget() }
        }
        if looked > 0 { forget() }
    }

    private func forget() {
        for segment in snapshot.segments { segment.file.forget() }
        looked = 0
    }

    private func add(_ change: IndexChange) throws {
        switch change {
        case .episodes(let podcast, let after, let channel, let episodes, let transcripts):
            try add(episodes, of: podcast, channel, transcripts, .after(after))
        case .part(let podcast, let channel, let episodes, let transcripts):
            try add(episodes, of: podcast, channel, transcripts, .unfinished)
        case .whole(let podcast, let channel, let episodes, let transcripts, let added):
            try add(episodes, of: podcast, channel, transcripts, .whole(added: added))
        case .removed(let id):
            try makeCurrent(id)
            guard known(id) != nil else { return }
            for document in snapshot.documents(of: id) { kill(document) }
            set(PodcastRow(isRemoved: true), of: id)
        }
        if collector.isFull { try write() }
    }

    /// What is gathered can't be changed: a podcast that is in it has to be written first.
    private func makeCurrent(_ podcast: PodcastID) throws {
        if collector.row(of: podcast) != nil { try write() }
    }

    private func add(
        _ episodes: [Episode], of podcast: Podcast, _ channel: Channel, _ transcripts: [EpisodeID: [TranscriptSegment]],
        _ extent: Extent
    ) throws {
        try makeCurrent(podcast.id)
        let common = PodcastText(podcast, channel)
        let known = known(podcast.id)
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
        set(row, of: podcast.id)
        var left = added != nil && known != nil ? Set(snapshot.documents(of: podcast.id).map { Place($0) }) : []
        for id in added ?? [] {
            if let place = snapshot.document(of: podcast.id, id) { left.remove(Place(place)) }
        }
        for episode in episodes {
            let old = known == nil ? nil : snapshot.document(of: podcast.id, episode.id)
            if let old { left.remove(Place(old)) }
            add(episode, of: common, transcripts.isEmpty ? [] : transcripts[episode.id] ?? [], old: old)
        }
        for place in left { kill((place.segment, place.document)) }
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

    private func known(_ podcast: PodcastID) -> PodcastRow? {
        if let all, !all.contains(podcast) { return nil }
        looked += snapshot.segments.count
        return snapshot.podcast(podcast)
    }

    private func set(_ row: PodcastRow, of podcast: PodcastID) {
        all?.insert(podcast)
        collector.set(row, of: podcast)
    }

    /// Not inlined: the loop would copy each episode.
    ///
    /// - Parameter old: where it is until now.
    @inline(never) private func add(
        _ episode: Episode, of podcast: PodcastText, _ transcript: [TranscriptSegment], old: (segment: Int, document: Int)?
    ) {
        let digest = IndexedText.digest(of: episode, of: podcast, transcript: transcript)
        if let old {
            if snapshot.segments[old.segment].facts(old.document).digest == digest { return }
            kill(old)
        }
        text.fill(episode.item, of: podcast, transcript: transcript)
        collector.add(episode, &text, digest: digest)
    }

    private struct Place: Hashable {
        var segment: Int
        var document: Int

        init(_ place: (segment: Int, document: Int)) { (segment, document) = place }
    }

    private func kill(_ place: (segment: Int, document: Int)) {
        let number = snapshot.segments[place.segment].number
        collector.kill(place.document, of: number)
        snapshot.kill(place.document, of: number)
    }

    // MARK: Writing

    /// Writes what is gathered, and shows it to everybody.
    ///
    /// - Parameter revision: the library's revision that the index is in line with; nil leaves it.
    func save(revision: Int? = nil) throws {
        if !collector.isEmpty || snapshot.isDamaged { try write() }
        if let revision, snapshot.manifest.revision != revision {
            snapshot.set(revision: revision)
            isUnpublished = true
        }
        if isUnpublished { try publish() }
    }

    private func write() throws {
        if snapshot.isDamaged { throw StorageDamage() }
        let number = snapshot.takeNumber()
        let size = try collector.write(to: folder.path(of: number))
        if collector.isOverfull { collector = Collector() } else { collector.removeAll() }
        let entry = Manifest.Entry(number: number, size: size)
        let segment = try Segment(folder.path(of: number), entry)
        segment.file.forget()
        snapshot.replace(snapshot.segments.count..<snapshot.segments.count, by: segment)
        isUnpublished = true
        let merged = try merge()
        // A merge is worth the time that it takes to show it: whatever becomes of this process, it is not made twice.
        if !merged.isEmpty {
            try publish()
            withExtendedLifetime(merged) { folder.removeAllBut(snapshot.manifest) }
        }
    }

    private func publish() throws {
        try folder.publish(snapshot.manifest)
        isUnpublished = false
    }

    /// - Returns: the segments that another took the place of.
    private func merge() throws -> [Segment] {
        guard let range = Merge.range(of: snapshot.segments.map(\.size)) else { return [] }
        let number = snapshot.takeNumber()
        let old = Array(snapshot.segments[range])
        // A merge needs memory of its own: the collector's, and what others freed, go back to the system first.
        collector = Collector()
        malloc_trim(0)
        let merge = Merge(old, dead: Array(snapshot.dead[range]))
        let older = Set(snapshot.segments[..<range.lowerBound].map(\.number))
        let size = try merge.write(to: folder.path(of: number), older: older)
        snapshot.replace(range, by: try Segment(folder.path(of: number), Manifest.Entry(number: number, size: size)))
        return old
    }
}
