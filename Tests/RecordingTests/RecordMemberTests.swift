import Domain
import JSON
import Testing

@testable import Recording

/// The line of a record is read as it was written.
@Suite struct RecordMemberTests {
    @Test func `every member of every kind of record comes back`() throws {
        let now = Timestamp(seconds: 1_800_000_000)
        let (podcasts, failure) = ([PodcastID(text: "a1"), PodcastID(text: "b2")], FetchFailure(.http, status: 503))
        let hosts = ["a": HostState(pausedUntil: now, allowance: 0.1 + 0.2, measuredAt: now), "b": HostState(pausedUntil: nil)]
        var run = RecordedRun(start: RunStart(now: now, startedAt: now + 1, options: RefreshOptions()))
        (run.program, run.library, run.bodies) = ("1.2", "d", .all)
        run.start.options.mode = .force
        run.start.options.podcasts = Set(podcasts)
        run.start.options.limits.timeout = 7.5
        (run.start.options.limits.maxBodySize, run.start.options.limits.maxRedirects) = (8, 0)
        run.start.options.newOnSubscribe = 3
        (run.start.options.hasHook, run.start.options.transcripts, run.start.options.chapters) = (true, true, true)
        var wire = WireTimes()
        (wire.lookUp, wire.connect, wire.tls, wire.firstByte, wire.total) = (1, 2, 3, 4, 5)
        var times = RefreshTimes(startedAt: now, endedAt: now + 9)
        times.counters.refreshes = 1
        times.counters.fetches = [.updated: 2, .failed: 1]
        times.counters.stages[.parse] = 77
        let file = DownloadedFile(path: "/a", bytes: 12, modifiedAt: now)
        let episode = EpisodeID(podcast: podcasts[0], identity: "x")
        var dropped = DownloadEntry(episode)
        (dropped.failures, dropped.retryAt, dropped.isDropped) = (2, now, true)
        var downloaded = DownloadEntry(episode)
        downloaded.file = file
        func reply(_ kind: RunReply.Kind) -> Record {
            .reply(RunReply(podcasts: podcasts, kind: kind, askedAt: now, repliedAt: now + 1))
        }
        let system = RecordedFailure.system(.missingLibrary(name: "libcurl.so.4", errno: 2))
        let records: [Record] = [
            .began(run), .turn(fetch: 1, subject: "a1", url: "http://a/", .granted),
            .turn(fetch: 1, subject: "a1", url: "http://a/", .shared),
            .turn(fetch: 1, subject: "a1", url: "http://a/", .refused(.paused(until: now))),
            .turn(fetch: 1, subject: "a1", url: "http://a/", .refused(.fetch(failure))),
            .turn(fetch: 1, subject: "a1", url: "http://a/", .refused(system)), .request(fetch: 1, headers: ["A: b", "C: d"]),
            .head(fetch: 1), .body(fetch: 1, .sent), .body(fetch: 1, .decoded), .body(fetch: 1, .page),
            .read(fetch: 1, .success(WireBody(hash: .max, size: 0, isSame: true))), .read(fetch: 1, .failure(failure)),
            .ended(fetch: 1, Record.Exchange(nanoseconds: 5, failure: .fetch(failure), isRefused: true, times: wire)),
            .secret(mark: "m", sealed: [0, 255]), .shared(fetch: 2, owner: 1), reply(.asked), reply(.dropped),
            reply(.paused(until: now)), reply(.unreachable(failure)),
            .committing(RunBatch(podcasts: podcasts, reachedAnyone: true)), .committed, .hooked,
            .finishing(reachedAnyone: true), .done(RunEnd(reachedAnyone: true, times: times, hosts: hosts)),
            .step(.planned(.chapters, at: now)),
            .step(
                .texts(
                    [
                        TextReply(episode: episode, kind: .asked, repliedAt: now),
                        TextReply(episode: episode, kind: .unreachable(failure), repliedAt: now),
                    ], reachedAnyone: true)),
            .step(.textsEnded(reachedAnyone: true, hosts: hosts)),
            .step(.archive(podcasts[0], maxPages: 4, isForced: true)), .step(.page(at: now)),
            .step(.archiveEnded(hosts: hosts)), .step(.downloads([dropped, downloaded])), .step(.downloadsEnded(hosts: hosts)),
        ]
        for record in records {
            let line = record.head(at: 3)
            let read = try #require(try Record.read(line.bytes[...]), "\(line.text)")
            #expect(read.at == 3)
            #expect(read.record.head(at: 3).text == line.text)
        }
    }

    @Test func `a record of a later version is ignored`() throws {
        #expect(try Record.read(Array(#"{"record":"later","at":3,"fetch":{"a":[1]}}"#.utf8)[...]) == nil)
    }
}
