import Addresses
import Domain
import Testing

@Suite(.serialized) struct PodcastContractTests {
    @Test(arguments: LibraryKind.allCases) func `an empty library holds nothing`(kind: LibraryKind) async throws {
        let library = try kind.make()
        let stores = try await library.open()
        #expect(try await stores.podcasts.page(of: .all, after: nil, limit: 10).isEmpty)
        #expect(try await stores.podcasts.podcasts([podcast(1).id]).isEmpty)
        #expect(try await stores.podcasts.overview(now: noon) == LibraryOverview())
        #expect(try await stores.podcasts.revision() == 0)
        #expect(try await stores.podcasts.changes(since: 0) == LibraryChanges(revision: 0))
        #expect(try await stores.episodes.stored(of: podcast(1).id).revision == 0)
        #expect(try await stores.episodes.channel(of: podcast(1).id) == nil)
        #expect(try await stores.work.lastRefresh() == RefreshTimes())
        #expect(try await stores.queue.entries().isEmpty)
    }

    @Test(arguments: LibraryKind.allCases) func `a record is found by id, URL, beginning and title`(kind: LibraryKind)
        async throws
    {
        let library = try kind.make()
        var first = podcast(1)
        first.credentials = Credentials(user: "ann", password: "s3cret\u{1} \"ü\"")
        first.settings.title = "Night Radio"
        first.settings.tags = ["talk"]
        let writer = try await library.open()
        let stored = try await writer.subscribe(first, [episode(1, of: first.id)])
        try await writer.subscribe(podcast(2))
        let stores = try await library.open()
        #expect(
            try await stores.podcasts.podcasts([podcast(2).id, podcast(9).id, first.id]).map(\.id) == [podcast(2).id, first.id])
        #expect(try await stores.podcasts.podcast(first.id) == stored)
        #expect(try await stores.podcasts.podcast(at: first.feedURL) == stored)
        #expect(try await stores.podcasts.podcast(at: "https://ann@radio.example/feed1.xml") == nil)
        let beginning = String(first.id.text.prefix(10))
        #expect(try await stores.podcasts.podcasts(withIDPrefix: beginning, limit: 5) == [stored])
        #expect(try await stores.podcasts.podcasts(withIDPrefix: "", limit: 1).count == 1)
        #expect(try await stores.podcasts.podcasts(titled: TitleName("radio night"), limit: 5) == [stored])
        #expect(try await stores.podcasts.podcasts(titled: TitleName("radio day"), limit: 5).isEmpty)
        #expect(stored.credentials == first.credentials && stored.settings == first.settings)
    }

    @Test(arguments: LibraryKind.allCases) func `a URL is subscribed to once, and an id belongs to one podcast`(
        kind: LibraryKind
    ) async throws {
        let library = try kind.make()
        let stores = try await library.open()
        let first = try await stores.subscribe(podcast(1), [episode(1, of: podcast(1).id)])
        let again = try await stores.podcasts.add([
            NewSubscription(podcast(1)), NewSubscription(podcast(2)), NewSubscription(podcast(2)),
        ])
        guard case .existing(let existing) = again[0], case .added = again[1], case .existing = again[2] else {
            Issue.record("\(again)")
            return
        }
        #expect(existing == first)
        // It moves, and its first URL is subscribed to anew.
        var moved = first
        moved.feedURL = "https://elsewhere.example/feed"
        _ = try await stores.podcasts.update([moved])
        let new = try await stores.subscribe(podcast(1), [episode(1, of: podcast(1).id)])
        #expect(new.id != first.id && new.episodesRevision == 0)
        #expect(try await stores.episodes.episodes(of: new.id).isEmpty)
        #expect(try await stores.episodes.episodes(of: first.id).count == 1)
    }

    @Test(arguments: LibraryKind.allCases) func `ids are told apart by as few characters as that takes`(kind: LibraryKind)
        async throws
    {
        let library = try kind.make()
        let stores = try await library.open()
        let texts = ["aaaaaaaabbbbb", "aaaaaaaabbbcc", "aaaaaaaacbbbb", "dddddddd00000"]
        let ids = texts.map { PodcastID(text: $0) }
        for (number, id) in ids.enumerated() {
            var podcast = podcast(number)
            podcast.id = id
            try await stores.subscribe(
                podcast,
                [
                    episode(1, of: id, id: "aaaaaaaa00000"), episode(2, of: id, id: "aaaaaaaa01000"),
                    episode(3, of: id, id: "bbbbbbbb00000"),
                ])
        }
        #expect(try await stores.podcasts.lengths(of: ids) == [ids[0]: 12, ids[1]: 12, ids[2]: 9])
        let episodes = try await stores.episodes.episodes(of: ids[3]).map(\.id)
        #expect(try await stores.episodes.lengths(of: episodes) == [episodes[0]: 10, episodes[1]: 10])
        #expect(try await stores.episodes.episodes(of: [ids[3]], withOwnIDPrefix: "aaaaaaaa", limit: 5).count == 2)
        #expect(try await stores.episodes.episodes(of: ids, withOwnIDPrefix: "b", limit: 3).count == 3)
    }

    @Test(arguments: LibraryKind.allCases) func `pages cover a listing, each record once, in its order`(kind: LibraryKind)
        async throws
    {
        let library = try kind.make()
        let stores = try await library.open()
        for number in 1...25 {
            try await stores.subscribe(podcast(number), number % 5 == 0 ? [] : [episode(number * 7 % 25, of: podcast(number).id)])
        }
        func all(_ listing: PodcastListing, by size: Int) async throws -> [Podcast] {
            var pages: [Podcast] = []
            while true {
                let page = try await stores.podcasts.page(of: listing, after: pages.last, limit: size)
                pages += page
                if page.count < size { return pages }
            }
        }
        for size in [1, 7, 25, 100, .max] {
            #expect(try await all(.all, by: size).map(\.id) == (1...25).map { podcast($0).id }.sorted())
            let latest = try await all(.latestEpisodes(), by: size)
            #expect(latest.count == 20)
            #expect(latest.compactMap(\.latestEpisodeAt) == latest.compactMap(\.latestEpisodeAt).sorted(by: >))
        }
        let since = noon + 20
        #expect(try await all(.latestEpisodes(publishedSince: since), by: 4).allSatisfy { $0.latestEpisodeAt ?? since >= since })
        let overview = try await stores.podcasts.overview(now: noon)
        #expect(overview.podcasts == 25 && overview.episodes == 20)
    }

    @Test(arguments: LibraryKind.allCases) func `a write counts only on the record that it read`(kind: LibraryKind) async throws {
        let library = try kind.make()
        let (one, other) = (try await library.open(), try await library.open())
        let stored = try await one.subscribe(podcast(1))
        var (mine, theirs) = (stored, stored)
        mine.settings.title = "Mine"
        theirs.settings.title = "Theirs"
        guard case .stored(let now)? = try await one.podcasts.update([mine]).first,
            case .lost(let current)? = try await other.podcasts.update([theirs]).first
        else {
            Issue.record("the first write is stored, the second lost")
            return
        }
        #expect(now.revision > stored.revision && current == now)
        #expect(try await other.podcasts.podcast(stored.id)?.settings.title == "Mine")
        try await one.podcasts.remove([stored.id], keepingEpisodes: false)
        guard case .lost(nil)? = try await other.podcasts.update([now]).first else {
            Issue.record("a record that was removed does not come back")
            return
        }
        #expect(try await one.podcasts.podcasts([stored.id]).isEmpty)
    }

    @Test(arguments: LibraryKind.allCases) func `of many writers at once none is lost unseen`(kind: LibraryKind) async throws {
        let library = try kind.make()
        let id = try await library.open().subscribe(podcast(1)).id
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    let stores = try await library.open()
                    for number in 0..<10 {
                        let current = try #require(try await stores.podcasts.podcast(id))
                        _ = try await stores.podcasts.change(current) { podcast in
                            var podcast = podcast
                            podcast.settings.tags.append("\(writer)-\(number)")
                            return podcast
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let tags = try await library.open().podcasts.podcast(id)?.settings.tags ?? []
        #expect(Set(tags).count == 40 && tags.count == 40)
    }

    @Test(arguments: LibraryKind.allCases) func `the revision tells what changed, and an answer without news is no change`(
        kind: LibraryKind
    ) async throws {
        let library = try kind.make()
        let stores = try await library.open()
        let first = try await stores.subscribe(podcast(1), [episode(1, of: podcast(1).id)])
        let second = try await stores.subscribe(podcast(2), [episode(1, of: podcast(2).id)])
        let before = try await stores.podcasts.revision()
        #expect(before > 0)
        var unchanged = first
        unchanged.fetch.lastAttemptAt = noon + 900
        let settled = try #require(try await stores.settle([Settlement(unchanged)])[0].stored)
        #expect(try await stores.podcasts.revision() == before)
        let (described, changes) = fetched(settled, [episode(2, of: first.id)])
        _ = try await stores.settle([Settlement(described, changes: changes)])
        let changed = try #require(try await stores.podcasts.changes(since: before))
        #expect(changed.changed[first.id] != nil && changed.removed.isEmpty)
        #expect(changed.revision > before)
        try await stores.podcasts.remove([second.id], keepingEpisodes: false)
        let later = try #require(try await library.open().podcasts.changes(since: changed.revision))
        #expect(later.changed[second.id] == nil && later.removed == [second.id])
        #expect(try await stores.podcasts.changes(since: later.revision) == LibraryChanges(revision: later.revision))
        #expect(try await stores.podcasts.changes(since: later.revision + 1) == nil)
    }

    @Test(arguments: LibraryKind.allCases) func `who follows the changes beside a writer misses none`(kind: LibraryKind)
        async throws
    {
        let library = try kind.make()
        let (writer, reader) = (try await library.open(), try await library.open())
        for number in 1...8 { try await writer.subscribe(podcast(number), [episode(1, of: podcast(number).id)]) }
        async let writing: Void = {
            for round in 1...12 {
                for var podcast in try await writer.podcasts.podcasts((1...8).map { podcast($0).id }) {
                    podcast.settings.title = "Radio \(round)"
                    _ = try await writer.podcasts.update([podcast])
                }
            }
        }()
        var (seen, followed) = (0, [PodcastID: Int]())
        func follow() async throws {
            // A folder that has rewritten its log no longer tells.
            let revision = try await reader.podcasts.revision()
            guard let changes = try await reader.podcasts.changes(since: seen) else {
                seen = revision
                return try await reader.podcasts.forEach {
                    followed[$0.id] = $0.contentRevision
                    return true
                }
            }
            // As the index does: a podcast that is read later than its change is read again at the next one.
            for podcast in try await reader.podcasts.podcasts(Array(changes.changed.keys)) {
                followed[podcast.id] = podcast.contentRevision
            }
            seen = changes.revision
        }
        for _ in 0..<60 { try await follow() }
        try await writing
        try await follow()
        let last = try await reader.podcasts.podcasts((1...8).map { podcast($0).id })
        #expect(followed == Dictionary(uniqueKeysWithValues: last.map { ($0.id, $0.contentRevision) }))
    }

    @Test(arguments: LibraryKind.allCases) func `episodes that were kept stay readable and come back`(kind: LibraryKind)
        async throws
    {
        let library = try kind.make()
        let stores = try await library.open()
        let stored = try await stores.subscribe(podcast(1), [episode(1, of: podcast(1).id)])
        try await stores.podcasts.remove([stored.id], keepingEpisodes: true)
        #expect(try await stores.podcasts.podcasts([stored.id]).isEmpty)
        #expect(try await stores.episodes.unsubscribed(withIDPrefix: "", limit: 5).map(\.id) == [stored.id])
        #expect(try await stores.episodes.episodes(of: stored.id).count == 1)
        let again = try await stores.subscribe(podcast(1))
        #expect(again.episodeCount == 1)
        #expect(try await stores.episodes.unsubscribed(withIDPrefix: "", limit: 5).isEmpty)
        try await stores.podcasts.remove([stored.id], keepingEpisodes: false)
        #expect(try await stores.episodes.episodes(of: stored.id).isEmpty)
    }
}
