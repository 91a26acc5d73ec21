import Domain
import Glibc
import Presentation
import Testing

/// Every error is one line that says what failed, why, and what to do where something can be done.
@Suite struct FailureWordingTests {
    private func check(
        _ error: any Error, _ line: String, _ status: Presentation.ExitStatus, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let failure = FailureLine(error, doing: "refresh")
        #expect(failure.lines.first == line, sourceLocation: sourceLocation)
        #expect(failure.status == status, sourceLocation: sourceLocation)
    }

    @Test func `troubles of the library`() {
        check(
            LibraryFailure.damaged(file: "podcasts.json", line: 3, reason: "the checksum does not match"),
            "jimmy: podcasts.json, line 3: the checksum does not match; 'jimmy verify --repair' restores what it can", .badData)
        check(
            LibraryFailure.newerVersion(file: "queue.json", version: 9),
            "jimmy: queue.json: written by a newer jimmy (format 9); update jimmy; nothing was changed", .badData)
        check(
            LibraryFailure.olderVersion(file: "library.json", version: 1),
            "jimmy: library.json: made by an earlier version of jimmy (format 1);"
                + " export its subscriptions with that version; nothing was changed", .badData)
        check(
            LibraryFailure.io(file: "podcasts.json", operation: "write", errno: EIO),
            "jimmy: podcasts.json: write: input/output error", .diskFailed)
        // Which file did not fit does not matter, but which of several feeds was not stored does.
        check(
            SubscribeFailure.local(.storage(.io(file: "new/0", operation: "write", errno: ENOSPC))),
            "jimmy: refresh: no space is left on the disk", .diskFailed)
        for number in [EACCES, EPERM, EROFS] {
            let failure = LibraryFailure.io(file: "x", operation: "open", errno: number)
            #expect(FailureLine(failure, doing: "refresh").status == .noPermission)
        }
        check(
            LibraryFailure.locked(holder: 42),
            "jimmy: refresh: another jimmy (process 42) is writing this library; try again when it has finished", .locked)
    }

    @Test func `troubles of the network`() {
        check(FetchFailure(.dns), "jimmy: refresh: the server's name could not be found", .unavailable)
        check(FetchFailure(.http, status: 404), "jimmy: refresh: HTTP 404, not found", .unavailable)
        check(
            FetchFailure(.notAFeed, detail: .notAFeed(.html)), "jimmy: refresh: not a feed: a web page", .badData)
        check(
            FetchFailure(.tooLarge, detail: .largerThan(bytes: 64 << 20)),
            "jimmy: refresh: the feed is larger than allowed (more than 64 MiB)", .unavailable)
    }

    @Test func `details are stored as facts and worded for people`() {
        let details: [(FetchFailure.Detail, String)] = [
            (.foreignFeed, "foreignFeed"), (.redirectLoop, "redirectLoop"), (.tooManyRedirects(limit: 10), "tooManyRedirects:10"),
            (.largerThan(bytes: 9), "largerThan:9"), (.cutOffEncoding("gzip"), "cutOffEncoding:gzip"),
            (.unreadableFile(errno: ENOENT), "unreadableFile:2"), (.notAFeed(.html), "html"),
            (.notAFeed(.unknownRoot("svg")), "root:svg"), (.reported("busy: really"), "busy: really"),
        ]
        for (detail, fact) in details {
            #expect(detail.fact == fact)
            #expect(FetchFailure.Detail(fact: fact) == detail)
        }
        check(
            FetchFailure(.redirect, status: 301, detail: .foreignFeed),
            "jimmy: refresh: the redirect was refused (it leads to another podcast's feed)", .unavailable)
    }

    @Test func `troubles of the system`() {
        check(
            SystemFailure.missingLibrary(name: "libcurl.so.4", errno: 0),
            "jimmy: libcurl.so.4: cannot be loaded: not installed, or too old; jimmy fetches with it", .diskFailed)
        check(
            LocalFailure.system(.call("socket", errno: EMFILE)), "jimmy: refresh: socket: too many open files", .diskFailed)
    }

    @Test func `names that are unknown or mean several`() {
        check(
            LookupFailure.noSuchPodcast("nacht\u{1B}[2J"),
            "jimmy: nacht[2J: no such podcast; 'jimmy podcasts' lists yours", .notFound)
        let podcasts = ["http://a/", "http://b/"].map {
            Podcast(id: PodcastID(feedURL: $0), feedURL: $0, subscribedAt: .init(seconds: 0))
        }
        let failure = FailureLine(LookupFailure.ambiguousPodcast("x", candidates: podcasts), doing: "show")
        #expect(failure.status == .usage)
        #expect(
            failure.lines == [
                "jimmy: x: 2 podcasts match; use the id of one", "  \(podcasts[0].id)  http://a/",
                "  \(podcasts[1].id)  http://b/",
            ])
    }
}
