internal import Domain

/// Approximate size in memory of what has been collected of a feed, and what is allowed.
///
/// An item of seven bytes becomes an episode of two kilobytes, so the size of the document alone bounds nothing. The
/// estimates are above what is measured for such items, and near it for those of real feeds.
struct Footprint {
    /// What an item takes until it is stored, besides its texts: as it is parsed, its digests, and its episode.
    private static let itemSize = 1_600
    /// An element that becomes a value of its own, such as an enclosure or a person.
    private static let elementSize = 256
    /// The heap's own share of a string.
    private static let textSize = 32

    private(set) var size = 0
    private var openElements = 0
    private var openBytes = 0
    private var sizeBeforeItem = 0

    mutating func beginItem() {
        (openElements, openBytes) = (0, 0)
        sizeBeforeItem = size
    }

    mutating func addElement(_ bytes: Int) {
        openElements += 1
        openBytes += bytes
        size += Self.elementSize + bytes
    }

    mutating func addText(_ bytes: Int) {
        openBytes += bytes
        size += Self.textSize + bytes
    }

    /// Most elements of an item become fields of it, which `itemSize` includes.
    mutating func endItem(_ item: Item) {
        let values = item.enclosures.count + item.tags.count + item.keywords.count + item.transcripts.count + item.persons.count
        let elements = item.hasExtras ? max(values, openElements) : values
        size = sizeBeforeItem + Self.itemSize + openBytes + elements * Self.elementSize
    }

    // MARK: The limit

    /// Small feeds are never refused.
    private static let floor = 24 << 20
    /// Of one feed, its document included.
    private static let most = 240 << 20

    /// - Parameters:
    ///   - document: bytes that have been read.
    ///   - held: bytes that are kept of the document, in whatever form.
    func isTooLarge(document: Int, held: Int) -> Bool {
        size > min(Self.floor + document / 2 * 5, Self.most - held)
    }
}
