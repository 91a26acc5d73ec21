import Addresses
import Domain
import JSON
import Records
import Scheduling

/// A podcast's record as a row: JSON as in a folder, and in columns of their own the values that statements search.
struct PodcastRow {
    let podcast: Podcast

    init(_ podcast: Podcast) { self.podcast = podcast }

    /// - Throws: `LibraryFailure.damaged`.
    static func podcast(_ row: Row) throws -> Podcast {
        let id = PodcastID(text: row.text("id"))
        var podcast = Podcast(id: id, feedURL: "", subscribedAt: Timestamp(seconds: 0))
        try JSONRow.read(row.bytes("record") ?? [], "podcasts", of: id.text) { try podcast.readMembers(from: &$0) }
        podcast.revision = row.int("revision")
        podcast.contentRevision = row.int("content")
        if let secret = row.bytes("secret") {
            try JSONRow.read(secret, "podcasts", of: id.text) { podcast.credentials = try Credentials(from: &$0) }
        }
        return podcast
    }

    /// All columns but those that say which version of the record it is, in the order of `Statement.addPodcast`.
    func columns(bundle: Int64?, now: Timestamp) -> [Parameter] {
        let (health, until, isFailing) = podcast.health(now: now)
        return [
            .int(podcast.episodeCount), .int(Self.hash(ofURL: podcast.feedURL)), .int(bundle), .time(podcast.dueAt),
            .int(podcast.latestKey), .time(podcast.lastAddedAt), .int(Self.number(of: health)), .time(until),
            .flag(isFailing), .text(podcast.displayTitle.lowercased()),
            .text(TitleName.searchText(of: [podcast.displayTitle, podcast.title ?? ""])), .bytes(recordBytes), secret,
            .flag(podcast.wantsTexts),
        ]
    }

    /// The record, padded with spaces: a record grows with its first fetch, and this way its later versions fit on the
    /// same page.
    var recordBytes: [UInt8] {
        let bytes = JSONRow.bytes { PodcastRecord.write(podcast, since: nil, to: &$0) }
        return bytes + [UInt8](repeating: UInt8(ascii: " "), count: max(0, Self.usualSize - bytes.count))
    }

    private static let usualSize = 1_024

    private var secret: Parameter {
        .bytes(podcast.credentials.map { credentials in JSONRow.bytes { credentials.write(to: &$0) } })
    }

    static func hash(ofURL url: String) -> Int64 { Int64(bitPattern: XXH64.hash(url.utf8)) }

    static func number(of health: Health) -> Int64 { Int64(Health.allCases.firstIndex(of: health) ?? 0) }
    static func health(_ number: Int) -> Health {
        Health.allCases.indices.contains(number) ? Health.allCases[number] : .fine
    }
}

extension Podcast {
    /// Compares URLs first: they are usually equal, and need not be parsed then.
    func isAtHost(of other: Podcast) -> Bool { feedURL == other.feedURL || hostKey == other.hostKey }
}

/// JSON in a column.
enum JSONRow {
    static func bytes(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.object(members)
        return json.bytes
    }

    /// - Throws: `LibraryFailure.damaged` with the table and the row's key.
    static func read(
        _ bytes: [UInt8], _ table: String, of key: String, _ body: (inout JSONReader) throws -> Void
    ) throws {
        var json = JSONReader(bytes)
        do {
            try body(&json)
        } catch is JSONError {
            throw LibraryFailure.damaged(file: "\(table) \(key)", line: nil, reason: "not what jimmy writes")
        }
    }
}
