internal import Domain

/// Estimates the memory of the values collected from a feed, and limits it.
///
/// An item of seven bytes becomes an episode of half a kilobyte, so the document's size alone is no bound. The estimates
/// are above the measured size of such items, and close to that of real feeds.
struct Footprint {
    /// Bytes of an item until it is stored, besides its texts: the parsed item, its digests and its episode.
    private static let itemSize = 800
    /// Bytes of an element that becomes a separate value, such as an enclosure or a person.
    private static let elementSize = 256
    /// Bytes of heap overhead for a string.
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

    /// Enough for 100,000 small items, more than any real feed has.
    private static let floor = 112 << 20
    /// Most bytes for one feed, including its document.
    private static let maxBytes = 240 << 20

    /// - Parameters:
    ///   - document: bytes that have been read.
    ///   - held: bytes of the document that are kept in memory, in any form.
    func isTooLarge(document: Int, held: Int) -> Bool {
        size > min(Self.floor + document / 2 * 5, Self.maxBytes - held)
    }
}
