import Domain
import Glibc
import Testing

@testable import Library

/// Libraries of version 1, as an earlier program wrote one: Fixtures/libraries/version-1. It has a podcast with a changed
/// guid and a transcript, one that moved, one that was unsubscribed with its episodes kept, and one with a password.
@Suite struct TakeoverTests {
    private let folder: TakeoverFolder
    private static let ids = ["000gd2nx", "363ve0t3", "dt0pg6gv"]

    init() throws { folder = try TakeoverFolder() }

    private func view(_ library: Library) async throws -> TakeoverView {
        var view = TakeoverView()
        var ids = try await library.page(of: .all, after: nil, limit: 10).map(\.id)
        ids += try await library.unsubscribed(withIDPrefix: "", limit: 10).map(\.id)
        for id in ids {
            let podcast = try await library.podcast(id)
            view.podcasts.append(
                [
                    String(id.text.prefix(8)), podcast?.feedURL ?? "kept", podcast?.settings.title ?? "",
                    podcast?.credentials?.password ?? "",
                ].joined(separator: " "))
            for episode in try await library.episodes(of: id) {
                view.episodes.append("\(episode.id.ownText.prefix(8)) \(episode.item.title ?? "") \(episode.history.count)")
                let texts = try await library.transcript(of: episode.id)?.segments.map(\.text) ?? []
                if !texts.isEmpty { view.transcripts[String(episode.id.ownText.prefix(8))] = texts }
            }
            view.lists[String(id.text.prefix(8))] = try await library.entries(of: id).entries.count
        }
        view.queue = try await library.entries().map {
            "\($0.episodeID.podcastID.text.prefix(8)) \($0.episodeID.ownText.prefix(8))"
        }
        return view
    }

    @Test func `a reader reads version 1 as it is`() async throws {
        let before = try folder.snapshot()
        let library = try await folder.open(.read)
        #expect(try await library.page(of: .all, after: nil, limit: 10).map(\.id.text) == Self.ids)
        #expect(try await library.entries().map(\.episodeID.text) == ["dt0pg6gv-56mg4453", "dt0pg6gv-3y440bb8"])
        #expect(try folder.snapshot() == before)
    }

    @Test func `a writer takes it over, once, and everything stays what it was`() async throws {
        let before = try await view(try await folder.open(.read))
        #expect(before.queue.count == 2 && before.transcripts.count == 1 && before.podcasts.count == 4)
        let old = try folder.snapshot()
        let library = try await folder.open(.write(waitSeconds: 0))
        #expect(await library.earlierVersion == folder.path + "/before-version-2")
        #expect(try await view(library) == before)
        let reader = try await folder.open(.read)
        #expect(try await view(reader) == before)
        #expect(try await Library.verify(folder.path, waitSeconds: 0).isEmpty)
        // Ids are longer, and those of version 1 are their beginnings.
        let ids = try await reader.page(of: .all, after: nil, limit: 10).map(\.id)
        #expect(ids.map { String($0.text.prefix(8)) } == Self.ids)
        #expect(ids.allSatisfy { $0.text.utf8.count == 13 })
        // They are those that a new subscription would get: also of the feed that moved.
        #expect(ids == ["/old", "/secret", "/radio"].map { PodcastID(feedURL: "http://127.0.0.1:8911" + $0) })
        let radio = try await reader.episodes(of: ids[2]).map(\.id)
        #expect(radio.allSatisfy { $0.ownText.utf8.count == 13 })
        #expect(radio.contains(EpisodeID(podcast: ids[2], identity: "guid:r-3")))
        // The library as it was.
        for (name, bytes) in old { #expect(try folder.disk().read("before-version-2/\(name)") == bytes, "\(name)") }
        #expect(!folder.names().contains { $0.contains("/dt0pg6gv.jsonl") && !$0.hasPrefix("before") })
        // The next writer has nothing to do.
        let after = try folder.snapshot()
        #expect(await (try await folder.open(.write(waitSeconds: 0))).earlierVersion == nil)
        #expect(try folder.snapshot() == after)
    }

    @Test func `what is derived from it is derived again`() async throws {
        let revision = try await folder.open(.read).revision()
        let library = try await folder.open(.write(waitSeconds: 0))
        #expect(try await library.revision() > revision)
        #expect(try await library.changes(since: revision) == nil)
    }

    @Test func `a podcast that is damaged keeps its id until it is repaired`() async throws {
        let name = "podcasts/363ve0t3.jsonl"
        var bytes = try #require(try folder.disk().read(name))
        bytes[bytes.count / 2] ^= 1
        try folder.write(name, bytes)
        let library = try await folder.open(.write(waitSeconds: 0))
        let ids = try await library.page(of: .all, after: nil, limit: 10).map(\.id.text)
        #expect(ids.map(\.utf8.count) == [13, 8, 13])
        #expect(try await Library.verify(folder.path, waitSeconds: 0).map(\.file) == [name])
        _ = try await Library.repair(folder.path, waitSeconds: 0)
        #expect(try await Library.verify(folder.path, waitSeconds: 0).isEmpty)
        let repaired = try await folder.open(.write(waitSeconds: 0))
        #expect(try await repaired.page(of: .all, after: nil, limit: 10).allSatisfy { $0.id.text.utf8.count == 13 })
        #expect(try await repaired.podcast(PodcastID(feedURL: "http://127.0.0.1:8911/secret"))?.credentials?.password == "lamp")
    }

    @Test func `a version 1 library that was repaired is taken over afterwards`() async throws {
        try folder.write("library.json", Array("nonsense".utf8))
        _ = try await Library.repair(folder.path, waitSeconds: 0)
        let before = try await view(try await folder.open(.read))
        #expect(try await view(try await folder.open(.write(waitSeconds: 0))) == before)
        #expect(try await Library.verify(folder.path, waitSeconds: 0).isEmpty)
    }

    /// Every call that changes the disk is, one run after another, the last.
    @Test func `a kill anywhere leaves one of the two, and the next writer ends it`() async throws {
        let before = try await view(try await folder.open(.read))
        let old = try folder.snapshot()
        var calls = 0
        while true {
            try folder.restore(old)
            let failing = FailingCalls(at: calls, .kill)
            let isKilled: Bool
            do {
                _ = try await folder.open(.write(waitSeconds: 0), calls: failing.system)
                isKilled = false
            } catch { isKilled = true }
            let seen = try await view(try await folder.open(.read))
            // What was kept may stand there under both ids.
            #expect(Set(seen.podcasts) == Set(before.podcasts), "call \(calls)")
            #expect(Set(seen.episodes) == Set(before.episodes), "call \(calls)")
            #expect(try await view(try await folder.open(.write(waitSeconds: 0))) == before, "call \(calls)")
            #expect(try await Library.verify(folder.path, waitSeconds: 0).isEmpty, "call \(calls)")
            guard isKilled else { break }
            calls += 1
        }
        #expect(calls > 40)
    }
}

private struct TakeoverView: Equatable {
    var podcasts: [String] = []
    var episodes: [String] = []
    var transcripts: [String: [String]] = [:]
    var lists: [String: Int] = [:]
    var queue: [String] = []
}

/// A copy of the library of version 1.
private final class TakeoverFolder: Sendable {
    static let fixture =
        #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/Fixtures/libraries/version-1"

    private let temporary = TemporaryFolder()
    var path: String { temporary.path }

    init() throws {
        mkdir(path, 0o700)
        try restore(try Self.snapshot(of: Disk(root: Self.fixture, calls: SystemCalls())))
    }

    deinit {
        for name in names() { unlink("\(path)/\(name)") }
        for folder in Self.folders(of: disk()).reversed() { rmdir("\(path)/\(folder)") }
    }

    func disk(_ calls: SystemCalls = SystemCalls()) -> Disk { temporary.disk(calls) }
    func names() -> [String] { Self.files(of: disk()) }
    func snapshot() throws -> [String: [UInt8]] { try Self.snapshot(of: disk()) }

    func write(_ name: String, _ bytes: [UInt8]) throws { try temporary.write(name, bytes) }

    func restore(_ snapshot: [String: [UInt8]]) throws {
        for name in names() where snapshot[name] == nil { unlink("\(path)/\(name)") }
        for folder in Self.folders(of: disk()).reversed() { rmdir("\(path)/\(folder)") }
        for (name, bytes) in snapshot {
            var folder = ""
            for part in name.split(separator: "/").dropLast() {
                folder += (folder.isEmpty ? "" : "/") + part
                mkdir("\(path)/\(folder)", 0o700)
            }
            unlink("\(path)/\(name)")
            try write(name, bytes)
        }
    }

    func open(_ mode: Library.Mode, calls: SystemCalls = SystemCalls()) async throws -> Library {
        try await Library.open(disk(calls), mode)
    }

    /// Each folder before those within it.
    private static func folders(of disk: Disk, in folder: String = "") -> [String] {
        let names = ((try? disk.list(folder)) ?? []).map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
        return names.filter { isFolder(disk, $0) }.flatMap { [$0] + folders(of: disk, in: $0) }
    }

    private static func files(of disk: Disk) -> [String] {
        ([""] + folders(of: disk)).flatMap { folder in
            ((try? disk.list(folder)) ?? []).map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
        }.filter { !isFolder(disk, $0) }
    }

    private static func isFolder(_ disk: Disk, _ name: String) -> Bool {
        var facts = stat()
        return stat(disk.path(name), &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    private static func snapshot(of disk: Disk) throws -> [String: [UInt8]] {
        var snapshot: [String: [UInt8]] = [:]
        for name in files(of: disk) where !name.hasSuffix("lock") { snapshot[name] = try disk.read(name) }
        return snapshot
    }
}
