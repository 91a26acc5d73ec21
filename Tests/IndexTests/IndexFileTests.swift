import Domain
import Glibc
import Index
import Testing

/// The index is derived: whatever happens to its file, the library can make it again.
@Suite struct IndexFileTests {
    let fixture: IndexFixture

    init() throws { fixture = try IndexFixture() }

    private let revisions = [PodcastID(text: "pod00000"): 1]

    private func fill(_ index: FTSIndex) async throws {
        let text = String(repeating: "some words to fill pages with ", count: 20)
        try await index.apply([
            .whole(podcast(), Channel(), (0..<500).map { n in episode("e\(n)", "tea \(n)") { $0.description = text } })
        ])
    }

    @Test func aMissingFileIsAnEmptyIndex() async throws {
        #expect(try await fixture.search("tea") == [])
        #expect(try await fixture.index.stale(revisions) == [PodcastID(text: "pod00000")])
    }

    @Test func whatIsIndexedIsNotStale() async throws {
        try await fill(fixture.index)
        #expect(try await fixture.another().stale(revisions) == [])
        #expect(try await fixture.another().stale([:]) == [PodcastID(text: "pod00000")])
        #expect(try await fixture.another().stale([PodcastID(text: "pod00000"): 2]) == [PodcastID(text: "pod00000")])
    }

    @Test func onlyTheUserMayReadIt() async throws {
        try await fill(fixture.index)
        for name in ["index.sqlite", "index.sqlite-wal"] {
            var facts = stat()
            #expect(stat(fixture.folder + "/cache/" + name, &facts) == 0)
            #expect(facts.st_mode & 0o777 == 0o600)
        }
    }

    @Test(arguments: ["not a database at all", "", "SQLite format 3\u{0}garbage"])
    func aFileThatIsNoIndexIsReplaced(content: String) async throws {
        mkdir(fixture.folder + "/cache", 0o700)
        let file = open(fixture.path, O_WRONLY | O_CREAT, 0o600)
        let padded = Array((content.isEmpty ? "" : content + String(repeating: "x", count: 5_000)).utf8)
        #expect(write(file, padded, padded.count) == padded.count)
        close(file)
        try await fill(fixture.index)
        #expect(try await fixture.search("tea") { $0.limit = 600 }.count == 500)
    }

    @Test(arguments: [100, 4_096, 20_000, 100_000])
    func aTruncatedFileIsMadeAgain(length: Int) async throws {
        try await fill(fixture.another())
        unlink(fixture.path + "-wal")
        unlink(fixture.path + "-shm")
        #expect(truncate(fixture.path, length) == 0)
        let index = try fixture.another()
        var stale: [PodcastID] = []
        for _ in 0..<2 {
            do {
                stale = try await index.stale(revisions)
            } catch IndexFailure.damaged {
                continue
            }
        }
        #expect(stale == [PodcastID(text: "pod00000")])
        try await fill(index)
        #expect(try await index.search(SearchRequest(text: "tea")).hits.count == 20)
    }

    @Test func damageInTheMiddleIsReportedAndLeavesAnEmptyIndex() async throws {
        try await fill(fixture.another())
        let file = open(fixture.path, O_WRONLY)
        let junk = [UInt8](repeating: 0xA5, count: 65_536)
        for page in 2..<12 { #expect(pwrite(file, junk, 4_096, off_t(page * 4_096)) == 4_096) }
        close(file)
        unlink(fixture.path + "-wal")
        unlink(fixture.path + "-shm")
        let index = try fixture.another()
        await #expect(throws: IndexFailure.damaged) {
            _ = try await index.stale(revisions)
            _ = try await index.search(SearchRequest(text: "tea words"))
        }
        #expect(try await index.stale(revisions) == [PodcastID(text: "pod00000")])
    }

    @Test func readersWorkWhileAWriterWrites() async throws {
        try await fill(fixture.index)
        let reader = try fixture.another()
        let writer = try fixture.another()
        async let written: Void = writer.apply([.whole(podcast("other000"), Channel(), (0..<3_000).map { episode("o\($0)", "cake", of: "other000") })])
        for _ in 0..<20 {
            #expect(try await reader.search(SearchRequest(text: "tea")).hits.count == 20)
        }
        try await written
        #expect(try await reader.search(SearchRequest(text: "cake")).hits.count == 20)
    }

    @Test func anIndexThatMustNotBeWrittenIsRead() async throws {
        guard geteuid() != 0 else {
            print("skipped: the superuser may write everywhere")
            return
        }
        try await fill(fixture.index)
        chmod(fixture.path, 0o400)
        chmod(fixture.folder + "/cache", 0o500)
        let index = try fixture.another()
        #expect(try await index.search(SearchRequest(text: "tea")).hits.count == 20)
        await #expect(throws: IndexFailure.denied) { try await index.apply([.removed(PodcastID(text: "pod00000"))]) }
    }

    @Test func aPlaceWhereNoFileCanBeIsDenied() async throws {
        let index = try FTSIndex(path: "/dev/null/index.sqlite")
        await #expect(throws: IndexFailure.denied) { _ = try await index.stale(revisions) }
    }
}
