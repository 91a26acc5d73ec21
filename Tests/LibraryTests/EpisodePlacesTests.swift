import Domain
import Glibc
import Testing

@testable import Library

/// Episodes of a large file are read by their position, which the cache knows.
@Suite struct EpisodePlacesTests {
    private let folder = TemporaryFolder()
    private let cache: TemporaryFolder
    private let podcast = samplePodcast()
    private var table: String { "places/\(podcast.id)" }

    init() async throws {
        cache = TemporaryFolder()
        try await add(1...1_000)
    }

    private func open(_ mode: Library.Mode = .write(waitSeconds: 0), calls: SystemCalls = SystemCalls()) async throws -> Library {
        try await Library.open(folder.disk(calls), mode, cache: cache.path)
    }

    private func add(_ numbers: ClosedRange<Int>, withoutCache: Bool = false) async throws {
        let library = try await withoutCache ? Library.open(folder.disk(), .write(waitSeconds: 0)) : open()
        let text = String(repeating: "word ", count: 400)
        try await library.add(
            numbers.map { number in
                var item = sampleEpisode(podcast, number).item
                item.description = text
                return Episode(id: id(number), item: FeedItem(item), firstSeenAt: someTime, changedAt: someTime)
            }, to: podcast)
    }

    private func id(_ number: Int) -> EpisodeID { sampleEpisode(podcast, number).id }

    /// Reads episodes, and returns how many bytes of the library that took.
    private func read(_ numbers: [Int]) async throws -> Int {
        let count = ReadCount()
        let library = try await open(.read, calls: count.calls)
        _ = try await library.podcast(podcast.id)
        let before = count.bytes
        let episodes = try await library.episodes.episodes(numbers.map(id))
        #expect(episodes.map(\.id) == numbers.map(id))
        #expect(episodes.allSatisfy { $0.item.title == "Episode \($0.item.guid?.split(separator: "-").last ?? "")" })
        return count.bytes - before
    }

    /// Less than this means that the file was not read through.
    private let few = 200_000

    @Test func `an episode costs its line`() async throws {
        for number in [1, 500, 1_000] { #expect(try await read([number]) < few) }
        #expect(try await read([1_000, 3, 700]) < few)
    }

    @Test func `a reader makes a missing table`() async throws {
        try cache.disk().remove(table)
        #expect(try await read([999]) > 1_000_000)
        #expect(try await read([999]) < few)
    }

    @Test func `a table of an earlier version is not used`() async throws {
        try await add(1_001...1_010, withoutCache: true)
        #expect(try await read([1_005, 4]) > 1_000_000)
        #expect(try await read([1_005, 4]) < few)
        try await add(1_011...1_012)
        #expect(try await read([1_012, 4]) < few)
    }

    @Test func `an episode that the file does not have is not found`() async throws {
        let library = try await open(.read)
        #expect(try await library.episodes.episodes([id(2_000), id(30)]).map(\.id) == [id(30)])
        #expect(try await library.episodes.episodes([id(2_000)]).isEmpty)
    }

    /// A damaged table costs time, never an episode.
    @Test func `a damaged table changes no answer`() async throws {
        let whole = try #require(try cache.bytes(table))
        for round in 0..<40 {
            var bytes = whole
            switch round {
            case 0: bytes = []
            case 1: bytes = Array(bytes.prefix(8))
            case 2: bytes = Array(bytes.prefix(1_003))
            case 3: for index in 8..<bytes.count { bytes[index] = 0xFF }
            case 4: for index in 8..<bytes.count { bytes[index] = 0 }
            // Three of five bytes, other ones each time.
            default: for index in 8..<bytes.count where index * 7_919 % (round * 3) % 5 < 3 { bytes[index] ^= UInt8(round) }
            }
            try cache.write(table, bytes)
            _ = try await read([1, 77, 500, 1_000])
        }
    }

    @Test func `damage is reported with its line in the file`() async throws {
        let name = "podcasts/\(podcast.id).jsonl"
        var bytes = try #require(try folder.bytes(name))
        bytes[ChecksummedLine.lines(bytes)[741].upperBound - 20] ^= 1
        try folder.write(name, bytes)
        let library = try await open(.read)
        #expect(try await library.episodes.episodes([id(7), id(742)]).count == 2)
        await #expect(throws: Damage.sum.failure(name, line: 742)) { try await library.episodes.episodes([id(7), id(741)]) }
    }

    @Test func `no table outlives its podcast`() async throws {
        #expect(try cache.disk().exists(table))
        try await open().podcasts.remove([podcast.id], keepingEpisodes: false)
        #expect(try !cache.disk().exists(table))
    }

    @Test func `small files have none`() async throws {
        let other = samplePodcast(2)
        try await open().add([sampleEpisode(other, 1)], to: other)
        #expect(try !cache.disk().exists("places/\(other.id)"))
    }
}
