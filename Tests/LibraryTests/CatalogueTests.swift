import Addresses
import Domain
import Glibc
import SeededNumbers
import Testing

@testable import Library

/// A library answers the same with its catalogue as without it, and never from one that is behind or damaged.
@Suite struct CatalogueTests {
    let folder = TemporaryFolder()
    private var cache: String { folder.path + "-cache" }
    private var file: String { cache + "/catalogue" }

    /// Podcasts in every state, one with a password, one unsubscribed with its episodes kept, one removed.
    private func fill() async throws {
        let library = try await folder.open()
        for number in 1...12 {
            var podcast = samplePodcast(number)
            if number == 2 { podcast.credentials = Credentials(user: "ann", password: "s3cret") }
            if number == 3 { podcast.settings.isPaused = true }
            if number == 4 { podcast.settings.title = "Mine" }
            if number == 5 { podcast.settings.transcripts = true }
            if number % 2 == 0 { podcast.fetch.nextDueAt = someTime + Int64(number) * 3_600 }
            podcast.fetch.lastAttemptAt = someTime
            podcast.fetch.lastSuccessAt = someTime
            if number == 6 {
                podcast.fetch.failure = FetchFailureState(since: someTime, count: 1, code: .http, status: 401)
            }
            if number == 7 { podcast.fetch.isGone = true }
            if number < 9 {
                try await library.add((0..<number).map { sampleEpisode(podcast, $0) }, to: podcast)
            } else {
                try await library.save([podcast])
            }
        }
        try await library.podcasts.remove([samplePodcast(8).id], keepingEpisodes: true)
        try await library.podcasts.remove([samplePodcast(12).id], keepingEpisodes: false)
    }

    private func opened(_ mode: Library.Mode = .write(waitSeconds: 0)) async throws -> Library {
        try await Library.open(folder.disk(), mode, cache: cache, minCatalogued: 0)
    }

    private func removeCache() {
        unlink(file)
        rmdir(cache)
    }

    private func view(_ library: Library) async throws -> [String] {
        let now = someTime + 10_000
        var view: [String] = []
        let ids = (0...13).map { samplePodcast($0).id }
        view.append("\(try await library.podcasts.podcasts(ids))")
        view.append("\(try await library.podcasts.podcasts(at: (0...13).map { samplePodcast($0).feedURL }))")
        for id in ids { view.append("\(try await library.podcasts.podcasts(withIDPrefix: String(id.text.prefix(3)), limit: 2))") }
        for title in ["radio 1", "MINE", "radio 4", "none"] {
            view.append("\(try await library.podcasts.podcasts(titled: TitleName(title), limit: 3))")
        }
        let listings: [PodcastListing] = [
            .all, .latestEpisodes(), .latestEpisodes(publishedSince: someTime + 4 * 86_400),
            .transcripts(now: now, byDefault: true, all: false), .transcripts(now: now, byDefault: false, all: true),
        ]
        for listing in listings {
            var pages: [PodcastID] = []
            try await library.podcasts.forEach(in: listing, pageSize: 2) {
                pages.append($0.id)
                return true
            }
            view.append("\(pages)")
        }
        view.append("\(try await library.podcasts.overview(now: now).health.sorted { $0.key.rawValue < $1.key.rawValue })")
        var overview = try await library.podcasts.overview(now: now)
        overview.health = [:]
        view.append("\(overview)")
        view.append("\(try await library.podcasts.revision())")
        for revision in [0, 3, 7, 99] {
            guard let changes = try await library.podcasts.changes(since: revision) else {
                view.append("too far back")
                continue
            }
            view.append("\(changes.revision) \(changes.changed.sorted { $0.key < $1.key }) \(changes.removed.sorted())")
        }
        for id in ids { view.append("\(try await library.episodes.episodes(of: id).count)") }
        view.append("\(try await library.unsubscribed().map(\.id))")
        return view
    }

    @Test func `the answers are those of the log`() async throws {
        try await fill()
        defer { removeCache() }
        let plain = try await view(try await folder.open(.read))
        let maker = try await opened(.read)
        _ = try await maker.podcasts.podcasts([samplePodcast(1).id])
        await maker.records.saveCatalogue()
        let status = try #require(try folder.disk().status(PodcastTable.logName))
        _ = try Catalogue(file, folder.disk(), status)
        #expect(try await view(try await opened(.read)) == plain)
    }

    /// A record has a line for each change, with the members that changed.
    @Test(arguments: 1...8) func `of many lines of a podcast the last value of each member counts`(seed: UInt64) async throws {
        defer { removeCache() }
        var dice = SplitMix(seed: seed)
        func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &dice) }
        let library = try await opened()
        try await library.save([samplePodcast(1), samplePodcast(2)])
        var saved = samplePodcast(1)
        for round in 1...40 {
            var podcast = try #require(try await library.podcasts.podcast(samplePodcast(1).id))
            let now = someTime + Int64(round)
            for _ in 0...roll(3) {
                switch roll(9) {
                case 0: podcast.title = roll(3) == 0 ? nil : "Radio \(round)"
                case 1: podcast.credentials = roll(2) == 0 ? nil : Credentials(user: "ann", password: "\(round)")
                case 2: podcast.settings.title = roll(2) == 0 ? nil : "Mine \(round)"
                case 3: podcast.fetch.answers = []
                case 4: podcast.fetch.validators = roll(2) == 0 ? nil : Validators(url: podcast.feedURL, etag: "\(round)")
                case 5: podcast.fetch.isGone.toggle()
                default:
                    let answer = FetchAnswer(at: now, status: 200 + round, outcome: "updated", milliseconds: round)
                    podcast.fetch.answers = Array(([answer] + podcast.fetch.answers).prefix(roll(4) == 0 ? 3 : 8))
                }
            }
            podcast.fetch.lastAttemptAt = now
            saved = podcast
            try await library.save([podcast])
            if roll(12) == 0 {
                try await library.podcasts.remove([podcast.id], keepingEpisodes: roll(2) == 0)
                saved = samplePodcast(1)
                try await library.save([saved])
            }
        }
        let ids = [samplePodcast(1).id, samplePodcast(2).id]
        let plain = try await folder.open(.read).podcasts.podcasts(ids)
        let maker = try await opened(.read)
        _ = try await maker.podcasts.podcasts(ids)
        await maker.records.saveCatalogue()
        let status = try #require(try folder.disk().status(PodcastTable.logName))
        let catalogue = try Catalogue(file, folder.disk(), status)
        #expect(try catalogue.podcasts(ids.map { try #require(catalogue.entry($0)) }) == plain)
        let read = try #require(plain.first { $0.id == saved.id })
        #expect(read.fetch == saved.fetch)
        #expect((read.title, read.settings.title) == (saved.title, saved.settings.title))
        #expect(read.credentials == saved.credentials)
        #expect(plain.count == 2)
    }

    @Test func `work is handed out as from the log`() async throws {
        try await fill()
        defer { removeCache() }
        var views: [[String]] = []
        for _ in 0..<2 {
            let library = try await opened()
            let run = try await library.work.begin(WorkRequest(), now: someTime + 10_000)
            let claimed = try await library.work.claim(run.lease, limit: 100, now: someTime + 10_000)
            let skipped = try await library.work.skipped(run.lease, after: nil, limit: 100)
            views.append(["\(claimed)", "\(skipped)", "\([run.due, run.skipped])"])
            try await library.work.release(run.lease, times: nil)
            _ = try await library.podcasts.overview(now: someTime)
            _ = try await library.allPodcasts()
            await library.records.saveCatalogue()
        }
        #expect(views[0] == views[1])
    }

    @Test func `a catalogue that is behind or damaged is not used`() async throws {
        try await fill()
        defer { removeCache() }
        let maker = try await opened(.read)
        _ = try await maker.podcasts.podcasts([samplePodcast(1).id])
        await maker.records.saveCatalogue()
        let bytes = try #require(try Disk(root: cache, calls: SystemCalls()).read("catalogue"))
        let plain = try await view(try await folder.open(.read))
        for place in stride(from: 0, to: bytes.count, by: 97) {
            var damaged = bytes
            damaged[place] ^= 4
            try Disk(root: cache, calls: SystemCalls()).create("catalogue", sync: false) { write in
                try write(damaged.span.bytes)
            }
            #expect(
                try await view(try await opened(.read)) == plain,
                "byte \(place)")
        }
        try Disk(root: cache, calls: SystemCalls()).create("catalogue", sync: false) { write in
            try write(bytes.span.bytes)
        }
        try await folder.open().save([samplePodcast(20)])
        let reader = try await opened(.read)
        #expect(try await reader.podcast(samplePodcast(20).id) != nil)
    }

    /// A refresh in which nothing is due must not read everything the next time again.
    @Test func `a writer that read all leaves a catalogue`() async throws {
        defer { removeCache() }
        try await folder.open().save((1...Catalogue.minPodcasts).map { samplePodcast($0) })
        #expect(access(file, F_OK) != 0)
        _ = try await opened()
        #expect(access(file, F_OK) == 0)
    }

    // MARK: Runs

    private func logGeneration() throws -> Int? {
        try LibraryMarker(reading: folder.disk()).anchors.logs[PodcastTable.logName]?.generation
    }

    private func expectPlainAnswers(_ library: Library) async throws {
        let plain = try await view(try await folder.open(.read))
        #expect(try await view(library) == plain)
    }

    /// A library with a catalogue, and a run that has claimed all its podcasts.
    private func begun(
        hasCatalogue: Bool = true
    ) async throws -> (library: Library, lease: WorkLease, claimed: [Podcast]) {
        if hasCatalogue { _ = try await opened().allPodcasts() }
        let library = try await hasCatalogue ? opened() : folder.open()
        let lease = try await library.work.begin(WorkRequest(mode: .all), now: someTime + 10_000).lease
        return (library, lease, try await library.work.claim(lease, limit: 100, now: someTime + 10_000))
    }

    @Test func `a run loads no records that it does not need`() async throws {
        try await fill()
        defer { removeCache() }
        let (library, lease, claimed) = try await begun()
        #expect(claimed.count == 8)
        let settlements = claimed.map { podcast in
            var podcast = podcast
            podcast.fetch.lastAttemptAt = someTime + 10_000
            podcast.fetch.nextDueAt = someTime + 20_000
            if podcast.id == samplePodcast(1).id { podcast.title = "Radio One" }
            return Settlement(podcast)
        }
        for half in [settlements[..<4], settlements[4...]] {
            let results = try await library.work.settle(Array(half), lease)
            #expect(results.allSatisfy { $0.stored != nil })
        }
        #expect(await library.records.loaded == nil)
        // In the middle of a run as well, the answers are those of the log.
        try await expectPlainAnswers(library)
        try await library.work.release(lease, times: nil)
        #expect(await library.records.loaded == nil)
        let status = try #require(try folder.disk().status(PodcastTable.logName))
        _ = try Catalogue(file, folder.disk(), status)
        try await expectPlainAnswers(library)
        try await expectPlainAnswers(try await opened(.read))
        #expect(try await library.podcasts.podcasts(titled: TitleName("radio one"), limit: 1).first?.id == samplePodcast(1).id)
        #expect(try await Library.verify(folder.disk(), waitSeconds: 0) == [])
    }

    /// The titles and lines of changed podcasts are not those of the catalogue's file.
    @Test func `a run may change a podcast several times`() async throws {
        try await fill()
        defer { removeCache() }
        let (library, lease, claimed) = try await begun()
        var podcast = try #require(claimed.first { $0.id == samplePodcast(1).id })
        var other = try #require(claimed.first { $0.id == samplePodcast(2).id })
        for title in ["Radio One", "Two", "Radio Three, with a longer name", "Radio Four"] {
            podcast.title = title
            podcast = try #require(try await library.work.settle([Settlement(podcast)], lease).first?.stored)
            other.title = "Other than \(title)"
            other = try #require(try await library.work.settle([Settlement(other)], lease).first?.stored)
            for changed in [podcast, other] {
                let name = TitleName(changed.displayTitle.lowercased())
                #expect(try await library.podcasts.podcasts(titled: name, limit: 10).contains(changed))
            }
            try await expectPlainAnswers(library)
        }
        #expect(await library.records.loaded == nil)
        try await library.work.release(lease, times: nil)
        try await expectPlainAnswers(try await opened(.read))
        #expect(try await opened(.read).podcasts.podcasts(titled: TitleName("radio one"), limit: 10) == [])
    }

    /// Another process, and another task of this one, may write during a run.
    @Test func `a run sees what others write`() async throws {
        try await fill()
        defer { removeCache() }
        let (library, lease, claimed) = try await begun()
        var edited = try #require(claimed.first { $0.id == samplePodcast(1).id })
        edited.settings.title = "Edited"
        edited = try #require(try await library.podcasts.update([edited]).first?.stored)
        try await folder.open().podcasts.remove([samplePodcast(5).id], keepingEpisodes: false)
        try await library.podcasts.remove([samplePodcast(9).id], keepingEpisodes: false)
        let results = try await library.work.settle(claimed.map { Settlement($0) }, lease)
        for (podcast, result) in zip(claimed, results) {
            switch (podcast.id, result) {
            case (samplePodcast(1).id, .lost(let current)): #expect(current == edited)
            case (samplePodcast(5).id, .lost(current: nil)), (samplePodcast(9).id, .lost(current: nil)): break
            case (_, .stored): #expect(![1, 5, 9].map { samplePodcast($0).id }.contains(podcast.id))
            default: Issue.record("\(podcast.id): \(result)")
            }
        }
        try await library.work.release(lease, times: nil)
        try await expectPlainAnswers(library)
        #expect(try await Library.verify(folder.disk(), waitSeconds: 0) == [])
    }

    /// A run appends to the log, however long it gets, and rewrites it when it ends. Without a catalogue all records are in
    /// memory, and the file must be the same.
    @Test(arguments: [true, false]) func `the log is rewritten at the end of a run`(hasCatalogue: Bool) async throws {
        try await fill()
        defer { removeCache() }
        let (library, lease, claimed) = try await begun(hasCatalogue: hasCatalogue)
        let generation = try logGeneration()
        var podcast = try #require(claimed.first)
        for round in 0..<40 {
            podcast.author = String(repeating: "\(round)", count: 2_000)
            podcast = try #require(try await library.work.settle([Settlement(podcast)], lease).first?.stored)
        }
        #expect(await (library.records.loaded == nil) == hasCatalogue)
        #expect(try logGeneration() == generation)
        try await library.work.release(lease, times: nil)
        #expect(try logGeneration() != generation)
        #expect(try await library.podcast(podcast.id) == podcast)
        try await expectPlainAnswers(library)
        #expect(try await Library.verify(folder.disk(), waitSeconds: 0) == [])
    }

    /// Libraries of one process may write their catalogues at the same time, while others read.
    @Test func `writers of one process keep their catalogues apart`() async throws {
        try await fill()
        defer { removeCache() }
        let plain = try await view(try await folder.open(.read))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<30 {
                        let library = try await opened(.read)
                        _ = try await library.records.table()
                        await library.records.saveCatalogue()
                    }
                }
            }
            group.addTask {
                for _ in 0..<30 {
                    let library = try await opened(.read)
                    #expect(try await view(library) == plain)
                }
            }
            try await group.waitForAll()
        }
    }
}
