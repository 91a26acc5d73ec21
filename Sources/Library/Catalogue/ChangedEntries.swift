import Domain
import Memory

/// The entries of podcasts that have changed since the catalogue's file was written.
///
/// In a refresh nearly all entries change, so they take as little memory as in the file, and only where they changed.
/// The lines and titles of all changed entries are in one place each, because many small allocations would keep the memory
/// of the feeds around them from being used again.
final class ChangedEntries {
    private static let size = CatalogueEntry.words * 8
    private let words: UnsafeMutableRawBufferPointer
    private var isChanged: [Bool]
    /// What follows after the tables of lines and titles in the file.
    private var lines: [Int] = []
    private var titles = GrowingBytes()
    private let header: Catalogue.Header

    /// - Parameter header: that of the file.
    init(_ header: Catalogue.Header) {
        self.header = header
        isChanged = [Bool](repeating: false, count: header.count)
        // Untouched pages of a large allocation take no memory.
        words = .allocate(byteCount: max(1, header.count) * Self.size, alignment: 8)
    }

    deinit { words.deallocate() }

    /// The changed entry at an index; nil if it is as in the file. Valid as long as this object exists.
    subscript(index: Int) -> CatalogueEntry? {
        guard isChanged[index], let base = words.baseAddress else { return nil }
        return CatalogueEntry(at: base + index * Self.size)
    }

    /// The offset in the log of a line; nil if it is in the file's table.
    func offset(ofLine index: Int) -> Int? {
        lines.indices.contains(index - header.lines) ? lines[index - header.lines] : nil
    }

    /// A title shown, in lower case; nil if it is in the file's table. Valid until another entry changes.
    func title(_ range: Range<Int>) -> UnsafeRawBufferPointer? {
        let start = range.lowerBound - header.titleBytes
        guard start >= 0, range.count <= titles.count - start else { return nil }
        return UnsafeRawBufferPointer(rebasing: titles.bytes[start..<start + range.count])
    }

    /// - Parameters:
    ///   - offsets: those of all of the podcast's lines in the log.
    ///   - entry: the podcast's entry so far.
    func set(_ index: Int, _ change: Catalogue.Change, offsets: [Int], over entry: CatalogueEntry) {
        let (podcast, earlier) = (change.podcast, change.earlier)
        var (hashes, titleRange) = (entry.hashes, entry.titleRange)
        if podcast.feedURL != earlier.feedURL || podcast.title != earlier.title || podcast.settings != earlier.settings {
            let title = Array(podcast.displayTitle.lowercased().utf8)
            hashes = CatalogueEntry.Hashes(podcast, title: title)
            let start = header.titleBytes + titles.count
            titleRange = start..<start + title.count
            titles.append(title.span.bytes)
        }
        guard var words = CatalogueEntry.words(of: podcast, hashes) else { return }
        let firstLine = header.lines + lines.count
        CatalogueEntry.place(&words, lines: firstLine..<firstLine + offsets.count, title: titleRange)
        words.withUnsafeBytes { self.words[(index * Self.size)...].copyBytes(from: $0) }
        isChanged[index] = true
        lines += offsets
    }
}
