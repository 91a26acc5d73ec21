import Addresses
import Domain
import Glibc
import JSON
import Testing

@testable import Library

/// A library of three podcasts, or fewer, and two days, with everything that can be in one.
private func makeLibrary(in folder: TemporaryFolder, podcasts: Int = 3) async throws -> (
    day1: [String: [UInt8]], day2: [String: [UInt8]]
) {
    let library = try await folder.open()
    for number in 1...podcasts {
        var podcast = samplePodcast(number)
        if number == 1 { podcast.credentials = Credentials(user: "ann", password: "s3cret") }
        try await library.add((1...3).map { sampleEpisode(podcast, $0) }, to: podcast)
    }
    try await library.save([samplePodcast(4)])  // never fetched
    _ = try await library.queue.update { $0 = [QueueEntry(episodeID: sampleEpisode(samplePodcast(1), 1).id, addedAt: someTime)] }
    var ledger = RefreshTimes()
    ledger.startedAt = someTime
    try await library.save(ledger)
    try await library.addTranscripts([1, 2], of: samplePodcast(1).id, failing: [3])
    _ = try await library.tags.edit(TagEdit(["+starred"]), of: [sampleEpisode(samplePodcast(1), 1).id])
    let day1 = try folder.snapshot()
    for number in 1...podcasts {
        var podcast = try #require(try await library.podcast(samplePodcast(number).id))
        if number == 1 { podcast.credentials = Credentials(user: "ann", password: "n3w") }
        try await library.add([sampleEpisode(podcast, 4)], to: podcast)
    }
    try await library.addTranscripts([4], of: samplePodcast(1).id)
    _ = try await library.queue.update {
        $0.append(QueueEntry(episodeID: sampleEpisode(samplePodcast(2), 1).id, addedAt: someTime))
    }
    ledger.startedAt = someTime + 86_400
    try await library.save(ledger)
    _ = try await library.tags.edit(TagEdit(["+played"]), of: [1, 2].map { sampleEpisode(samplePodcast(1), $0).id })
    var changes = TagChanges()
    changes.waiting = [sampleWaiting]
    try await library.tags.apply(changes)
    return (day1, try folder.snapshot())
}

private let sampleWaiting = TagLine(tags: [.starred], feedURL: "https://later.example/feed", key: "g")

extension Library {
    fileprivate func hasAllTags() async throws -> Bool {
        let ids = [1, 2].map { sampleEpisode(samplePodcast(1), $0).id }
        let tagged = try await tags.tags(of: ids)
        guard tagged == [ids[0]: [.starred, .played], ids[1]: [.played]] else { return false }
        return try await self.tags.waitingTags() == [sampleWaiting]
    }
}

@Suite struct DamageTests {
    let folder = TemporaryFolder()

    private func verify() async throws -> [LibraryDamage] { try await Library.verify(folder.disk(), waitSeconds: 5) }
    private func repair() async throws -> RepairReport { try await Library.repair(folder.disk(), waitSeconds: 5) }

    @Test func `a sound library has no damage`() async throws {
        #expect(try await verify() == [])
        let (day1, day2) = try await makeLibrary(in: folder)
        #expect(try await verify() == [])
        #expect(try folder.snapshot() == day2)
        #expect(try await repair() == RepairReport())
        #expect(try folder.snapshot() == day2)
        try folder.restore(day1)
        #expect(try await verify() == [])
    }

    /// The index in the cache is found by it.
    @Test(arguments: ["queue.json", "library.json"])
    func `a repaired library keeps its id`(damaged: String) async throws {
        let (_, files) = try await makeLibrary(in: folder)
        let id = try LibraryMarker(folder.disk()).id
        #expect(id != nil)
        try folder.write(damaged, Array(try #require(files[damaged]).dropLast()))
        #expect(try await repair().restored.contains(damaged))
        #expect(try LibraryMarker(folder.disk()).id == id)
    }

    /// On a read-only disk there is no lock to take and nothing to write.
    @Test func `a library that may only be read is checked`() async throws {
        let (_, day2) = try await makeLibrary(in: folder)
        var calls = SystemCalls()
        let real = calls
        calls.open = { path, flags, mode in
            if flags & O_ACCMODE == O_RDONLY, flags & O_CREAT == 0 { return real.open(path, flags, mode) }
            errno = EROFS
            return -1
        }
        calls.mkdir = { _, _ in
            errno = EROFS; return -1
        }
        calls.unlink = { _ in
            errno = EROFS; return -1
        }
        let disk = folder.disk(calls)
        #expect(try await Library.verify(disk, waitSeconds: 0) == [])
        folder.removeLock()
        #expect(try await Library.verify(disk, waitSeconds: 0) == [])
        try folder.write("queue.json", Array(try #require(day2["queue.json"]).dropLast()))
        #expect(try await Library.verify(disk, waitSeconds: 0).map(\.file) == ["queue.json"])
        await #expect(throws: LibraryFailure.io(file: folder.path + "/refresh.lock", operation: "open", errno: EROFS)) {
            try await Library.repair(disk, waitSeconds: 0)
        }
    }

    @Test func `every flipped bit is found`() async throws {
        let (_, files) = try await makeLibrary(in: folder, podcasts: 1)
        let disk = folder.disk()
        for (name, bytes) in files {
            var missed: [Int] = []
            for index in bytes.indices {
                var damaged = bytes
                damaged[index] ^= 1 << (index % 8)
                try folder.write(name, damaged)
                if try Inspection(disk).damage.isEmpty { missed.append(index) }
            }
            #expect(missed == [], "\(name)")
            try folder.write(name, bytes)
        }
    }

    /// Whatever happens to one file, `verify` finds it and `repair` makes the library whole. At most one podcast has to be
    /// fetched again, and no validator vouches for missing episodes.
    @Test(arguments: ["flip", "truncate", "empty", "delete", "garbage", "old copy", "lost line", "repeated line"])
    func `one damaged file is repaired`(kind: String) async throws {
        let (day1, day2) = try await makeLibrary(in: folder)
        for (name, bytes) in day2 {
            let damaged: [UInt8]?
            switch kind {
            case "flip": damaged = bytes.enumerated().map { $0.offset == bytes.count / 2 ? $0.element ^ 1 : $0.element }
            case "truncate": damaged = Array(bytes.prefix(bytes.count * 2 / 3))
            case "empty": damaged = []
            case "delete": damaged = nil
            case "garbage": damaged = (0..<bytes.count).map { UInt8(truncatingIfNeeded: $0 &* 131) }
            case "old copy": damaged = day1[name]
            default:
                var lines = ChecksummedLine.lines(bytes).map { Array(bytes[$0]) }
                guard lines.count > 1 else { continue }
                if kind == "lost line" { lines.remove(at: 1) } else { lines.insert(lines[1], at: 1) }
                damaged = Array(lines.joined())
            }
            try folder.restore(day2)
            try folder.disk().remove(name)
            if let damaged { try folder.write(name, damaged) }
            try await checkRepair(of: name, isFound: damaged != bytes && !isHarmless(name, kind))
        }
    }

    /// True if a kill can leave that state: an older backup or marker, or a missing backup.
    private func isHarmless(_ name: String, _ kind: String) -> Bool {
        switch kind {
        case "old copy": name.hasPrefix("backup/podcasts/") || name == "library.json"
        case "delete": name.hasPrefix("backup/podcasts/")
        default: false
        }
    }

    private func checkRepair(of name: String, isFound: Bool) async throws {
        let damage = try await verify()
        #expect(damage.isEmpty != isFound, "\(name)")
        let report = try await repair()
        #expect(report.lost == [], "\(name)")
        #expect(report.waiting.count <= 1, "\(name)")
        #expect(report.waitingForTranscripts.isEmpty != name.hasPrefix("transcripts/") || !isFound, "\(name)")
        #expect(report.setAside.count == Set(damage.filter { $0.reason != "missing" }.map(\.file)).count, "\(name)")
        #expect(try await verify() == [], "\(name)")

        let library = try await folder.open()
        let podcasts = try await library.allPodcasts()
        #expect(podcasts.map(\.id) == (1...4).map { samplePodcast($0).id }.sorted(), "\(name)")
        for number in 1...3 {
            let id = samplePodcast(number).id
            let podcast = try #require(podcasts.first { $0.id == id })
            let episodes = try await library.episodes.episodes(of: id)
            #expect(podcast.feedURL == samplePodcast(number).feedURL)
            #expect(podcast.title == samplePodcast(number).title)
            #expect(podcast.credentials == (number == 1 ? Credentials(user: "ann", password: "n3w") : nil), "\(name)")
            #expect(podcast.episodeCount == episodes.count, "\(name)")
            #expect(Set(episodes.map(\.id)).count == episodes.count)
            if report.waiting == [id] {
                #expect(podcast.fetch.validators == nil)
                #expect(episodes.count >= 3)
            } else {
                #expect(episodes == (1...4).map { sampleEpisode(podcast, $0) }, "\(name)")
            }
        }
        let speakers = (1...4).map { sampleEpisode(samplePodcast(1), $0).id }
        let spoken = try await library.transcripts.segments(of: speakers)
        #expect(spoken.count >= (isFound && name.hasPrefix("transcripts/") ? 2 : 3), "\(name)")
        #expect(spoken.values.allSatisfy { $0 == sampleSpeech }, "\(name)")
        #expect(try await library.queue.entries().count == 2, "\(name)")
        #expect(try await library.work.lastRefresh().startedAt == someTime + 86_400, "\(name)")
        #expect(try await library.hasAllTags(), "\(name)")
        // It can be written to, and what is written then is sound.
        let podcast = try #require(podcasts.first { $0.episodesRevision > 0 })
        try await library.add([sampleEpisode(podcast, 9)], to: podcast)
        try await library.save([samplePodcast(5)])
        _ = try await library.queue.update { $0.removeAll() }
        _ = try await library.tags.edit(TagEdit(["+new"]), of: [sampleEpisode(samplePodcast(2), 1).id])
        #expect(try await library.tags.taggedEpisodes().count == 3)
        #expect(try await verify() == [], "\(name)")
    }

    @Test func `swapped files find their way back`() async throws {
        let (_, day2) = try await makeLibrary(in: folder)
        let names = (1...2).map { "podcasts/\(samplePodcast($0).id).jsonl" }
        try folder.write(names[0], try #require(day2[names[1]]))
        try folder.write(names[1], try #require(day2[names[0]]))
        #expect(try await verify().map(\.file).sorted() == names.sorted())
        let report = try await repair()
        #expect(report.waiting.isEmpty)
        #expect(report.lost.isEmpty)
        #expect(try folder.bytes(names[0]) == day2[names[0]])
        #expect(try folder.bytes(names[1]) == day2[names[1]])
        #expect(try await verify() == [])
    }

    /// `verify` finds any two swapped files, and `repair` restores both without loss.
    @Test func `any two files that changed places are found and brought back`() async throws {
        let (_, day2) = try await makeLibrary(in: folder, podcasts: 2)
        let names = day2.keys.sorted()
        for (index, one) in names.enumerated() {
            for other in names[(index + 1)...] where day2[one] != day2[other] {
                try folder.restore(day2)
                try folder.write(one, try #require(day2[other]))
                try folder.write(other, try #require(day2[one]))
                let pair: Comment = "\(one) and \(other)"
                // The marker's copy is an older marker.
                if [one, other] == ["backup/library.json", "library.json"] { continue }
                #expect(try await verify().contains { $0.file == one || $0.file == other }, pair)
                let report = try await repair()
                #expect(report.lost == [], pair)
                #expect(try await verify() == [], pair)
                let library = try await folder.open()
                let podcasts = try await library.allPodcasts()
                #expect(podcasts.count == 3, pair)
                for podcast in podcasts where podcast.episodesRevision > 0 && !report.waiting.contains(podcast.id) {
                    #expect(try await library.episodes.episodes(of: podcast.id).count == 4, pair)
                }
                #expect(try await library.queue.entries().count == 2, pair)
                #expect(try await library.work.lastRefresh().startedAt == someTime + 86_400, pair)
                #expect(try await library.hasAllTags(), pair)
            }
        }
    }

    @Test func `kept episodes that are gone are missed`() async throws {
        let (_, _) = try await makeLibrary(in: folder, podcasts: 2)
        let id = samplePodcast(1).id
        let name = "kept/\(id).jsonl"
        do {
            let library = try await folder.open()
            try await library.podcasts.remove([id], keepingEpisodes: true)
        }
        #expect(try await verify() == [])
        try folder.disk().remove(name)
        #expect(try await verify().map(\.file) == [name])
        // The generation before is all that is left of them.
        #expect(try await repair().lost == [name])
        #expect(try await verify() == [])
        #expect(try await folder.open(.read).episodes.episodes(of: id).count == 3)

        try folder.disk().remove(name)
        try folder.disk().remove("backup/podcasts/\(id).jsonl")
        #expect(try await repair().lost == [name])
        #expect(try await verify() == [])
    }

    /// Anything but a file under a file's name is set aside: a pipe is never waited for, a link never followed.
    @Test(arguments: ["folder", "pipe", "loop"]) func `what is no file is damage`(kind: String) async throws {
        let (_, day2) = try await makeLibrary(in: folder, podcasts: 1)
        for name in day2.keys.sorted() {
            try folder.restore(day2)
            folder.put(kind, at: name)
            #expect(try await verify().contains { $0.file == name && $0.reason == "is no file" }, "\(name)")
            let report = try await repair()
            #expect(report.lost == [], "\(name)")
            #expect(report.setAside.count == 1, "\(name)")
            #expect(try await verify() == [], "\(name)")
            #expect(try await folder.open(.read).allPodcasts().count == 2, "\(name)")
            for aside in report.setAside { folder.clear(aside) }
        }
    }

    @Test func `a link that leads nowhere is damage`() async throws {
        let (_, day2) = try await makeLibrary(in: folder, podcasts: 1)
        for name in day2.keys.sorted() {
            try folder.restore(day2)
            folder.clear(name)
            symlink("nowhere", "\(folder.path)/\(name)")
            #expect(try await verify().contains { $0.file == name }, "\(name)")
            #expect(try await repair().lost == [], "\(name)")
            #expect(try await verify() == [], "\(name)")
        }
    }

    @Test func `a damaged podcast does not touch the others`() async throws {
        let (_, day2) = try await makeLibrary(in: folder)
        let id = samplePodcast(1).id
        let name = "podcasts/\(id).jsonl"
        try folder.write(name, Array(try #require(day2[name]).dropLast(40)))
        let library = try await folder.open(.read)
        #expect(try await library.allPodcasts().count == 4)
        #expect(try await library.episodes.episodes(of: samplePodcast(2).id).count == 4)
        await #expect(throws: LibraryFailure.self) { try await library.episodes.stored(of: id) }
        await #expect(throws: LibraryFailure.self) { try await library.episodes.episodes(of: id) }
    }

    /// Its checksum is right: a faulty program wrote it.
    @Test func `a line that is not understood is named, and what it would have replaced is kept`() async throws {
        let (_, day2) = try await makeLibrary(in: folder)
        let podcast = samplePodcast(1)
        let log = try #require(day2[PodcastTable.logName])
        let lines = ChecksummedLine.lines(log)
        var json = JSONWriter()
        ChecksummedLine.append(to: &json, after: ChecksummedLine.stored(log, try #require(lines.last))) { line in
            line.text("podcast", podcast.id.text)
            line.text("author", "Somebody")
            line.integer("title", 7)
        }
        try folder.write(PodcastTable.logName, log + json.bytes)
        let damage = try await verify()
        #expect(damage.map(\.file) == [PodcastTable.logName])
        #expect(damage.map(\.line) == [lines.count + 1])
        #expect(try await repair().lost.isEmpty)
        let repaired = try #require(try await folder.open(.read).podcast(podcast.id))
        #expect(repaired.title == podcast.title)
        #expect(repaired.author == "Somebody")
        #expect(try await verify() == [])
    }

    @Test func `deleted episodes are damage and not an empty podcast`() async throws {
        _ = try await makeLibrary(in: folder)
        let name = "podcasts/\(samplePodcast(1).id).jsonl"
        try folder.disk().remove(name)
        let library = try await folder.open(.read)
        await #expect(throws: LibraryFailure.damaged(file: name, line: nil, reason: "missing")) {
            try await library.episodes.stored(of: samplePodcast(1).id)
        }
    }

    @Test func `what cannot be brought back is named`() async throws {
        let (_, day2) = try await makeLibrary(in: folder)
        let bytes = try #require(day2["queue.json"])
        for name in ["queue.json", "backup/queue.json"] { try folder.write(name, Array(bytes.dropLast(10))) }
        let report = try await repair()
        #expect(report.lost == ["queue.json"])
        #expect(report.setAside.count == 2)
        #expect(try folder.bytes(report.setAside[0]) == Array(bytes.dropLast(10)))
        #expect(try await verify() == [])
        #expect(try await folder.open().queue.entries().isEmpty)
    }

    @Test func `of two damaged tag files the lines that hold are kept`() async throws {
        let (_, day2) = try await makeLibrary(in: folder)
        for (name, cut) in [("tags.jsonl", 1), ("backup/tags.jsonl", 2)] {
            var lines = ChecksummedLine.lines(try #require(day2[name])).map { Array(day2[name]![$0]) }
            lines[cut][30] ^= 1
            try folder.write(name, Array(lines.joined()))
        }
        #expect(try await repair().lost == ["tags.jsonl"])
        #expect(try await verify() == [])
        #expect(try await folder.open().hasAllTags())
    }

    /// A repair that is killed anywhere can be done again, and never leaves validators for episodes that are gone.
    @Test(arguments: [
        "podcasts/\(samplePodcast(1).id).jsonl", "podcasts.jsonl", "queue.json", "library.json", "secrets.json",
        "transcripts/\(samplePodcast(1).id)/list.jsonl", "tags.jsonl", "backup/tags.jsonl",
    ])
    func `a killed repair can be done again`(name: String) async throws {
        let (_, day2) = try await makeLibrary(in: folder)
        let damaged = Array(try #require(day2[name]).dropLast(30))
        var number = 0
        while true {
            try folder.restore(day2)
            try folder.write(name, damaged)
            let calls = FailingCalls(at: number, .kill)
            _ = try? await Library.repair(folder.disk(calls.system), waitSeconds: 5)
            guard calls.hasFailed else { break }
            _ = try await repair()
            #expect(try await verify() == [], "call \(number)")
            let library = try await folder.open(.read)
            let podcasts = try await library.allPodcasts()
            #expect(podcasts.count == 4, "call \(number)")
            for podcast in podcasts where podcast.fetch.validators != nil {
                #expect(try await library.episodes.episodes(of: podcast.id).count == 4, "call \(number)")
            }
            #expect(try await library.queue.entries().count == 2, "call \(number)")
            #expect(try await library.hasAllTags(), "call \(number)")
            number += 1
        }
        #expect(number > 20)
    }

    @Test func `a stray file is set aside`() async throws {
        let (_, day2) = try await makeLibrary(in: folder)
        let stray = try #require(day2["podcasts/\(samplePodcast(1).id).jsonl"])
        try folder.write("podcasts/stray.jsonl", stray)
        let report = try await repair()
        #expect(report.damage.map(\.file) == ["podcasts/stray.jsonl"])
        #expect(report.lost == [])
        #expect(report.waiting == [])
        #expect(try folder.bytes(try #require(report.setAside.first)) == stray)
        #expect(try await verify() == [])
        #expect(try folder.bytes("podcasts/stray.jsonl") == nil)
    }

    @Test func `a newer version is refused and left alone`() async throws {
        _ = try await makeLibrary(in: folder)
        // A later program's document has a sum of its own.
        var json = JSONWriter()
        ChecksummedLine.append(to: &json) {
            $0.integer("version", 3)
            $0.text("file", "library.json")
        }
        try folder.write("library.json", json.bytes)
        let before = try folder.snapshot()
        let refused = LibraryFailure.newerVersion(file: "library.json", version: 3)
        await #expect(throws: refused) { try await folder.open(.read) }
        await #expect(throws: refused) { try await folder.open(.write(waitSeconds: 0)) }
        await #expect(throws: refused) { try await verify() }
        await #expect(throws: refused) { try await repair() }
        #expect(try folder.snapshot() == before)
    }

    @Test func `a library of an earlier program is refused and left alone`() async throws {
        _ = try await makeLibrary(in: folder)
        var json = JSONWriter()
        ChecksummedLine.append(to: &json) {
            $0.integer("version", 1)
            $0.text("file", "library.json")
            $0.integer("revision", 4)
        }
        try folder.write("library.json", json.bytes)
        let before = try folder.snapshot()
        let refused = LibraryFailure.olderVersion(file: "library.json", version: 1)
        await #expect(throws: refused) { try await folder.open(.read) }
        await #expect(throws: refused) { try await folder.open(.write(waitSeconds: 0)) }
        await #expect(throws: refused) { try await verify() }
        await #expect(throws: refused) { try await repair() }
        #expect(try folder.snapshot() == before)
    }

    @Test func `a damaged version is no newer one`() async throws {
        _ = try await makeLibrary(in: folder)
        for digit in 0...9 where digit != LibraryMarker.document.version {
            let text = try folder.text("backup/library.json")
                .replacing("\"version\":\(LibraryMarker.document.version)", with: "\"version\":\(digit)")
            try folder.write("library.json", Array(text.utf8))
            #expect(try await verify().contains { $0.file == "library.json" }, "\(digit)")
        }
    }

    @Test(arguments: ["garbage", "empty", "delete", "version"])
    func `readers use the copy of a damaged marker`(kind: String) async throws {
        let (_, day2) = try await makeLibrary(in: folder)
        let bytes = try #require(day2["library.json"])
        switch kind {
        case "delete": try folder.disk().remove("library.json")
        case "empty": try folder.write("library.json", [])
        case "version":
            let text = try folder.text("library.json").replacing("\"version\":2", with: "\"version\":5")
            try folder.write("library.json", Array(text.utf8))
        default: try folder.write("library.json", bytes.map { $0 ^ 8 })
        }
        let library = try await folder.open(.read)
        #expect(library.damage != nil)
        #expect(try await library.allPodcasts().count == 4)
        #expect(try await library.queue.entries().count == 2)
        #expect(try await library.episodes.episodes(of: samplePodcast(1).id).count == 4)
        await #expect(throws: LibraryFailure.self) { try await folder.open() }
    }
}
