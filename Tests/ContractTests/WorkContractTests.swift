import Domain
import Testing

@Suite(.serialized) struct WorkContractTests {
    @Test(arguments: LibraryKind.allCases) func `each podcast that is due is handed out once, hosts in turns`(kind: LibraryKind)
        async throws
    {
        let library = try kind.make()
        let stores = try await library.open()
        for number in 1...6 { try await stores.subscribe(podcast(number, host: number < 5 ? "a.example" : "night.example")) }
        var paused = podcast(7, host: "a.example")
        paused.settings.isPaused = true
        try await stores.subscribe(paused)
        var later = podcast(8, host: "night.example")
        (later.fetch.lastAttemptAt, later.fetch.nextDueAt) = (noon - 60, noon + 3_600)
        try await stores.subscribe(later)
        let run = try await stores.work.begin(WorkRequest(), now: noon)
        // A library that others share counts when the run ends.
        #expect(run.due ?? 6 == 6 && run.skipped ?? 2 == 2)
        var claimed: [Podcast] = []
        while true {
            let page = try await stores.work.claim(run.lease, limit: 2, now: noon)
            #expect(page.count <= 2)
            if page.isEmpty { break }
            claimed += page
        }
        #expect(
            Set(claimed.map(\.id))
                == Set((1...4).map { podcast($0, host: "a.example").id } + [5, 6].map { podcast($0, host: "night.example").id }))
        #expect(claimed.count == 6)
        #expect(
            try await stores.work.remainder(run.lease) ?? WorkRemainder(leased: 0, skipped: 2)
                == WorkRemainder(leased: 0, skipped: 2))
        #expect(Set(claimed.prefix(2).map(\.hostKey)).count == 2)
        let first = try await stores.work.skipped(run.lease, after: nil, limit: 1)
        let remaining = try await stores.work.skipped(run.lease, after: first.last?.id, limit: 5)
        let skipped = Dictionary(uniqueKeysWithValues: (first + remaining).map { ($0.id, $0) })
        #expect(skipped[paused.id]?.reason == .paused && skipped[later.id]?.until == noon + 3_600)
        #expect(skipped.count == 2)
        try await stores.work.release(run.lease, times: RefreshTimes(startedAt: noon, endedAt: noon + 5))
        #expect(try await library.open().work.lastRefresh() == RefreshTimes(startedAt: noon, endedAt: noon + 5))
    }

    @Test(arguments: LibraryKind.allCases) func `all feeds of a host are handed out, however many requests it may get at once`(
        kind: LibraryKind
    ) async throws {
        let library = try kind.make()
        let stores = try await library.open()
        // More bundles than a host of a shared library has slots.
        let feeds = 66 * 50 + 1
        _ = try await stores.podcasts.add((1...feeds).map { NewSubscription(podcast($0)) })
        let run = try await stores.work.begin(WorkRequest(perHost: 100), now: noon)
        var claimed: Set<PodcastID> = []
        while true {
            let page = try await stores.work.claim(run.lease, limit: 512, now: noon).map(\.id)
            if page.isEmpty { break }
            #expect(claimed.isDisjoint(with: page))
            claimed.formUnion(page)
            try await stores.work.giveBack(Dictionary(uniqueKeysWithValues: page.map { ($0, noon + 3_600) }), run.lease)
        }
        #expect(claimed.count == feeds)
        try await stores.work.release(run.lease, times: nil)
    }

    @Test(arguments: LibraryKind.allCases) func `no feed is forgotten when a host gets another number of requests at once`(
        kind: LibraryKind
    ) async throws {
        let stores = try await kind.make().open()
        let feeds = 4 * 50
        _ = try await stores.podcasts.add((1...feeds).map { NewSubscription(podcast($0)) })
        var claimed: [[PodcastID]] = []
        // What was handed out first is due last.
        for (start, perHost, rest) in [(noon, 4, Int64(400)), (noon + 500, 1, 9_000), (noon + 1_200, 1, 9_000)] {
            let run = try await stores.work.begin(WorkRequest(perHost: perHost), now: start)
            var own: [PodcastID] = []
            while true {
                let page = try await stores.work.claim(run.lease, limit: 50, now: start).map(\.id)
                if page.isEmpty { break }
                let until = start + (rest - Int64(own.count))
                own += page
                try await stores.work.giveBack(Dictionary(uniqueKeysWithValues: page.map { ($0, until) }), run.lease)
            }
            claimed.append(own)
            try await stores.work.release(run.lease, times: nil)
        }
        #expect(claimed[0].count == feeds && Set(claimed[0]).count == feeds)
        #expect(claimed[1...].joined().count >= feeds && Set(claimed[1...].joined()).count == feeds)
    }

    @Test(arguments: LibraryKind.allCases) func `only the named podcasts are handed out, by the rules of the mode`(
        kind: LibraryKind
    ) async throws {
        let library = try kind.make()
        let stores = try await library.open()
        var later = podcast(1)
        (later.fetch.lastAttemptAt, later.fetch.nextDueAt) = (noon - 60, noon + 3_600)
        try await stores.subscribe(later)
        try await stores.subscribe(podcast(2))
        for (mode, due) in [(RefreshOptions.Mode.due, 1), (.all, 2), (.force, 2)] {
            let run = try await stores.work.begin(WorkRequest(mode: mode), now: noon)
            #expect(run.due ?? due == due)
            try await stores.work.release(run.lease, times: nil)
        }
        let run = try await stores.work.begin(WorkRequest(podcasts: [podcast(2).id]), now: noon)
        #expect(try await stores.work.claim(run.lease, limit: 9, now: noon).map(\.id) == [podcast(2).id])
        try await stores.work.release(run.lease, times: nil)
        #expect(try await stores.work.lastRefresh() == RefreshTimes())
    }

    @Test(arguments: LibraryKind.allCases) func `a result is stored with its validators, unless somebody was faster`(
        kind: LibraryKind
    ) async throws {
        let library = try kind.make()
        let (refresh, user) = (try await library.open(), try await library.open())
        for number in 1...3 { try await refresh.subscribe(podcast(number)) }
        let run = try await refresh.work.begin(WorkRequest(), now: noon)
        let claimed = try await refresh.work.claim(run.lease, limit: 9, now: noon)
        let byID = Dictionary(uniqueKeysWithValues: claimed.map { ($0.id, $0) })
        let (kept, edited, removed) = (try #require(byID[podcast(1).id]), try #require(byID[podcast(2).id]), podcast(3).id)
        var edit = edited
        edit.settings.title = "Mine"
        _ = try await user.podcasts.update([edit])
        try await user.podcasts.remove([removed], keepingEpisodes: false)
        let settlements = [kept, edited, try #require(byID[removed])].map { podcast in
            let (described, changes) = fetched(podcast, [episode(1, of: podcast.id)])
            return Settlement(described, changes: changes)
        }
        let results = try await refresh.work.settle(settlements, run.lease)
        guard case .stored(let stored) = results[0], case .lost(let current?) = results[1], case .lost(nil) = results[2] else {
            Issue.record("\(results)")
            return
        }
        #expect(stored.fetch.validators?.etag == "\"1\"" && current.settings.title == "Mine")
        // Decided again on the record as it is.
        let (described, changes) = fetched(current, [episode(1, of: current.id)])
        #expect(
            try await refresh.work.settle([Settlement(described, changes: changes)], run.lease)[0].stored?.settings.title
                == "Mine")
        try await refresh.work.release(run.lease, times: nil)
        let reader = try await library.open()
        #expect(try await reader.podcasts.page(of: .all, after: nil, limit: 9).count == 2)
        for id in [kept.id, edited.id] { #expect(try await reader.episodes.episodes(of: id).map(\.item.title) == ["Episode 1"]) }
        #expect(try await reader.episodes.episodes(of: removed).isEmpty)
    }

    @Test(arguments: LibraryKind.allCases) func `who has no lease settles nothing`(kind: LibraryKind) async throws {
        let library = try kind.make()
        let stores = try await library.open()
        let stored = try await stores.subscribe(podcast(1))
        let run = try await stores.work.begin(WorkRequest(), now: noon)
        try await stores.work.renew(run.lease, now: noon + 30)
        try await stores.work.release(run.lease, times: nil)
        let (described, changes) = fetched(stored, [episode(1, of: stored.id)])
        await #expect(throws: LeaseExpired.self) {
            try await stores.work.settle([Settlement(described, changes: changes)], run.lease)
        }
        await #expect(throws: LeaseExpired.self) { try await stores.work.claim(run.lease, limit: 1, now: noon) }
        #expect(try await stores.episodes.episodes(of: stored.id).isEmpty)
    }

    @Test(arguments: LibraryKind.allCases) func `hosts are rows of their own`(kind: LibraryKind) async throws {
        let library = try kind.make()
        let (one, other) = (try await library.open(), try await library.open())
        try await one.work.store([
            "https://a.example": HostState(pausedUntil: noon + 60),
            "https://b.example": HostState(allowance: 1.5, measuredAt: noon),
        ])
        try await other.work.store(["https://night.example": HostState(pausedUntil: noon - 1)])
        let hosts = try await one.work.hosts(["https://a.example", "https://b.example", "https://d.example"])
        #expect(
            hosts == [
                "https://a.example": HostState(pausedUntil: noon + 60),
                "https://b.example": HostState(allowance: 1.5, measuredAt: noon),
            ])
        #expect(try await one.work.pauses(now: noon) == ["https://a.example": noon + 60])
        try await one.work.store(["https://a.example": HostState()])
        #expect(try await other.work.hosts(["https://a.example"]).isEmpty)
        #expect(try await other.work.hosts(["https://night.example"]).count == 1)
    }
}
