import Addresses
import Domain
import Glibc
import Synchronization
import Testing

@testable import Library

/// System calls of which one fails, or after which all fail: the state on the disk is then that of a killed process.
final class FailingCalls: Sendable {
    enum Fault: Sendable {
        /// This call fails with this code; the others work.
        case error(Int32)
        /// Nothing works any more, from this call on.
        case kill
        /// This write takes only some of its bytes.
        case shortWrite
    }

    private let count = Atomic<Int>(0)
    private let failing: Int
    private let fault: Fault

    init(at failing: Int, _ fault: Fault) {
        self.failing = failing
        self.fault = fault
    }

    /// The calls that were made.
    var calls: Int { count.load(ordering: .relaxed) }
    var hasFailed: Bool { calls > failing }

    private func fails() -> Bool {
        let number = count.wrappingAdd(1, ordering: .relaxed).oldValue
        switch fault {
        case .error(let code):
            guard number == failing else { return false }
            errno = code
        case .kill:
            guard number >= failing else { return false }
            errno = EIO
        case .shortWrite: return false
        }
        return true
    }

    var system: SystemCalls {
        var calls = SystemCalls()
        let real = calls
        calls.open = { self.fails() ? -1 : real.open($0, $1, $2) }
        calls.size = { self.fails() ? -1 : real.size($0) }
        calls.read = { self.fails() ? -1 : real.read($0, $1) }
        calls.write = { descriptor, bytes in
            if case .shortWrite = self.fault {
                return real.write(descriptor, bytes.extracting(first: max(1, bytes.byteCount / 3)))
            }
            // A killed process may have written a part.
            if self.fails() {
                if case .kill = self.fault {
                    _ = real.write(descriptor, bytes.extracting(first: bytes.byteCount / 2))
                }
                return -1
            }
            return real.write(descriptor, bytes)
        }
        calls.seek = { self.fails() ? -1 : real.seek($0, $1) }
        calls.truncate = { self.fails() ? -1 : real.truncate($0, $1) }
        calls.fsync = { self.fails() ? -1 : real.fsync($0) }
        calls.syncfs = { self.fails() ? -1 : real.syncfs($0) }
        calls.rename = { self.fails() ? -1 : real.rename($0, $1) }
        calls.link = { self.fails() ? -1 : real.link($0, $1) }
        calls.unlink = { self.fails() ? -1 : real.unlink($0) }
        calls.rmdir = { self.fails() ? -1 : real.rmdir($0) }
        calls.mkdir = { self.fails() ? -1 : real.mkdir($0, $1) }
        calls.lock = { self.fails() ? -1 : real.lock($0) }
        return calls
    }
}

@Suite struct FaultTests {
    let folder = TemporaryFolder()

    /// One run of a program, as the tests break it: refresh two podcasts, subscribe to a third, and so on.
    private struct Job: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var run: @Sendable (Library) async throws -> Void

        static let refresh = Job(testDescription: "refresh") { library in
            for number in 1...2 {
                let podcast = try #require(try await library.podcast(samplePodcast(number).id))
                var edited = sampleEpisode(podcast, 2)
                edited.item.title = "Edited"
                try await library.add([sampleEpisode(podcast, 4)], to: podcast, replacing: [edited])
            }
            var ledger = try await library.work.lastRefresh()
            ledger.startedAt = someTime + 1
            try await library.save(ledger)
        }
        static let subscribe = Job(testDescription: "subscribe") { library in
            var podcast = samplePodcast(3)
            podcast.credentials = Credentials(user: "bob", password: "pw")
            try await library.add([sampleEpisode(podcast, 1)], to: podcast)
        }
        static let unsubscribe = Job(testDescription: "unsubscribe") { library in
            try await library.podcasts.remove([samplePodcast(1).id], keepingEpisodes: false)
        }
        static let keep = Job(testDescription: "unsubscribe, keeping episodes") { library in
            try await library.podcasts.remove([samplePodcast(1).id], keepingEpisodes: true)
        }
        static let queue = Job(testDescription: "queue") { library in
            try await library.queue.update {
                $0.append(QueueEntry(episodeID: sampleEpisode(samplePodcast(2), 1).id, addedAt: someTime))
            }
        }
        static let importing = Job(testDescription: "import") { library in
            try await library.save((4...9).map { samplePodcast($0) })
        }
    }

    /// Each job, and whether the library has a catalogue, as large ones have: then changes are appended without loading
    /// all records.
    private static let jobs: [(Job, hasCatalogue: Bool)] =
        [.refresh, .subscribe, .unsubscribe, .keep, .queue, .importing].map { ($0, false) } + [(.refresh, true)]

    private func prepare() async throws -> [String: [UInt8]] {
        let library = try await folder.open()
        for number in 1...2 {
            try await library.add((1...3).map { sampleEpisode(samplePodcast(number), $0) }, to: samplePodcast(number))
        }
        _ = try await library.queue.update {
            $0 = [QueueEntry(episodeID: sampleEpisode(samplePodcast(1), 1).id, addedAt: someTime)]
        }
        return try folder.snapshot()
    }

    /// Podcasts with their episodes, and the queue: what a command would show.
    private struct View: Equatable {
        var podcasts: [Podcast] = []
        var episodes: [PodcastID: [Episode]] = [:]
        var queue: [QueueEntry] = []
    }

    private func view() async throws -> View { try await view(try await folder.open(.read)) }

    private func view(_ library: Library) async throws -> View {
        var view = View(podcasts: try await library.allPodcasts(), queue: try await library.queue.entries())
        for podcast in view.podcasts { view.episodes[podcast.id] = try await library.episodes.episodes(of: podcast.id) }
        return view
    }

    /// At every system call of every job: what is left is sound, each podcast is in its old or its new state, no
    /// validator is newer than its episodes, and the job done again ends as if nothing had happened.
    @Test(arguments: Self.jobs) private func aKillAnywhereLeavesOldOrNew(job: Job, hasCatalogue: Bool) async throws {
        try await TemporaryFolder.$hasCatalogue.withValue(hasCatalogue) { try await killAnywhere(job) }
    }

    private func killAnywhere(_ job: Job) async throws {
        let before = try await prepare()
        let old = try await view()
        try await job.run(try await folder.open())
        let new = try await view()
        var number = 0
        while true {
            try folder.restore(before)
            let calls = FailingCalls(at: number, .kill)
            try? await job.run(try await folder.open(calls: calls.system))
            guard calls.hasFailed else { break }
            try await check(old, new, "call \(number)")
            try await job.run(try await folder.open())
            #expect(try await Library.verify(folder.disk(), waitSeconds: 0) == [], "call \(number)")
            #expect(try folder.disk().list("new").isEmpty)
            number += 1
        }
        #expect(number > 10)
    }

    /// The record goes before the episodes; were it forgotten that they should go too, they would stay for ever.
    @Test func `a killed unsubscription is named and ended by the next writer`() async throws {
        let before = try await prepare()
        let id = samplePodcast(1).id
        var leftovers = 0
        var number = 0
        while true {
            try folder.restore(before)
            let calls = FailingCalls(at: number, .kill)
            try? await Job.unsubscribe.run(try await folder.open(calls: calls.system))
            guard calls.hasFailed else { break }
            let isGone = try await folder.open(.read).podcast(id) == nil
            let named = try await Library.verify(folder.disk(), waitSeconds: 0)
            #expect(named.allSatisfy { $0.isLeftover && $0.podcast == id }, "call \(number)")
            let isLeft = try folder.bytes("podcasts/\(id).jsonl") != nil
            #expect(named.isEmpty != (isGone && isLeft), "call \(number)")
            leftovers += named.count
            _ = try await folder.open()
            if isGone { #expect(!folder.files().contains { $0.contains("podcasts/\(id)") }, "call \(number)") }
            #expect(try await Library.verify(folder.disk(), waitSeconds: 0) == [], "call \(number)")
            number += 1
        }
        #expect(leftovers > 0)
    }

    /// Episodes that a killed subscription left are not damage, and a new subscription takes them over.
    @Test func `episodes of no subscription are named`() async throws {
        let library = try await folder.open()
        let podcast = samplePodcast(3)
        try await library.apply([
            PodcastChanges(podcastID: podcast.id, revision: 1, channel: nil, added: [sampleEpisode(podcast, 1)], replaced: [])
        ])
        let name = "podcasts/\(podcast.id).jsonl"
        #expect(try Inspection(folder.disk()).damage == [])
        #expect(try Inspection(folder.disk()).leftovers.map(\.file) == [name])
        try await library.add([sampleEpisode(podcast, 2)], to: podcast)
        #expect(try Inspection(folder.disk()).leftovers == [])
        #expect(try await library.episodes.episodes(of: podcast.id).count == 2)
    }

    /// If one call fails, with any code, the job reports it and leaves the library undamaged.
    @Test(arguments: Self.jobs) private func aFailedCallIsReportedAndLeavesOldOrNew(job: Job, hasCatalogue: Bool) async throws {
        try await TemporaryFolder.$hasCatalogue.withValue(hasCatalogue) { try await failAnyCall(job) }
    }

    private func failAnyCall(_ job: Job) async throws {
        let before = try await prepare()
        let old = try await view()
        try await job.run(try await folder.open())
        let new = try await view()
        let codes = [ENOSPC, EIO, EROFS, EACCES, EMFILE, EDQUOT, EFBIG, ENOMEM]
        var number = 0
        while true {
            try folder.restore(before)
            let code = codes[number % codes.count]
            let calls = FailingCalls(at: number, .error(code))
            var failure: (any Error)?
            var isDone = false
            do {
                let library = try await folder.open(calls: calls.system)
                do { try await job.run(library) } catch { failure = error }
                isDone = !calls.hasFailed
                if failure != nil { try await check(old, new, "call \(number)") }
                // The same process can run the job again after the failure.
                if failure != nil {
                    try await job.run(library)
                    #expect(try await view().podcasts.map(\.id) == new.podcasts.map(\.id), "call \(number)")
                }
            } catch {
                failure = error
            }
            if isDone { break }
            if failure != nil {
                guard case .io(_, _, code)? = failure as? LibraryFailure else {
                    Issue.record("call \(number): \(String(describing: failure))")
                    break
                }
                #expect(try Inspection(folder.disk()).damage == [], "call \(number)")
            } else {
                // Only the holder's id in the lock file may fail silently, because nothing depends on it.
                #expect(try await view() == new, "call \(number)")
            }
            number += 1
        }
    }

    private func check(_ old: View, _ new: View, _ label: Comment) async throws {
        #expect(try Inspection(folder.disk()).damage == [], label)
        let state = try await view()
        #expect(state.queue == old.queue || state.queue == new.queue, label)
        for podcast in state.podcasts {
            let (before, after) = (old.podcasts.first { $0.id == podcast.id }, new.podcasts.first { $0.id == podcast.id })
            #expect(podcast == before || podcast == after, label)
            let episodes = state.episodes[podcast.id]
            #expect(episodes == old.episodes[podcast.id] || episodes == new.episodes[podcast.id], label)
            // The record may be older than the episodes, never newer.
            if podcast == after, podcast != before { #expect(episodes == new.episodes[podcast.id], label) }
        }
        let lost = Set(old.podcasts.map(\.id)).intersection(new.podcasts.map(\.id)).subtracting(state.podcasts.map(\.id))
        #expect(lost.isEmpty, label)
    }

    /// Readers, `verify` and `repair` report a failed call as such, never as damage, absence or success.
    @Test(arguments: ["read", "verify", "repair"]) func `a failed call is never taken for damage`(what: String) async throws {
        let before = try await prepare()
        let sound = try await view()
        let codes = [ENOSPC, EIO, EROFS, EACCES, EMFILE, ENFILE, EDQUOT, ENOMEM]
        var number = 0
        var isDone = false
        while !isDone {
            for code in [codes[number % 8], codes[(number + 3) % 8]] {
                try folder.restore(before)
                if what == "repair" { try folder.write("queue.json", Array("{}".utf8)) }
                let calls = FailingCalls(at: number, .error(code))
                let disk = folder.disk(calls.system)
                do {
                    switch what {
                    case "read": #expect(try await view(try await Library.open(disk, .read)) == sound, "call \(number)")
                    case "verify": #expect(try await Library.verify(disk, waitSeconds: 0) == [], "call \(number)")
                    default: #expect(try await Library.repair(disk, waitSeconds: 0).lost == [], "call \(number)")
                    }
                    isDone = !calls.hasFailed
                } catch {
                    guard case .io(_, _, code)? = error as? LibraryFailure else {
                        Issue.record("call \(number), \(code): \(error)")
                        continue
                    }
                    if what == "repair" { _ = try await Library.repair(folder.disk(), waitSeconds: 0) }
                }
                #expect(try await view() == sound, "call \(number)")
                #expect(try await Library.verify(folder.disk(), waitSeconds: 0) == [], "call \(number)")
            }
            number += 1
        }
        #expect(number > 10)
    }

    @Test func `short writes are gone on with`() async throws {
        do {
            let library = try await folder.open(calls: FailingCalls(at: 0, .shortWrite).system)
            try await library.add([sampleEpisode(samplePodcast(), 1)], to: samplePodcast())
        }
        #expect(try await Library.verify(folder.disk(), waitSeconds: 0) == [])
        #expect(try await folder.open(.read).episodes.episodes(of: samplePodcast().id) == [sampleEpisode(samplePodcast(), 1)])
    }

    @Test func `an append that was interrupted is no damage`() async throws {
        _ = try await prepare()
        let sound = try await view()
        let log = try #require(try folder.bytes("podcasts.jsonl"))
        for tail in ["{\"sum\":\"00", "{\"sum\":\"0123456789abcdef\",\"podcast\":\"x\"}\n", "\u{0}\u{0}\u{0}", "\n\n"] {
            try folder.write("podcasts.jsonl", log + Array(tail.utf8))
            #expect(try await view() == sound)
            #expect(try await Library.verify(folder.disk(), waitSeconds: 0) == [])
        }
        try await folder.open().save([samplePodcast(7)])
        #expect(try await view().podcasts.count == 3)
        #expect(try await Library.verify(folder.disk(), waitSeconds: 0) == [])
    }

    /// The order of calls in which data is durable before it is published, and published before success is reported.
    @Test(arguments: [1, 20]) func `data is synced before it is published`(podcasts: Int) async throws {
        let calls = Mutex<[String]>([])
        var system = SystemCalls()
        let real = system
        system.write = {
            calls.withLock { $0.append("write") }; return real.write($0, $1)
        }
        system.fsync = {
            calls.withLock { $0.append("fsync") }; return real.fsync($0)
        }
        system.syncfs = {
            calls.withLock { $0.append("syncfs") }; return real.syncfs($0)
        }
        system.rename = {
            calls.withLock { $0.append("rename") }; return real.rename($0, $1)
        }
        let library = try await folder.open(calls: system)
        calls.withLock { $0 = [] }
        try await library.apply(
            (1...podcasts).map {
                PodcastChanges(
                    podcastID: samplePodcast($0).id, revision: 1, channel: nil, added: [sampleEpisode(samplePodcast($0), 1)],
                    replaced: [])
            })
        // The first write is the holder's id in the lock file.
        let made = calls.withLock { Array($0.dropFirst()) }
        if podcasts == 1 {
            #expect(made == ["write", "fsync", "rename", "fsync"])
        } else {
            let each = { (call: String) in Array(repeating: call, count: podcasts) }
            #expect(made == each("write") + ["syncfs"] + each("rename") + ["fsync"])
        }
    }

    @Test func `files and folders are the owner's alone`() async throws {
        _ = try await prepare()
        for name in [""] + TemporaryFolder.folders + folder.files() {
            var status = stat()
            guard stat("\(folder.path)/\(name)", &status) == 0 else { continue }
            #expect(status.st_mode & 0o077 == 0, "\(name)")
        }
    }
}
