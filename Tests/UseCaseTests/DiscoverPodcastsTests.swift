import Domain
import Testing

@testable import UseCases

struct DiscoverPodcastsTests {
    private struct Directory: PodcastDirectory {
        var name: DirectoryName
        var answer: Result<[DirectoryEntry], FetchFailure>

        func search(_ term: String, country: String?, limit: Int) async throws -> [DirectoryEntry] { try answer.get() }
        func lookUp(page url: String) async throws -> DirectoryEntry? { nil }
    }

    private func entry(_ url: String, _ directory: DirectoryName, medium: String? = nil, author: String? = nil) -> DirectoryEntry
    {
        DirectoryEntry(title: url, author: author, feedURL: url, medium: medium, directory: directory)
    }

    @Test func `directories take turns and each feed comes once`() async throws {
        let apple = Directory(
            name: .apple,
            answer: .success([entry("https://a.example/f", .apple, author: "Ann"), entry("https://b.example/f", .apple)]))
        let index = Directory(
            name: .podcastIndex,
            answer: .success([
                entry("https://c.example/f", .podcastIndex),
                entry("http://a.example/f/", .podcastIndex, medium: "music", author: "Other"),
                entry("https://d.example/f", .podcastIndex),
            ]))
        let report = try await DiscoverPodcasts(directories: [apple, index])("x", country: nil, limit: 3)
        #expect(report.entries.map(\.feedURL) == ["https://a.example/f", "https://c.example/f", "https://b.example/f"])
        #expect(report.entries[0].medium == "music")
        #expect(report.entries[0].author == "Ann")
        #expect(report.failures.isEmpty)
    }

    @Test func `one answer is enough`() async throws {
        let refusing = Directory(name: .podcastIndex, answer: .failure(FetchFailure(.timeout)))
        let apple = Directory(name: .apple, answer: .success([entry("https://a.example/f", .apple)]))
        let report = try await DiscoverPodcasts(directories: [refusing, apple])("x", country: nil, limit: 3)
        #expect(report.entries.count == 1)
        #expect(report.failures.map(\.directory) == [.podcastIndex])
        await #expect(throws: FetchFailure.self) {
            try await DiscoverPodcasts(directories: [refusing])("x", country: nil, limit: 3)
        }
    }
}
