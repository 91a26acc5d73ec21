import Domain
import Records

extension Catalogue {
    /// The first line: the state of the log that the catalogue was made from, and the sizes of the parts that follow.
    struct Header {
        var version = Catalogue.version
        var anchor = LogAnchor()
        /// See `RecordLog`.
        var firstLength = 0
        var lastLine = 0
        var contentRevision = 0
        var forgottenRevision = 0
        var removals = 0
        var count = 0
        var lines = 0
        /// Bytes between the header and the sums.
        var size = 0
        /// The checksum over the block sums.
        var sums: UInt64 = 0
        var unsubscribed: Set<PodcastID> = []
        var lastRemoved: [PodcastID] = []
        var removedAt: [(revision: Int, id: PodcastID)] = []

        /// The offset of the titles after the entries and lines, and their size.
        var titlesStart: Int { (count * CatalogueEntry.words + lines) * 8 }
        var titleBytes: Int { size - titlesStart }
    }
}

extension Catalogue.Header: ReadableFields {
    mutating func list<L: FieldList>(_ list: inout L) {
        list.integer("version", always: &version)
        list.integer("generation", always: &anchor.generation)
        list.integer("length", always: &anchor.length)
        list.integer("firstLength", always: &firstLength)
        list.hash("last", &anchor.sum)
        list.integer("lastLine", always: &lastLine)
        list.integer("contentRevision", always: &contentRevision)
        list.integer("forgottenRevision", always: &forgottenRevision)
        list.integer("removals", always: &removals)
        list.integer("entries", always: &count)
        list.integer("lines", always: &lines)
        list.integer("size", always: &size)
        list.hash("sums", &sums)
        list.texts("unsubscribed", &unsubscribed)
        list.texts("lastRemoved", &lastRemoved)
        var removals = removedAt.map { (key: $0.id.text, value: $0.revision) }
        list.integers("removedAt", byKey: &removals)
        if L.reads { removedAt = removals.map { ($0.value, PodcastID(text: $0.key)) } }
    }
}
