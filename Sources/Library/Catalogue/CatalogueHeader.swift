import Domain
import JSON

extension Catalogue {
    /// The first line: the state of the log that the catalogue was made from, and the sizes of the parts that follow.
    struct Header {
        var anchor = LogAnchor(generation: 0, length: 0, sum: 0)
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

extension Catalogue.Header {
    mutating func read(_ key: String, from json: inout JSONReader, version: inout Int) throws {
        switch key {
        case "version": version = try json.integer()
        case "generation": anchor.generation = try json.integer()
        case "length": anchor.length = try json.integer()
        case "firstLength": firstLength = try json.integer()
        case "last": anchor.sum = try json.hash()
        case "lastLine": lastLine = try json.integer()
        case "contentRevision": contentRevision = try json.integer()
        case "forgottenRevision": forgottenRevision = try json.integer()
        case "removals": removals = try json.integer()
        case "entries": count = try json.integer()
        case "lines": lines = try json.integer()
        case "size": size = try json.integer()
        case "sums": sums = try json.hash()
        case "unsubscribed": unsubscribed = Set(try json.strings().map { PodcastID(text: $0) })
        case "lastRemoved": lastRemoved = try json.strings().map { PodcastID(text: $0) }
        case "removedAt":
            try json.object { json, id in removedAt.append((try json.integer(), PodcastID(text: id))) }
        default: try json.skip()
        }
    }

    func write(to json: inout JSONWriter) {
        json.integer("version", Catalogue.version)
        json.integer("generation", anchor.generation)
        json.integer("length", anchor.length)
        json.integer("firstLength", firstLength)
        json.hash("last", anchor.sum)
        json.integer("lastLine", lastLine)
        json.integer("contentRevision", contentRevision)
        json.integer("forgottenRevision", forgottenRevision)
        json.integer("removals", removals)
        json.integer("entries", count)
        json.integer("lines", lines)
        json.integer("size", size)
        json.hash("sums", sums)
        json.texts("unsubscribed", unsubscribed.sorted().map(\.text))
        json.texts("lastRemoved", lastRemoved.map(\.text))
        json.object("removedAt") { json in
            for (revision, id) in removedAt {
                json.key(id.text)
                json.value(revision)
            }
        }
    }
}
