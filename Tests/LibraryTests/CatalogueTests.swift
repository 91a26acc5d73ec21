import Domain
import Glibc
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
        try await library.remove([samplePodcast(8).id], keepingEpisodes: true)
        try await library.remove([samplePodcast(12).id], keepingEpisodes: false)
    }

    private func removeCache() {
        unlink(file)
        rmdir(cache)
    }

    private func view(_ library: Library) async throws -> [String] {
        let now = someTime + 10_000
        var view: [String] = []
        let ids = (0...13).map { samplePodcast($0).id }
        view.append("\(try await library.podcasts(ids))")
        view.append("\(try await library.podcasts(at: (0...13).map { samplePodcast($0).feedURL }))")
        for id in ids { view.append("\(try await library.podcasts(withIDPrefix: String(id.text.prefix(3)), limit: 2))") }
        for title in ["radio 1", "MINE", "radio 4", "none"] {
            view.append("\(try await library.podcasts(titled: TitleName(title), limit: 3))")
        }
        let listings: [PodcastListing] = [
            .all, .latestEpisodes(), .latestEpisodes(publishedSince: someTime + 4 * 86_400),
            .transcripts(now: now, byDefault: true, all: false), .transcripts(now: now, byDefault: false, all: true),
        ]
        for listing in listings {
            var pages: [PodcastID] = []
            try await library.forEach(in: listing, pageSize: 2) {
                pages.append($0.id)
                return true
            }
            view.append("\(pages)")
        }
        view.append("\(try await library.overview(now: now).health.sorted { $0.key.rawValue < $1.key.rawValue })")
        var overview = try await library.overview(now: now)
        overview.health = [:]
        view.append("\(overview)")
        view.append("\(try await library.revision())")
        for revision in [0, 3, 7, 99] {
            guard let changes = try await library.changes(since: revision) else {
                view.append("too far back")
                continue
            }
            view.append("\(changes.revision) \(changes.changed.sorted { $0.key < $1.key }) \(changes.removed.sorted())")
        }
        for id in ids { view.append("\(try await library.episodes(of: id).count)") }
        view.append("\(try await library.unsubscribed().map(\.id))")
        return view
    }

    @Test func theAnswersAreThoseOfTheLog() async throws {
        try await fill()
        defer { removeCache() }
        let plain = try await view(try await folder.open(.read))
        let maker = try await Library.open(folder.disk(), .read, cache: cache)
        _ = try await maker.podcasts([samplePodcast(1).id])
        await maker.saveCatalogue(smallest: 0)
        let status = try #require(try folder.disk().status(PodcastTable.logName))
        _ = try Catalogue(file, folder.disk(), status)
        #expect(try await view(try await Library.open(folder.disk(), .read, cache: cache)) == plain)
    }

    @Test func workIsHandedOutAsFromTheLog() async throws {
        try await fill()
        defer { removeCache() }
        var views: [[String]] = []
        for _ in 0..<2 {
            let library = try await Library.open(folder.disk(), .write(waitSeconds: 0), cache: cache)
            let run = try await library.begin(WorkRequest(), now: someTime + 10_000)
            let claimed = try await library.claim(run.lease, limit: 100, now: someTime + 10_000)
            let skipped = try await library.skipped(run.lease, after: nil, limit: 100)
            views.append(["\(claimed)", "\(skipped)", "\([run.due, run.skipped])"])
            try await library.release(run.lease, times: nil)
            _ = try await library.overview(now: someTime)
            _ = try await library.podcasts()
            await library.saveCatalogue(smallest: 0)
        }
        #expect(views[0] == views[1])
    }

    @Test func aCatalogueThatIsBehindOrDamagedIsNotUsed() async throws {
        try await fill()
        defer { removeCache() }
        let maker = try await Library.open(folder.disk(), .read, cache: cache)
        _ = try await maker.podcasts([samplePodcast(1).id])
        await maker.saveCatalogue(smallest: 0)
        let bytes = try #require(try Disk(root: cache, calls: SystemCalls()).read("catalogue"))
        let plain = try await view(try await folder.open(.read))
        for place in stride(from: 0, to: bytes.count, by: 97) {
            var damaged = bytes
            damaged[place] ^= 4
            try Disk(root: cache, calls: SystemCalls()).create("catalogue", sync: false) { write in
                try damaged.withUnsafeBytes(write)
            }
            #expect(try await view(try await Library.open(folder.disk(), .read, cache: cache)) == plain, "byte \(place)")
        }
        try Disk(root: cache, calls: SystemCalls()).create("catalogue", sync: false) { write in
            try bytes.withUnsafeBytes(write)
        }
        try await folder.open().save([samplePodcast(20)])
        let reader = try await Library.open(folder.disk(), .read, cache: cache)
        #expect(try await reader.podcast(samplePodcast(20).id) != nil)
    }

    /// A refresh in which nothing is due must not read everything the next time again.
    @Test func aWriterThatReadAllLeavesACatalogue() async throws {
        defer { removeCache() }
        try await folder.open().save((1...Catalogue.smallest).map { samplePodcast($0) })
        #expect(access(file, F_OK) != 0)
        _ = try await Library.open(folder.disk(), .write(waitSeconds: 0), cache: cache)
        #expect(access(file, F_OK) == 0)
    }
}
