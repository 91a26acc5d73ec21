import Domain
import Glibc
import Index
import Testing

/// The index is derived: whatever happens to its files, the library can make it again.
@Suite struct IndexFileTests {
    let fixture: IndexFixture

    init() throws { fixture = try IndexFixture() }

    private let revisions = [PodcastID(text: "pod00000"): 1]
    private let id = PodcastID(text: "pod00000")

    private func fill(_ index: SegmentIndex) async throws {
        let text = String(repeating: "some words to fill pages with ", count: 20)
        try await index.apply([
            .whole(podcast(), Channel(), (0..<500).map { n in episode("e\(n)", "tea \(n)") { $0.description = text } })
        ])
    }

    @Test func aMissingFolderIsAnEmptyIndex() async throws {
        #expect(try await fixture.search("tea") == [])
        #expect(try await fixture.index.stale(revisions) == [id])
    }

    @Test func whatIsIndexedIsNotStale() async throws {
        try await fill(fixture.index)
        #expect(try await fixture.another().stale(revisions) == [])
        #expect(try await fixture.another().stale([:]) == [id])
        #expect(try await fixture.another().stale([id: 2]) == [id])
    }

    @Test func whatIsAddedAndNotSavedIsStaleForOthers() async throws {
        try await fixture.index.add([.whole(podcast(), Channel(), [episode("a", "tea")])])
        #expect(try await fixture.another().stale(revisions) == [id])
        try await fixture.index.save()
        #expect(try await fixture.another().stale(revisions) == [])
    }

    @Test func onlyTheUserMayReadIt() async throws {
        try await fill(fixture.index)
        #expect(fixture.files == ["lock", "manifest", "segment-1"])
        for name in fixture.files {
            var facts = stat()
            #expect(stat(fixture.path + "/" + name, &facts) == 0)
            #expect(facts.st_mode & 0o777 == 0o600)
        }
    }

    /// Every piece of every file missing, and every file cut short: never a crash, and afterwards nothing is missing.
    @Test(arguments: ["manifest", "segment-1"])
    func aFileThatIsCutShortOrGoneIsMadeAgain(name: String) async throws {
        try await fill(fixture.another())
        let whole = try bytes(of: name)
        for length in [nil, 0, 1, 8, 100, 511, 512, 513, whole.count / 2, whole.count - 1] as [Int?] {
            if let length, length >= whole.count { continue }
            if let length { try write(Array(whole[..<length]), to: name) } else { unlink(fixture.path + "/" + name) }
            try await expectMended()
        }
    }

    /// A bit of every byte flipped, in turn: an index that is small enough is read and checked whole.
    @Test(arguments: ["manifest", "segment-1"])
    func aFlippedBitIsNoticed(name: String) async throws {
        try await fixture.another().apply([.whole(podcast(), Channel(), [episode("a", "tea"), episode("b", "cake")])])
        let whole = try bytes(of: name)
        for place in whole.indices {
            var damaged = whole
            damaged[place] ^= UInt8(1 << (place % 8))
            try write(damaged, to: name)
            let index = try fixture.another()
            var stale: [PodcastID] = []
            do { stale = try await index.stale(revisions) } catch IndexFailure.damaged { stale = [id] }
            #expect(stale == [id], "byte \(place) of \(name)")
            try await index.apply([.whole(podcast(), Channel(), [episode("a", "tea"), episode("b", "cake")])])
            try await fixture.another().apply([.removed(id)])
            for file in fixture.files { unlink(fixture.path + "/" + file) }
            try await fixture.another().apply([.whole(podcast(), Channel(), [episode("a", "tea"), episode("b", "cake")])])
        }
    }

    /// Large segments are not read whole when they are opened: damage inside them must do no more harm than wrong answers.
    @Test func damageInALargeSegmentCrashesNothing() async throws {
        let text = String(repeating: "some words to fill pages with ", count: 40)
        let episodes = (0..<5_000).map { n in episode("e\(n)", "tea \(n) w\(n % 700)", age: Int64(n)) { $0.description = "\(text) \(n &* 7_919)" } }
        try await fixture.another().apply([.whole(podcast(), Channel(), episodes)])
        let whole = try bytes(of: "segment-1")
        #expect(whole.count > 256 << 10)
        var place = 512
        for round in 0..<20 {
            var damaged = whole
            while place < whole.count {
                damaged[place] = UInt8(truncatingIfNeeded: place &* 31 &+ round)
                place += 4_001
            }
            place = 512 + round * 67
            try write(damaged, to: "segment-1")
            let index = try fixture.another()
            for query in ["tea", "some -w5", "\"words to\"", "w1*", "title:tea w3", "podcast:podcast", "-tea"] {
                _ = try await index.search(SearchRequest(text: query))
            }
            _ = try await index.stale([:])
        }
    }

    @Test func aFolderInPlaceOfTheManifestIsReported() async throws {
        try await fill(fixture.index)
        unlink(fixture.path + "/manifest")
        mkdir(fixture.path + "/manifest", 0o700)
        defer { rmdir(fixture.path + "/manifest") }
        let index = try fixture.another()
        await #expect(throws: IndexFailure.self) { _ = try await index.stale(revisions) }
    }

    @Test func whatAKilledWriterLeftIsRemoved() async throws {
        try await fill(fixture.index)
        for name in ["segment-7", "segment-2.new", "manifest.new"] { try write([1, 2, 3], to: name) }
        try await fixture.another().apply([.removed(PodcastID(text: "unknown0"))])
        #expect(fixture.files == ["lock", "manifest", "segment-1"])
    }

    @Test func readersWorkWhileAWriterWrites() async throws {
        try await fill(fixture.index)
        let reader = try fixture.another()
        let writer = try fixture.another()
        async let written: Void = {
            for round in 0..<40 {
                let name = "other\(round)"
                try await writer.apply([.whole(podcast(name), Channel(), (0..<20).map { episode("o\($0)", "cake", of: name) })])
            }
        }()
        for _ in 0..<200 {
            #expect(try await reader.search(SearchRequest(text: "tea")).hits.count == 20)
        }
        try await written
        #expect(try await reader.search(SearchRequest(text: "cake")).hits.count == 20)
    }

    @Test func aSecondWriterIsToldSo() async throws {
        try await fixture.index.add([.whole(podcast(), Channel(), [episode("a", "tea")])])
        let second = try SegmentIndex(folder: fixture.path, waitSeconds: 0)
        await #expect(throws: IndexFailure.busy) { try await second.add([.removed(id)]) }
        try await fixture.index.save()
        try await second.apply([.removed(id)])
        #expect(try await fixture.search("tea") == [])
    }

    @Test func anIndexThatMustNotBeWrittenIsRead() async throws {
        guard geteuid() != 0 else {
            print("skipped: the superuser may write everywhere")
            return
        }
        try await fill(fixture.index)
        chmod(fixture.path, 0o500)
        let index = try fixture.another()
        #expect(try await index.search(SearchRequest(text: "tea")).hits.count == 20)
        await #expect(throws: IndexFailure.denied) { try await index.apply([.removed(id)]) }
    }

    @Test func aPlaceWhereNoFileCanBeIsDenied() async throws {
        let index = try SegmentIndex(folder: "/dev/null/index")
        await #expect(throws: IndexFailure.denied) { _ = try await index.stale(revisions) }
    }

    // MARK: Files

    private func expectMended() async throws {
        let index = try fixture.another()
        var stale: [PodcastID] = []
        do { stale = try await index.stale(revisions) } catch IndexFailure.damaged { stale = try await index.stale(revisions) }
        #expect(stale == [id])
        try await fill(index)
        #expect(try await fixture.another().search(SearchRequest(text: "tea")).hits.count == 20)
        #expect(fixture.segments.count == 1)
        // The next round wants the same name.
        try await index.reset()
        for file in fixture.files { unlink(fixture.path + "/" + file) }
        try await fill(try fixture.another())
    }

    private func bytes(of name: String) throws -> [UInt8] {
        let file = open(fixture.path + "/" + name, O_RDONLY)
        defer { close(file) }
        var content = [UInt8](repeating: 0, count: 8 << 20)
        let count = read(file, &content, content.count)
        try #require(count >= 0)
        return Array(content[..<count])
    }

    private func write(_ content: [UInt8], to name: String) throws {
        let file = open(fixture.path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(file) }
        try #require(Glibc.write(file, content, content.count) == content.count)
    }
}
