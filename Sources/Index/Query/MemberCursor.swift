internal import Domain

/// Documents of a long list of episodes, such as those with a tag.
///
/// Looks up each document only when it gets there: a page of the newest needs few of them.
final class MemberCursor: Cursor {
    /// Sorted.
    private let ids: [EpisodeID]
    private let segment: Segment
    /// The range of each podcast's episodes in the list, by the podcast's row.
    private var ranges: [UInt32: Range<Int>] = [:]

    init(_ ids: [EpisodeID], _ segment: Segment) {
        self.ids = ids
        self.segment = segment
    }

    static func pays(_ ids: [EpisodeID], _ segment: Segment) -> Bool { ids.count > 256 && ids.count * 2 > segment.documents }

    override var cost: Int { min(ids.count, segment.documents) }

    override func advance(to target: Int) {
        var next = max(0, target)
        while next < segment.documents, !contains(next) { next += 1 }
        document = next < segment.documents ? next : .max
    }

    private func contains(_ document: Int) -> Bool {
        let facts = segment.facts(document)
        let range = range(of: facts.podcast)
        let name = segment.name(facts)
        let index = range.partitioningIndex { index in
            EpisodeName.withBytes(of: ids[index]) { ByteView.order($0, name) } >= 0
        }
        return index < range.upperBound && EpisodeName.withBytes(of: ids[index]) { ByteView.order($0, name) } == 0
    }

    private func range(of row: UInt32) -> Range<Int> {
        if let range = ranges[row] { return range }
        let prefix = segment.podcastID(Int(row)).text + "-"
        let start = ids.indices.partitioningIndex { ids[$0].text >= prefix }
        let end = (start..<ids.count).partitioningIndex { !ids[$0].text.hasPrefix(prefix) }
        ranges[row] = start..<end
        return start..<end
    }
}
