public import Domain
internal import JSON

/// Fingerprints of transcripts, in a folder of the cache.
///
/// ```
/// list         the library's revision; of each podcast its transcripts' revision and its networks
/// PODCAST      of each transcript its episode, version and number of hashes, as a line of JSON; then the hashes of all
/// ```
/// Damaged files are as good as none: what is missing is made anew.
public struct PassageFolder: PassageStore {
    private let path: String
    private static let list = "list"

    public init(_ path: String) { self.path = path }

    public func list() throws -> FingerprintedLibrary {
        guard let members = try TranscriptionRecords.read(path + "/" + Self.list, as: ListMembers.self) else {
            return FingerprintedLibrary()
        }
        var list = FingerprintedLibrary()
        list.revision = members.revision
        for podcast in members.podcasts { list.podcasts[PodcastID(text: podcast.id)] = podcast.podcast }
        return list
    }

    public func store(_ list: FingerprintedLibrary) throws {
        try Files.makeFolders(path)
        let podcasts = list.podcasts.sorted { $0.key < $1.key }.map { PodcastMembers(id: $0.key.text, podcast: $0.value) }
        try TranscriptionRecords.write(
            ListMembers(revision: list.revision, podcasts: podcasts), to: path + "/" + Self.list)
    }

    public func fingerprints(of podcast: PodcastID) throws -> [FingerprintedTranscript] {
        guard let bytes = try TranscriptionRecords.checked(file(of: podcast)),
            let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
        else { return [] }
        var hashes = Self.numbers(bytes[(end + 1)...])[...]
        var json = JSONReader(Array(bytes[..<end]))
        do {
            return try json.values().compactMap { (members: TranscriptMembers) in
                let fingerprint = PassageFingerprint(hashes: Array(hashes.prefix(max(0, members.hashes))))
                hashes = hashes.dropFirst(max(0, members.hashes))
                return members.episode.map {
                    FingerprintedTranscript(
                        episode: $0, publishedAt: Int64(members.publishedAt), version: members.version, fingerprint: fingerprint)
                }
            }
        } catch is JSONError {
            return []
        }
    }

    public func store(_ fingerprints: [FingerprintedTranscript], of podcast: PodcastID) throws {
        try Files.makeFolders(path)
        var json = JSONWriter()
        json.array { json in for transcript in fingerprints { json.value(TranscriptMembers(transcript)) } }
        var bytes = json.bytes + [UInt8(ascii: "\n")]
        for hash in fingerprints.lazy.flatMap(\.fingerprint.hashes) {
            for shift in stride(from: 0, to: UInt32.bitWidth, by: 8) { bytes.append(UInt8(truncatingIfNeeded: hash >> shift)) }
        }
        try TranscriptionRecords.replace(file(of: podcast), with: bytes)
    }

    public func remove(_ podcast: PodcastID) throws { try Files.remove(file(of: podcast)) }

    private func file(of podcast: PodcastID) -> String { "\(path)/\(podcast.text)" }

    /// Little-endian numbers of 32 bits.
    private static func numbers(_ bytes: ArraySlice<UInt8>) -> [UInt32] {
        let bytes = bytes.span.bytes
        return (0..<bytes.byteCount / 4).map {
            UInt32(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self))
        }
    }
}

private struct ListMembers: ReadableFields {
    var revision: Int?
    var podcasts: [PodcastMembers] = []

    mutating func list<L: FieldList>(_ list: inout L) {
        list.integer("revision", &revision)
        list.objects("podcasts", &podcasts)
    }
}

private struct PodcastMembers: ReadableFields {
    var id = ""
    var podcast = FingerprintedPodcast(revision: 0, networks: [])

    mutating func list<L: FieldList>(_ list: inout L) {
        list.text("id", &id)
        list.integer("revision", always: &podcast.revision)
        var networks = podcast.networks.map { Int(Int64(bitPattern: $0)) }.sorted()
        list.integers("networks", &networks)
        if L.reads { podcast.networks = Set(networks.map { UInt64(bitPattern: Int64($0)) }) }
    }
}

private struct TranscriptMembers: ReadableFields {
    var episode: EpisodeID?
    var publishedAt = 0
    var version: UInt64 = 0
    /// The number of hashes.
    var hashes = 0

    init() {}

    init(_ transcript: FingerprintedTranscript) {
        (episode, publishedAt) = (transcript.episode, Int(transcript.publishedAt))
        (version, hashes) = (transcript.version, transcript.fingerprint.hashes.count)
    }

    mutating func list<L: FieldList>(_ list: inout L) {
        list.text("episode", &episode, as: { $0?.text }) { .some(EpisodeID(text: $0)) }
        list.integer("publishedAt", always: &publishedAt)
        list.hash("version", &version)
        list.integer("hashes", always: &hashes)
    }
}
