public import Domain
internal import JSON

/// Fingerprints of transcripts, in a folder of the cache.
///
/// ```
/// podcasts     the library's revision; of each podcast its transcripts' revision and its networks
/// PODCAST      the fingerprints of its transcripts
/// ```
/// Damaged files are as good as none: what is missing is made anew.
public struct PassageFolder: PassageStore {
    private let path: String
    private static let list = "podcasts"

    public init(_ path: String) { self.path = path }

    public func list() throws -> FingerprintedLibrary {
        var list = FingerprintedLibrary()
        let isRead = try TranscriptionRecords.read(path + "/" + Self.list) { json, key in
            switch key {
            case "revision": list.revision = try json.integer()
            case Self.list:
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
        guard let bytes = try Files.read(file(of: podcast)) else { return [] }
        var reader = Reader(bytes)
        guard let count = reader.number(), count <= bytes.count else { return [] }
        var transcripts: [FingerprintedTranscript] = []
        for _ in 0..<count {
            guard let episode = reader.text().flatMap(EpisodeID.init), let publishedAt = reader.number(),
                let version = reader.number(), let hashes = reader.hashes()
            else { return [] }
            transcripts.append(
                FingerprintedTranscript(
                    episode: episode, publishedAt: Int64(bitPattern: publishedAt), version: version,
                    fingerprint: PassageFingerprint(hashes: hashes)))
        }
        return reader.isComplete ? transcripts : []
    }

    public func store(_ fingerprints: [FingerprintedTranscript], of podcast: PodcastID) throws {
        try Files.makeFolders(path)
        var bytes: [UInt8] = []
        func add(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }
        add(UInt64(fingerprints.count))
        for transcript in fingerprints {
            add(UInt64(transcript.episode.text.utf8.count))
            bytes += transcript.episode.text.utf8
            add(UInt64(bitPattern: transcript.publishedAt))
            add(transcript.version)
            add(UInt64(transcript.fingerprint.hashes.count))
            for hash in transcript.fingerprint.hashes { add(hash) }
        }
        add(XXH64.hash(bytes))
        try Files.replace(file(of: podcast), with: bytes)
    }

    public func remove(_ podcast: PodcastID) throws { try Files.remove(file(of: podcast)) }

    private func file(of podcast: PodcastID) -> String { "\(path)/\(podcast.text)" }

    /// Little-endian numbers, with a checksum at the end.
    private struct Reader {
        private let bytes: [UInt8]
        private var offset = 0
        private let end: Int

        init(_ bytes: [UInt8]) {
            (self.bytes, end) = (bytes, bytes.count - 8)
            guard end >= 0 else { return }
            offset = end
            let sum = number(upTo: bytes.count)
            offset = sum == XXH64.hash(bytes[..<end]) ? 0 : end
        }

        var isComplete: Bool { offset == end }

        mutating func number() -> UInt64? { number(upTo: end) }

        private mutating func number(upTo end: Int) -> UInt64? {
            guard end - offset >= 8 else { return nil }
            defer { offset += 8 }
            return (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
        }

        mutating func text() -> String? {
            guard let count = number(), count <= UInt64(max(0, end - offset)) else { return nil }
            defer { offset += Int(count) }
            return String(decoding: bytes[offset..<offset + Int(count)], as: UTF8.self)
        }

        mutating func hashes() -> [UInt32]? {
            guard let count = number(), count <= UInt64(max(0, end - offset) / 4) else { return nil }
            defer { offset += 4 * Int(count) }
            let start = offset
            return bytes.withUnsafeBytes { bytes in
                (0..<Int(count)).map {
                    UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 4 * $0, as: UInt32.self))
                }
            }
        }
    }
}
