import Domain
import Glibc
import Index
import Searching
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

    @Test func `a missing folder is an empty index`() async throws {
        #expect(try await fixture.search("tea") == [])
        #expect(try await fixture.index.stale(revisions) == [id])
    }

    @Test func `what is indexed is not stale`() async throws {
        try await fill(fixture.index)
        #expect(try await fixture.another().stale(revisions) == [])
        #expect(try await fixture.another().stale([:]) == [id])
        #expect(try await fixture.another().stale([id: 2]) == [id])
    }

    @Test func `what is added and not saved is stale for others`() async throws {
        try await fixture.index.add([.whole(podcast(), Channel(), [episode("a", "tea")])])
        #expect(try await fixture.another().stale(revisions) == [id])
        try await fixture.index.save(revision: nil)
        #expect(try await fixture.another().stale(revisions) == [])
    }

    @Test func `only the user may read it`() async throws {
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
    func `a file that is cut short or gone is made again`(name: String) async throws {
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
    func `a flipped bit is noticed`(name: String) async throws {
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

    /// Large segments are not read whole when they are opened: what a search touches is checked then, and damage is told
    /// instead of a wrong answer. Whatever it is, the whole check finds it.
    @Test(arguments: [1, 4_001]) func `damage in a large segment is noticed`(distance: Int) async throws {
        try await fillLargely()
        let (whole, manifest) = (try bytes(of: "segment-1"), try bytes(of: "manifest"))
        let queries = ["tea", "some -w5", "\"words to\"", "w1*", "title:tea w3", "-tea", "after:2020-01-01 w7", "wrods"]
        var sound: [String: [SearchHit]] = [:]
        for query in queries { sound[query] = try await fixture.another().search(SearchRequest(text: query)).hits }
        var noticed = 0
        for round in 0..<16 {
            var damaged = whole
            for place in stride(
                from: (round * 104_729 + 17) % whole.count, to: whole.count, by: distance == 1 ? whole.count : distance)
            {
                damaged[place] ^= UInt8(1 << (round % 8))
            }
            try write(damaged, to: "segment-1")
            #expect(try await !fixture.another().isWhole(), "round \(round)")
            for query in queries {
                do {
                    let hits = try await fixture.another().search(SearchRequest(text: query)).hits
                    #expect(hits == sound[query], "\(query), round \(round)")
                } catch IndexFailure.damaged {
                    noticed += 1
                    #expect(try await fixture.another().stale(revisions) == [id])
                    try write(damaged, to: "segment-1")
                    try write(manifest, to: "manifest")
                }
            }
        }
        #expect(noticed > 0)
        try write(whole, to: "segment-1")
        #expect(try await fixture.another().isWhole())
    }

    /// A merge writes new sums, which must not vouch for what was damaged before.
    @Test func `damage is not merged into another segment`() async throws {
        for round in 1...11 {
            let name = "show\(round)"
            try await fixture.index.apply([.whole(podcast(name), Channel(), wordy(300, of: name))])
        }
        var segment = try bytes(of: "segment-9")
        segment[600] ^= 1
        try write(segment, to: "segment-9")
        await #expect(throws: IndexFailure.damaged) {
            try await fixture.index.apply([.whole(podcast("last"), Channel(), wordy(300, of: "last"))])
        }
        #expect(try await fixture.another().stale([PodcastID(text: "show1"): 1]) == [PodcastID(text: "show1")])
    }

    private func fillLargely() async throws {
        try await fixture.another().apply([.whole(podcast(), Channel(), wordy(300, of: "pod00000"))])
        #expect(try bytes(of: "segment-1").count > 256 << 10)
    }

    /// Episodes that take about 1 kB of an index each.
    private func wordy(_ count: Int, of podcast: String) -> [Episode] {
        (0..<count).map { n in
            episode("e\(n)", "tea \(n) w\(n % 70)", age: Int64(n), of: podcast) { item in
                item.description = "some words to fill pages with " + (0..<90).map { "x\(n)y\($0)" }.joined(separator: " ")
            }
        }
    }

    @Test func `a folder in place of the manifest is reported`() async throws {
        try await fill(fixture.index)
        unlink(fixture.path + "/manifest")
        mkdir(fixture.path + "/manifest", 0o700)
        defer { rmdir(fixture.path + "/manifest") }
        let index = try fixture.another()
        await #expect(throws: IndexFailure.self) { _ = try await index.stale(revisions) }
    }

    /// An index that may be made for this run alone is none where it must not be read; one that was read or written is.
    @Test(arguments: ["read", "written"])
    func `what was there and cannot be read is not taken for nothing`(before: String) async throws {
        let index = try SegmentIndex(folder: fixture.path, mayBeTemporary: true)
        if before == "written" {
            #expect(try await index.stale(revisions) == [id])
            try await fill(index)
        } else {
            try await fill(fixture.another())
            #expect(try await index.stale(revisions) == [])
        }
        unlink(fixture.path + "/manifest")
        symlink("manifest", fixture.path + "/manifest")
        await #expect(throws: IndexFailure.denied(folder: fixture.path)) {
            _ = try await index.search(SearchRequest(text: "tea"))
        }
        let another = try SegmentIndex(folder: fixture.path, mayBeTemporary: true)
        #expect(try await another.stale(revisions) == [id])
    }

    /// A disk that is full, and names that are taken: nothing of what was there is lost, and the next change is made.
    @Test(arguments: ["segment-2", "manifest.new"], [true, false])
    func `a write that fails leaves the index as it was`(name: String, isFull: Bool) async throws {
        try await fill(fixture.another())
        let other = PodcastID(text: "other")
        let change = IndexChange.whole(podcast("other"), Channel(), [episode("a", "cake", of: "other")])
        let index = try fixture.another()
        try await index.add([change])
        let path = fixture.path + "/" + name
        #expect((isFull ? symlink("/dev/full", path) : mkdir(path, 0o700)) == 0)
        do {
            try await index.save(revision: nil)
            Issue.record("saved")
        } catch {
            #expect(error as? IndexFailure == (isFull ? .full : .io(errno: EISDIR)))
        }
        #expect(try await fixture.another().search(SearchRequest(text: "tea")).hits.count == 20)
        #expect(try await fixture.another().isWhole())
        #expect(try await index.stale([id: 1, other: 1]) == [other])
        rmdir(path)
        try await index.apply([change])
        #expect(try await fixture.search("cake") == ["other-a"])
        #expect(fixture.files.filter { !$0.hasPrefix("segment-") } == ["lock", "manifest"] && fixture.segments.count == 2)
    }

    @Test func `what a killed writer left is removed`() async throws {
        try await fill(fixture.index)
        for name in ["segment-7", "segment-2.new", "manifest.new"] { try write([1, 2, 3], to: name) }
        try await fixture.another().apply([.removed(PodcastID(text: "unknown0"))])
        #expect(fixture.files == ["lock", "manifest", "segment-1"])
    }

    @Test func `readers work while a writer writes`() async throws {
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

    @Test func `the index of an earlier library at the same path counts as none`() async throws {
        func open(_ library: UInt64?) throws -> SegmentIndex { try SegmentIndex(folder: fixture.path, of: library) }
        try await fill(open(1))
        let earlier = fixture.segments
        #expect(try await open(1).stale(revisions) == [])
        #expect(try await open(nil).search(SearchRequest(text: "tea")).hits.count == 20)
        let later = try open(2)
        #expect(try await later.revision() == nil)
        #expect(try await later.podcasts() == [])
        #expect(try await later.search(SearchRequest(text: "tea")).hits.isEmpty)
        try await later.apply([.whole(podcast("pod00001"), Channel(), [episode("b", "cake", of: "pod00001")])])
        #expect(try await open(2).podcasts() == [PodcastID(text: "pod00001")])
        #expect(fixture.segments.count == 1 && fixture.segments != earlier)
        #expect(try await open(1).revision() == nil)
    }

    @Test func `an index without an id becomes that of the library that writes it next`() async throws {
        try await fill(fixture.index)
        let index = try SegmentIndex(folder: fixture.path, of: 7)
        #expect(try await index.stale(revisions) == [])
        try await index.save(revision: 5)
        #expect(try await SegmentIndex(folder: fixture.path, of: 8).revision() == nil)
        #expect(try await SegmentIndex(folder: fixture.path, of: 7).revision() == 5)
    }

    @Test func `a second writer is told so`() async throws {
        try await fixture.index.add([.whole(podcast(), Channel(), [episode("a", "tea")])])
        let second = try SegmentIndex(folder: fixture.path, waitSeconds: 0)
        await #expect(throws: IndexFailure.busy) { try await second.add([.removed(id)]) }
        try await fixture.index.save(revision: nil)
        try await second.apply([.removed(id)])
        #expect(try await fixture.search("tea") == [])
    }

    @Test func `an index that must not be written is read`() async throws {
        guard geteuid() != 0 else {
            print("skipped: the superuser may write everywhere")
            return
        }
        try await fill(fixture.index)
        chmod(fixture.path, 0o500)
        let index = try fixture.another()
        #expect(try await index.search(SearchRequest(text: "tea")).hits.count == 20)
        await #expect(throws: IndexFailure.denied(folder: fixture.path)) { try await index.apply([.removed(id)]) }
    }

    @Test func `a place where no file can be is denied`() async throws {
        let index = try SegmentIndex(folder: "/dev/null/index")
        await #expect(throws: IndexFailure.denied(folder: "/dev/null/index")) { _ = try await index.stale(revisions) }
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
