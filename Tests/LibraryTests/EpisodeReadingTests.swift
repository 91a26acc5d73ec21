import Domain
import Glibc
import JSON
import Testing

@testable import Library

/// Asking for some episodes of a podcast reads its file as far as they stand in it.
@Suite struct EpisodeReadingTests {
    private let folder = TemporaryFolder()
    private let podcast = samplePodcast()

    private func makeLibrary(_ episodes: Int, descriptions: Int = 2_000) async throws {
        let library = try await folder.open()
        let text = String(repeating: "word ", count: descriptions / 5)
        try await library.add(
            (1...episodes).map { number in
                var item = sampleEpisode(podcast, number).item
                item.description = text
                return Episode(
                    id: sampleEpisode(podcast, number).id, item: FeedItem(item), firstSeenAt: someTime, changedAt: someTime)
            }, to: podcast)
    }

    private func id(_ number: Int) -> EpisodeID { sampleEpisode(podcast, number).id }

    /// Opens the library; `read` returns how many bytes it has read since.
    private func openCounting() async throws -> (Library, read: @Sendable () -> Int) {
        let count = ReadCount()
        let library = try await folder.open(.read, calls: count.calls)
        _ = try await library.podcast(podcast.id)
        let before = count.bytes
        return (library, { count.bytes - before })
    }

    @Test func `the first episode costs the beginning of the file`() async throws {
        try await makeLibrary(1_000)
        let size = try #require(try folder.bytes("podcasts/\(podcast.id).jsonl")).count
        let (library, read) = try await openCounting()
        #expect(try await library.episodes.episodes([id(1)]).map(\.id) == [id(1)])
        #expect(read() < size / 8)
        #expect(try await library.episodes.channel(of: podcast.id) != nil)
        #expect(read() < size / 4)
    }

    @Test func `any episodes are found in the order that they are asked for`() async throws {
        try await makeLibrary(1_000)
        let (library, _) = try await openCounting()
        let wanted = [1_000, 1, 500, 77].map(id)
        #expect(try await library.episodes.episodes(wanted).map(\.id) == wanted)
        #expect(try await library.episodes.episodes([id(2_000), id(3)]).map(\.id) == [id(3)])
    }

    @Test func `a text in several fields is stored once`() async throws {
        let (notes, short) = (String(repeating: "notes ", count: 100), "Short notes")
        var item = sampleEpisode(podcast, 1).item
        (item.title, item.description, item.content, item.summary) = (notes, notes, notes, notes)
        var second = sampleEpisode(podcast, 2).item
        (second.description, second.content, second.subtitle) = (short, short, short)
        let episodes = [(1, item), (2, second)].map { number, item in
            Episode(id: id(number), item: FeedItem(item), firstSeenAt: someTime, changedAt: someTime)
        }
        try await folder.open().add(episodes, to: podcast)

        #expect(try await folder.open(.read).episodes.episodes([id(1), id(2)]) == episodes)
        let text = try folder.text("podcasts/\(podcast.id).jsonl")
        // The title stays beside the description, which people may look for in the file.
        #expect(text.ranges(of: notes).count == 2)
        #expect(text.contains(#""same":{"content":"description","summary":"description"}"#))
        #expect(text.ranges(of: #":"Short notes""#).count == 3)
    }

    @Test func `a line may be longer than the window`() async throws {
        try await makeLibrary(3, descriptions: 700_000)
        let (library, _) = try await openCounting()
        let episodes = try await library.episodes.episodes([id(2), id(3)])
        #expect(episodes.map(\.id) == [id(2), id(3)])
        #expect(episodes.allSatisfy { $0.item.description?.utf8.count == 700_000 })
    }

    @Test func `damage is reported with its line in the file`() async throws {
        try await makeLibrary(50)
        let name = "podcasts/\(podcast.id).jsonl"
        var bytes = try #require(try folder.bytes(name))
        let lines = ChecksummedLine.lines(bytes)
        bytes[lines[41].upperBound - 20] ^= 1
        try folder.write(name, bytes)
        let (library, _) = try await openCounting()
        #expect(try await library.episodes.episodes([id(7), id(42)]).count == 2)
        await #expect(throws: Damage.sum.failure(name, line: 42)) { try await library.episodes.episodes([id(7), id(41)]) }
    }

    @Test func `the last line needs no newline to be seen as damaged`() async throws {
        try await makeLibrary(5)
        let name = "podcasts/\(podcast.id).jsonl"
        try folder.write(name, try #require(try folder.bytes(name)).dropLast())
        let (library, _) = try await openCounting()
        await #expect(throws: Damage.sum.failure(name, line: 6)) { try await library.episodes.episodes([id(5)]) }
    }
}
