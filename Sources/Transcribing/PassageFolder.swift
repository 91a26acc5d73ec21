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
        var list = FingerprintedLibrary()
        let isRead = try TranscriptionRecords.read(path + "/" + Self.list) { json, key in
            switch key {
            case "revision": list.revision = try json.integer()
            case "podcasts":
                try json.array { json in
                    var (id, podcast) = ("", FingerprintedPodcast(revision: 0, networks: []))
                    try json.object { json, member in
                        switch member {
                        case "id": id = try json.string()
                        case "revision": podcast.revision = try json.integer()
                        case "networks": podcast.networks = Set(try json.integers().map { UInt64(bitPattern: Int64($0)) })
                        default: try json.skip()
                        }
                    }
                    list.podcasts[PodcastID(text: id)] = podcast
                }
            default: try json.skip()
            }
        }
        return isRead ? list : FingerprintedLibrary()
    }

    public func store(_ list: FingerprintedLibrary) throws {
        try Files.makeFolders(path)
        try TranscriptionRecords.write(to: path + "/" + Self.list) { json in
            if let revision = list.revision { json.integer("revision", revision) }
            json.array("podcasts") { json in
                for (id, podcast) in list.podcasts.sorted(by: { $0.key < $1.key }) {
                    json.object { json in
                        json.text("id", id.text)
                        json.integer("revision", podcast.revision)
                        json.integers("networks", podcast.networks.map { Int(Int64(bitPattern: $0)) }.sorted())
                    }
                }
            }
        }
    }

    public func fingerprints(of podcast: PodcastID) throws -> [FingerprintedTranscript] {
        guard let bytes = try TranscriptionRecords.checked(file(of: podcast)),
            let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
        else { return [] }
        var hashes = Self.numbers(bytes[(end + 1)...])[...]
        var json = JSONReader(Array(bytes[..<end]))
        do {
            return try json.list { json in
                var (id, publishedAt, version, count) = (EpisodeID?.none, Int64(0), UInt64(0), 0)
                try json.object { json, key in
                    switch key {
                    case "episode": id = EpisodeID(text: try json.string())
                    case "publishedAt": publishedAt = Int64(try json.integer())
                    case "version": version = try json.hash()
                    case "hashes": count = max(0, try json.integer())
                    default: try json.skip()
                    }
                }
                let fingerprint = PassageFingerprint(hashes: Array(hashes.prefix(count)))
                hashes = hashes.dropFirst(count)
                return id.map {
                    FingerprintedTranscript(
                        episode: $0, publishedAt: publishedAt, version: version, fingerprint: fingerprint)
                }
            }.compactMap(\.self)
        } catch is JSONError {
            return []
        }
    }

    public func store(_ fingerprints: [FingerprintedTranscript], of podcast: PodcastID) throws {
        try Files.makeFolders(path)
        var json = JSONWriter()
        json.array { json in
            for transcript in fingerprints {
                json.object { json in
                    json.text("episode", transcript.episode.text)
                    json.integer("publishedAt", Int(transcript.publishedAt))
                    json.hash("version", transcript.version)
                    json.integer("hashes", transcript.fingerprint.hashes.count)
                }
            }
        }
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
