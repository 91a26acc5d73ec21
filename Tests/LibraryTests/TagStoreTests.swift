import Domain
import SeededNumbers
import Testing

@testable import Library

@Suite struct TagStoreTests {
    let folder = TemporaryFolder()

    private func ids(_ numbers: ClosedRange<Int>) -> [EpisodeID] { numbers.map { sampleEpisode(samplePodcast(), $0).id } }

    @Test func `tags are read by the next process`() async throws {
        let ids = ids(1...3)
        do {
            let library = try await folder.open()
            #expect(try await library.tags.edit(TagEdit(["+starred", "+new"]), of: ids) == [ids[0]: [], ids[1]: [], ids[2]: []])
            #expect(try await library.tags.edit(TagEdit(["+played"]), of: [ids[1]]) == [ids[1]: [.starred, .new]])
            #expect(try await library.tags.edit(TagEdit(["-starred", "-new"]), of: [ids[2]]) == [ids[2]: [.starred, .new]])
            #expect(try await library.tags.edit(TagEdit(["-later"]), of: ids).isEmpty)
        }
        let library = try await folder.open(.read)
        #expect(try await library.tags.tags(of: ids) == [ids[0]: [.starred, .new], ids[1]: [.starred, .played]])
        #expect(try await library.tags.episodes(tagged: [.starred, .new]) == [.starred: ids[0...1].sorted(), .new: [ids[0]]])
        #expect(try await library.tags.taggedEpisodes().map(\.id) == ids[0...1].sorted())
    }

    @Test func `a reader sees what another writes`() async throws {
        let (writer, reader) = (try await folder.open(), try await folder.open(.read))
        #expect(try await reader.tags.taggedEpisodes().isEmpty)
        _ = try await writer.tags.edit(TagEdit(["+a"]), of: ids(1...1))
        #expect(try await reader.tags.taggedEpisodes().count == 1)
        _ = try await writer.tags.edit(TagEdit(["-a"]), of: ids(1...1))
        #expect(try await reader.tags.taggedEpisodes().isEmpty)
    }

    @Test func `one line an episode that has any`() async throws {
        let library = try await folder.open()
        _ = try await library.tags.edit(TagEdit(["+starred", "+b"]), of: ids(1...1))
        let lines = try folder.text("tags.jsonl").split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[1].hasSuffix(#""episode":"\#(ids(1...1)[0])","tags":["b","starred"]}"#))
        #expect(try folder.text("backup/tags.jsonl").hasSuffix(lines[1].dropFirst(26) + "\n"))
    }

    @Test func `a change of many is one append`() async throws {
        let library = try await folder.open()
        let ids = ids(1...10_000)
        _ = try await library.tags.edit(TagEdit(["+a"]), of: ids)
        let before = try #require(try folder.bytes("tags.jsonl")).count
        _ = try await library.tags.edit(TagEdit(["+b"]), of: Array(ids.prefix(3)))
        #expect(try #require(try folder.bytes("tags.jsonl")).count - before < 400)
        #expect(try await folder.open(.read).tags.taggedEpisodes().count == 10_000)
    }

    @Test func `outdated lines do not gather`() async throws {
        let library = try await folder.open()
        for round in 0..<30 { _ = try await library.tags.edit(TagEdit([round % 2 == 0 ? "+a" : "-a"]), of: ids(1...200)) }
        #expect(try #require(try folder.bytes("tags.jsonl")).count < 300_000)
        #expect(try await folder.open(.read).tags.taggedEpisodes().isEmpty)
        #expect(try await Library.verify(folder.disk(), waitSeconds: 0) == [])
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `what is read is what was written, whatever lines follow one another`(seed: UInt64) async throws {
        var numbers = SplitMix(seed: seed)
        let library = try await folder.open()
        let ids = ids(1...12)
        for _ in 1...40 {
            let some = Array(ids.shuffled(using: &numbers).prefix(Int.random(in: 1...4, using: &numbers)))
            switch Int.random(in: 0...3, using: &numbers) {
            case 0:
                var entry = DownloadEntry(some[0])
                entry.file = DownloadedFile(path: "/\(some[0])", bytes: 5, modifiedAt: Timestamp(seconds: 7))
                try await library.downloads.store([entry])
            case 1: try await library.downloads.store([DownloadEntry(some[0])])
            default:
                _ = try await library.tags.edit(
                    TagEdit([["+a", "-a", "+b", "-b"].randomElement(using: &numbers) ?? ""]), of: some)
            }
        }
        let read = try await folder.open(.read)
        #expect(try await read.tags.taggedEpisodes() == library.tags.taggedEpisodes())
        #expect(try await read.downloads.downloads() == library.downloads.downloads())
        #expect(try await !read.tags.taggedEpisodes().isEmpty)
        #expect(try await !read.downloads.downloads().isEmpty)
    }

    @Test func `lines wait until they are settled`() async throws {
        let library = try await folder.open()
        let (a, b) = (
            TagLine(tags: [.starred], feedURL: "https://a.example/f", key: "1"),
            TagLine(tags: [.played], feedURL: "https://a.example/f", key: "2")
        )
        var changes = TagChanges()
        changes.waiting = [a, b]
        try await library.tags.apply(changes)
        #expect(try await folder.open(.read).tags.waitingTags() == [a, b])
        var later = TagChanges()
        later.waiting = [TagLine(tags: [.new], feedURL: a.feedURL, key: a.key)]
        later.settled = [b]
        try await library.tags.apply(later)
        #expect(try await folder.open(.read).tags.waitingTags() == later.waiting)
    }

    @Test func `new episodes wait for a hook until it took them`() async throws {
        let library = try await folder.open()
        let ids = ids(1...2)
        var changes = TagChanges()
        for id in ids { changes.tags[id] = [.new] }
        changes.pending = Set(ids)
        try await library.tags.apply(changes)
        _ = try await library.tags.edit(TagEdit(["+played"]), of: [ids[0]])
        #expect(try await folder.open(.read).tags.pendingEpisodes() == [ids[1]])
        var taken = TagChanges()
        taken.taken = Set(ids)
        try await library.tags.apply(taken)
        #expect(try await folder.open(.read).tags.pendingEpisodes() == [])
        #expect(try await folder.open(.read).tags.tags(of: ids) == [ids[0]: [.played], ids[1]: [.new]])
    }

    @Test func `new episodes have their tag with them`() async throws {
        let library = try await folder.open()
        let podcast = try await library.add([sampleEpisode(samplePodcast(), 1)], to: samplePodcast())
        #expect(try await library.tags.taggedEpisodes().isEmpty)
        try await library.add([sampleEpisode(podcast, 2)], to: podcast, areNew: true)
        #expect(try await folder.open(.read).tags.episodes(tagged: [.new]) == [.new: [sampleEpisode(podcast, 2).id]])
    }

    @Test func `a podcast that came back stays`() async throws {
        let library = try await folder.open()
        let podcast = samplePodcast()
        try await library.add([sampleEpisode(podcast, 1)], to: podcast)
        try await library.podcasts.remove([podcast.id], keepingEpisodes: false)
        try await library.add([sampleEpisode(podcast, 1)], to: podcast)
        // Every write looks for what a killed removal left.
        _ = try await library.tags.edit(TagEdit(["+a"]), of: ids(1...1))
        #expect(try await library.episodes.episodes(of: podcast.id).count == 1)
        #expect(try await Library.verify(folder.disk(), waitSeconds: 0) == [])
    }
}
