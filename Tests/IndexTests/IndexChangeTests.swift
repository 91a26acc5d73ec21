import Domain
import Index
import Searching
import Testing

/// How the changes of a refresh are applied to the index.
@Suite struct IndexChangeTests {
    let fixture: IndexFixture

    init() throws { fixture = try IndexFixture() }

    private let id = PodcastID(text: "pod00000")

    private func isInLine(_ revision: Int) async throws -> Bool {
        try await fixture.another().stale([id: revision]).isEmpty
    }

    @Test func `a changed episode is found by its new text only`() async throws {
        try await fixture.index.apply([
            .episodes(of: podcast(), after: 0, Channel(), [episode("a", "tea"), episode("b", "cake")])
        ])
        try await fixture.index.apply([.episodes(of: podcast(revision: 2), after: 1, Channel(), [episode("a", "coffee")])])
        #expect(try await fixture.search("tea") == [])
        #expect(try await fixture.search("coffee") == ["pod00000-a"])
        #expect(try await fixture.search("cake") == ["pod00000-b"])
        #expect(try await isInLine(2))
    }

    @Test func `a whole podcast drops what it does not have`() async throws {
        try await fixture.index.apply([.whole(podcast(), Channel(), [episode("a", "tea"), episode("b", "tea")])])
        try await fixture.index.apply([.whole(podcast(revision: 2), Channel(), [episode("b", "tea")])])
        #expect(try await fixture.search("tea") == ["pod00000-b"])
    }

    /// A podcast is added in parts if its transcripts are too large to be added at once.
    @Test func `a podcast in parts is in line with the last one`() async throws {
        try await fixture.index.apply([.whole(podcast(), Channel(), ["a", "b", "c"].map { episode($0, "tea") })])
        try await fixture.index.add([.part(of: podcast(), Channel(), [episode("a", "tea")])])
        try await fixture.index.add([.part(of: podcast(), Channel(), [episode("d", "tea")])])
        try await fixture.index.save(revision: nil)
        #expect(try await !isInLine(1))
        #expect(try await fixture.search("tea").count == 4)
        let addedIDs = ["a", "d"].map { episode($0, "tea").id }
        try await fixture.index.apply([.whole(podcast(), Channel(), [episode("b", "tea")], added: addedIDs)])
        #expect(try await isInLine(1))
        #expect(try await fixture.search("tea").sorted() == ["pod00000-a", "pod00000-b", "pod00000-d"])
    }

    @Test func `a removed podcast is gone`() async throws {
        try await fixture.index.apply([.whole(podcast(), Channel(), [episode("a", "tea")])])
        try await fixture.index.apply([.removed(id), .removed(PodcastID(text: "unknown0"))])
        #expect(try await fixture.search("tea") == [])
        #expect(try await fixture.index.stale([:]).isEmpty)
    }

    @Test func `applying twice changes nothing`() async throws {
        for _ in 0..<2 {
            try await fixture.index.apply([.whole(podcast(), Channel(), [episode("a", "tea")])])
        }
        #expect(try await fixture.search("tea") == ["pod00000-a"])
    }

    @Test func `a missed write leaves the podcast stale`() async throws {
        try await fixture.index.apply([.episodes(of: podcast(revision: 1), after: 0, Channel(), [episode("a", "tea")])])
        #expect(try await isInLine(1))
        try await fixture.index.apply([.episodes(of: podcast(revision: 3), after: 2, Channel(), [episode("c", "tea")])])
        #expect(try await !isInLine(3))
        try await fixture.index.apply([.whole(podcast(revision: 3), Channel(), [episode("a", "tea"), episode("b", "tea")])])
        #expect(try await isInLine(3))
    }

    @Test func `a new name of the podcast leaves it stale until it is read whole`() async throws {
        let old = podcast(title: "Old name")
        let new = podcast(title: "New name", revision: 2)
        try await fixture.index.apply([.whole(old, Channel(), [episode("a", "tea"), episode("b", "tea")])])
        try await fixture.index.apply([.episodes(of: new, after: 1, Channel(), [episode("b", "tea")])])
        #expect(try await !isInLine(2))
        try await fixture.index.apply([.whole(new, Channel(), [episode("a", "tea"), episode("b", "tea")])])
        #expect(try await isInLine(2))
        #expect(try await fixture.search("podcast:new").count == 2)
        #expect(try await fixture.search("podcast:old").isEmpty)
    }

    /// Deleted documents are dropped when segments are merged.
    @Test func `what is replaced again and again takes no room`() async throws {
        for round in 1...60 {
            try await fixture.index.apply([
                .whole(podcast(revision: round), Channel(), (0..<50).map { episode("e\($0)", "tea round\(round)") })
            ])
        }
        #expect(fixture.segments.count <= 13)
        #expect(try await fixture.search("tea") { $0.limit = 10_000 }.count == 50)
        #expect(try await fixture.search("round60") { $0.limit = 10_000 }.count == 50)
        #expect(try await fixture.search("round59") == [])
    }

    @Test func `a podcast may change twice before it is saved`() async throws {
        try await fixture.index.add([.episodes(of: podcast(), after: 0, Channel(), [episode("a", "tea")])])
        try await fixture.index.add([
            .episodes(of: podcast(revision: 2), after: 1, Channel(), [episode("a", "coffee"), episode("b", "cake")])
        ])
        try await fixture.index.add([
            .removed(PodcastID(text: "unknown0")),
            .episodes(of: podcast(revision: 3), after: 2, Channel(), [episode("b", "lemon")]),
        ])
        try await fixture.index.save(revision: nil)
        #expect(try await isInLine(3))
        #expect(try await fixture.search("tea OR cake") == [])
        #expect(try await fixture.search("coffee OR lemon").count == 2)
    }

    /// Several builders share a batch; one that is full writes its segment before the others.
    @Test func `a batch that is shared among builders is found whole`() async throws {
        let long = String(repeating: "word and word ", count: 250_000)
        for round in 1...3 {
            var changes = (0..<40).map { number in
                let id = "round\(round)show\(number)"
                return IndexChange.whole(podcast(id), Channel(), (0..<5).map { episode("e\($0)", "tea round\(round)", of: id) })
            }
            let last = "long\(round)"
            changes.insert(
                .whole(podcast(last), Channel(), [episode("a", "round\(round)", of: last) { $0.description = long }]), at: round)
            try await fixture.index.apply(changes)
            #expect(try await fixture.search("round\(round)") { $0.limit = 1_000 }.count == 201)
            #expect(try await fixture.another().isWhole())
        }
        #expect(try await fixture.search("tea") { $0.limit = 1_000 }.count == 600)
    }
}
