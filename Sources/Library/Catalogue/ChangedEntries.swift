import Domain

/// The entries of podcasts that have changed since the catalogue's file was written.
///
/// In a refresh nearly all entries change, so they take as little memory as in the file, and only where they changed.
final class ChangedEntries {
    private static let size = CatalogueEntry.words * 8
    private let words: UnsafeMutableRawBufferPointer
    private var isChanged: [Bool]
    private var offsets: [CatalogueEntry.Key: [Int]] = [:]
    private var titles: [CatalogueEntry.Key: UnsafeMutableRawBufferPointer] = [:]

    /// - Parameter count: the number of all entries.
    init(count: Int) {
        isChanged = [Bool](repeating: false, count: count)
        // Untouched pages of a large allocation take no memory.
        words = .allocate(byteCount: max(1, count) * Self.size, alignment: 8)
    }

    deinit {
        words.deallocate()
        for title in titles.values { title.deallocate() }
    }

    /// The changed entry at an index; nil if it is as in the file. Valid as long as this object exists.
    subscript(index: Int) -> CatalogueEntry? {
        guard isChanged[index], let base = words.baseAddress else { return nil }
        return CatalogueEntry(at: base + index * Self.size)
    }

    /// Offsets of the podcast's lines that were appended to the log.
    func offsets(of key: CatalogueEntry.Key) -> [Int] { offsets[key] ?? [] }

    /// The podcast's title shown, in lower case; nil if it has not changed.
    func title(of key: CatalogueEntry.Key) -> UnsafeRawBufferPointer? {
        titles.isEmpty ? nil : titles[key].map { UnsafeRawBufferPointer($0) }
    }

    /// - Parameters:
    ///   - offset: that of the change's line in the log.
    ///   - entry: the podcast's entry so far.
    func set(_ index: Int, _ change: Catalogue.Change, offset: Int, over entry: CatalogueEntry) {
        let (podcast, earlier) = (change.podcast, change.earlier)
        let key = entry.key
        var hashes = entry.hashes
        if podcast.feedURL != earlier.feedURL || podcast.title != earlier.title || podcast.settings != earlier.settings {
            let title = Array(podcast.displayTitle.lowercased().utf8)
            hashes = CatalogueEntry.Hashes(podcast, title: title)
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: title.count, alignment: 1)
            copy.copyBytes(from: title)
            titles.updateValue(copy, forKey: key)?.deallocate()
        }
        guard var words = CatalogueEntry.words(of: podcast, hashes) else { return }
        CatalogueEntry.place(&words, lines: entry.lines, title: entry.titleRange)
        words.withUnsafeBytes { self.words[(index * Self.size)...].copyBytes(from: $0) }
        isChanged[index] = true
        offsets[key, default: []].append(offset)
    }
}
