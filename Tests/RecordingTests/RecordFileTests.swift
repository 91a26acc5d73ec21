import Domain
import Glibc
import Testing

@testable import Recording

/// A recording is read back up to the point where it was cut off, and damage is found.
@Suite struct RecordFileTests {
    /// A file of its own, removed at the end.
    private final class File {
        let path: String

        init() throws {
            var template = Array("/tmp/jimmy-recording-XXXXXX".utf8CString)
            let descriptor = mkstemp(&template)
            try #require(descriptor >= 0)
            close(descriptor)
            path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        deinit { unlink(path) }

        var bytes: [UInt8] {
            get throws {
                let file = try #require(fopen(path, "r"))
                defer { fclose(file) }
                var bytes = [UInt8](repeating: 0, count: 1 << 22)
                return Array(bytes[..<fread(&bytes, 1, bytes.count, file)])
            }
        }

        func replace(with bytes: some Collection<UInt8>) throws {
            let file = try #require(fopen(path, "w"))
            defer { fclose(file) }
            fwrite(Array(bytes), 1, bytes.count, file)
        }
    }

    private let start = RunStart(
        now: Timestamp(seconds: 1_800_000_000), startedAt: Timestamp(seconds: 1_800_000_001), options: RefreshOptions())

    private func write(_ records: [(Record, [UInt8])], to file: File) throws {
        var writer = try RecordWriter(file.path)
        writer.append(Record.began(RecordedRun(start: start)).head(at: 0))
        for (record, bytes) in records { writer.append(record.head(at: 1), bytes) }
        writer.finish()
        #expect(writer.failure == nil)
    }

    /// Bytes that no compressor makes smaller.
    private func noise(_ count: Int, seed: UInt64) -> [UInt8] {
        var state = seed
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
    }

    @Test func `every record comes back`() throws {
        let file = try File()
        let podcasts = ["a1", "b2"].map { PodcastID(text: $0) }
        let times = RefreshTimes(startedAt: start.startedAt, endedAt: start.startedAt + 9)
        let end = RunEnd(
            reachedAnyone: true, times: times,
            hosts: ["http://a": HostState(pausedUntil: start.now + 60, allowance: 0.1 + 0.2, measuredAt: start.now)])
        try write(
            [
                (.turn(fetch: 1, subject: "a1", url: "http://a/", .granted), []),
                (.head(fetch: 1), Array("HTTP/1.1 200 OK\r\n\r\n".utf8)),
                (.body(fetch: 1, .sent), noise(300_000, seed: 1)),
                (.ended(fetch: 1, Record.Exchange(nanoseconds: 5_000_000)), []),
                (.turn(fetch: 2, subject: "b2", url: "http://b/", .refused(.paused(until: start.now + 5))), []),
                (.reply(RunReply(podcasts: podcasts, kind: .asked, askedAt: start.now, repliedAt: start.now + 1)), []),
                (.committing(RunBatch(podcasts: podcasts, reachedAnyone: true)), []),
                (.committed, []), (.done(end), []),
            ], to: file)
        let summary = try Recording(file.path).summary
        #expect(summary.damage == nil)
        #expect(summary.run.start.startedAt == start.startedAt)
        #expect(summary.fetches.map(\.subject) == ["a1", "b2"])
        #expect(summary.fetches[0].hops[0].status == 200)
        #expect(summary.fetches[0].hops[0].bytes == 300_000)
        #expect((summary.fetches[1].hops[0].failure as? HostPaused)?.until == start.now + 5)
        #expect(summary.batches.map(\.podcasts) == [podcasts])
        #expect(summary.end?.hosts == end.hosts)
        #expect(summary.end?.times == times)
    }

    @Test func `a cut-off file is read up to the cut`() throws {
        let file = try File()
        try write(
            (0..<40).map { number in
                (.body(fetch: UInt64(number), .sent), noise(20_000, seed: UInt64(number)))
            }, to: file)
        let whole = try file.bytes
        var last = -1
        for share in 1...20 {
            try file.replace(with: whole.prefix(whole.count * share / 20))
            var reader = try RecordReader(file.path)
            var count = 0
            while try reader.next() != nil { count += 1 }
            #expect(count >= last)
            last = count
        }
        #expect(last == 41)
    }

    @Test func `damage is found`() throws {
        let file = try File()
        try write((0..<30).map { (.body(fetch: $0, .sent), noise(10_000, seed: $0)) }, to: file)
        var bytes = try file.bytes
        bytes[bytes.count / 2] ^= 1
        try file.replace(with: bytes)
        guard case .damaged(let record) = try Recording(file.path).summary.damage else {
            Issue.record("damage was not found")
            return
        }
        #expect(record > 1)
    }

    @Test(arguments: ["", "not a recording", "{\"record\":\"began\"}"]) func `other files are refused`(_ text: String) throws {
        let file = try File()
        try file.replace(with: text.utf8)
        #expect(throws: RecordingFailure.notARecording) { try Recording(file.path) }
    }

    @Test func `later formats are refused`() throws {
        let file = try File()
        var run = RecordedRun(start: start)
        run.version = 2
        var writer = try RecordWriter(file.path)
        writer.append(Record.began(run).head(at: 0))
        writer.finish()
        #expect(throws: RecordingFailure.newerVersion(2)) { try Recording(file.path) }
    }
}
