import Domain
import Glibc
import JSON
import Library

/// What the library costs, against the floor of writing the same bytes with the same syncs. Run by `scripts/bench library`.
///
///     library-benchmark FOLDER [PODCASTS…]
///     library-benchmark --fill FOLDER PODCASTS EPISODES
@main struct Benchmark {
    static func main() async throws {
        guard CommandLine.arguments.count > 1 else {
            print("usage: library-benchmark FOLDER [PODCASTS…]")
            exit(64)
        }
        if CommandLine.arguments[1] == "--fill" {
            let counts = CommandLine.arguments.dropFirst(3).compactMap { Int($0) }
            guard counts.count == 2 else { exit(64) }
            return try await Sample.fill(
                CommandLine.arguments[2], podcasts: counts[0], episodes: counts[1],
                dueAt: Timestamp(seconds: Int64(time(nil)) + 86_400))
        }
        let folder = CommandLine.arguments[1]
        let sizes = CommandLine.arguments.dropFirst(2).compactMap { Int($0) }
        json()
        print("\npodcasts   load ms  change ms   floor ms  ratio  bytes written   unchanged-run bytes  verify s")
        for size in sizes.isEmpty ? [100, 1_000, 10_000] : sizes {
            try await library("\(folder)/\(size)", podcasts: size)
        }
    }

    // MARK: JSON

    private static func json() {
        let podcast = Sample.podcast(1)
        let items = (1...2_000).map { Sample.episode(podcast, $0).item }
        var bytes: [UInt8] = []
        let encode = best {
            var json = JSONWriter()
            json.array { for item in items { $0.value(item) } }
            bytes = json.bytes
        }
        var count = 0
        let decode = best {
            var json = JSONReader(bytes)
            count = (try? json.values() as [Item])?.count ?? 0
        }
        let skip = best {
            var json = JSONReader(bytes)
            _ = try? json.skip()
        }
        func rate(_ seconds: Double) -> Int { Int(Double(bytes.count) / seconds / 1e6) }
        print(
            "JSON, \(count) episodes, \(bytes.count / 1_000) kB, MB/s: encode \(rate(encode)), decode \(rate(decode)), skip \(rate(skip))"
        )
    }

    // MARK: Library

    private static func library(_ path: String, podcasts: Int) async throws {
        try await Sample.fill(path, podcasts: podcasts)
        let load = try await median(5) {
            let library = try await Library.open(path, .read).repositories
            guard try await all(library).count == podcasts else { exit(1) }
        }
        let (change, floor, written, unchanged) = try await writing(path)
        let verify = try await median(1) {
            guard try await Library.verify(path, waitSeconds: 5).isEmpty else { exit(1) }
        }
        print(
            [
                pad(podcasts, 8), pad(milliseconds(load), 9), pad(milliseconds(change), 10), pad(milliseconds(floor), 10),
                pad(Double(Int(change / floor * 100)) / 100, 6), pad(written, 14), pad(unchanged, 21),
                pad(Double(Int(verify * 100)) / 100, 9),
            ].joined(separator: " "))
    }

    private static func all(_ library: Repositories) async throws -> [Podcast] {
        var all: [Podcast] = []
        try await library.podcasts.forEach {
            all.append($0)
            return true
        }
        return all
    }

    private static func writing(_ path: String) async throws -> (change: Double, floor: Double, written: Int, unchanged: Int) {
        let library = try await Library.open(path, .write(waitSeconds: 5)).repositories
        var all = try await all(library)
        let run = try await library.work.begin(WorkRequest(), now: Sample.time)
        var number = 1_000
        var written = 0
        // One podcast with one new episode, as a refresh stores it, after the reading of what is due.
        let change = try await median(9) {
            number += 1
            written = bytesWritten()
            var podcast = all[all.count / 2]
            podcast.episodesRevision = try await library.episodes.stored(of: podcast.id).revision + 1
            podcast.fetch = Sample.fetched(podcast.fetch, number)
            let changes = PodcastChanges(
                podcastID: podcast.id, revision: podcast.episodesRevision, channel: nil,
                added: [Sample.episode(podcast, number)], replaced: [])
            let results = try await library.work.settle([Settlement(podcast, changes: changes)], run.lease)
            guard let stored = results.first?.stored else { exit(1) }
            all[all.count / 2] = stored
            written = bytesWritten() - written
        }
        let floor = try median(9) { try Floor.write(written, in: path) }
        // A refresh in which nothing changed.
        let before = bytesWritten()
        for start in stride(from: 0, to: all.count, by: 200) {
            _ = try await library.work.settle(
                all[start..<min(start + 200, all.count)].map { podcast in
                    var podcast = podcast
                    podcast.fetch = Sample.fetched(podcast.fetch, 0)
                    return Settlement(podcast)
                }, run.lease)
        }
        return (change, floor, written, bytesWritten() - before)
    }

    // MARK: Measuring

    private static func best(_ body: () -> Void) -> Double {
        (0..<7).map { _ in seconds(ContinuousClock().measure(body)) }.min() ?? 0
    }

    private static func median(_ runs: Int, _ body: () throws -> Void) throws -> Double {
        try (0..<runs).map { _ in seconds(try ContinuousClock().measure(body)) }.sorted()[runs / 2]
    }

    private static func median(_ runs: Int, _ body: () async throws -> Void) async throws -> Double {
        var times: [Double] = []
        for _ in 0..<runs {
            let start = ContinuousClock.now
            try await body()
            times.append(seconds(ContinuousClock.now - start))
        }
        return times.sorted()[runs / 2]
    }

    private static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }
    private static func milliseconds(_ seconds: Double) -> Double { Double(Int(seconds * 100_000)) / 100 }
    private static func pad(_ value: some CustomStringConvertible, _ width: Int) -> String {
        let text = value.description
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// Bytes that this process has given to write calls.
    private static func bytesWritten() -> Int {
        guard let file = fopen("/proc/self/io", "r") else { return 0 }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 512)
        let count = fread(&buffer, 1, buffer.count, file)
        let text = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.split(separator: "\n").first { $0.hasPrefix("wchar:") }.flatMap { Int($0.dropFirst(7)) } ?? 0
    }
}

/// Writes as many bytes, with as many files and syncs as a change of one podcast needs at least: the podcast's file,
/// replaced, and a line of the log, appended.
enum Floor {
    static func write(_ count: Int, in folder: String) throws {
        let bytes = [UInt8](repeating: 120, count: max(1, count - 500))
        try put("\(folder)/floor.new", bytes, O_WRONLY | O_CREAT | O_TRUNC)
        rename("\(folder)/floor.new", "\(folder)/floor")
        let directory = open(folder, O_RDONLY | O_DIRECTORY)
        fsync(directory)
        close(directory)
        try put("\(folder)/floor.log", [UInt8](repeating: 120, count: 500), O_WRONLY | O_CREAT | O_APPEND)
    }

    private static func put(_ path: String, _ bytes: [UInt8], _ flags: Int32) throws {
        let file = open(path, flags, 0o600)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else { exit(74) }
        close(file)
    }
}
