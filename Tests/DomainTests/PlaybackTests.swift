import Domain
import Testing

@testable import UseCases

struct PlaybackTests {
    private func outcome(_ status: Int32 = 0, atEnd: Bool = false, followed: Bool = true) -> PlayerOutcome {
        var outcome = PlayerOutcome(.ended(status))
        (outcome.isAtEnd, outcome.isFollowed) = (atEnd, followed)
        return outcome
    }

    /// A playing whose player was last at that second.
    private func playback(at seconds: Double, of duration: Double?) -> Playback {
        var playback = Playback(from: 0)
        playback.note(PlayerReport(seconds: seconds, duration: duration, speed: 1), at: 1)
        return playback
    }

    @Test(arguments: [
        (2_000.0, 2_700.0, Playback.Ending.stopped), (2_669, 2_700, .stopped), (2_670, 2_700, .played), (2_700, 2_700, .played),
        // A twentieth of 100 seconds is less than 30 seconds.
        (94, 100, .stopped), (95, 100, .played), (0, 100, .stopped),
    ])
    func `quitting near the end is hearing to the end`(seconds: Double, duration: Double, ending: Playback.Ending) {
        #expect(playback(at: seconds, of: duration).ending(outcome(), playedWithin: 30) == ending)
    }

    @Test func `a stream that breaks off is not the end`() {
        #expect(playback(at: 760, of: 2_700).ending(outcome(atEnd: true), playedWithin: 30) == .stopped)
        #expect(playback(at: 2_600, of: 2_700).ending(outcome(atEnd: true), playedWithin: 30) == .played)
        #expect(playback(at: 760, of: nil).ending(outcome(atEnd: true), playedWithin: 30) == .played)
        #expect(Playback(from: 0).ending(outcome(atEnd: true), playedWithin: 30) == .played)
    }

    @Test func `a player that fails changes nothing`() {
        #expect(Playback(from: 0).ending(outcome(2), playedWithin: 30) == .failed)
        #expect(Playback(from: 0).ending(outcome(), playedWithin: 30) == .failed)
        #expect(Playback(from: 0).ending(PlayerOutcome(.notStarted(errno: 2)), playedWithin: 30) == .failed)
        #expect(playback(at: 95, of: 100).ending(outcome(4, followed: false), playedWithin: 30) == .failed)
    }

    @Test func `a player that is killed keeps its place`() {
        #expect(playback(at: 50, of: 100).ending(outcome(137), playedWithin: 30) == .stopped)
        #expect(playback(at: 50, of: 100).ending(outcome(137, followed: false), playedWithin: 30) == .stopped)
        #expect(playback(at: 50, of: 100).ending(outcome(2), playedWithin: 30) == .stopped)
    }

    @Test func `what was skipped was not heard`() {
        var playback = Playback(from: 100, duration: 1_000)
        for (second, time) in [(100.0, 0.0), (101, 1), (103, 2), (700, 3), (701, 4), (20, 5), (21.5, 6)] {
            playback.note(PlayerReport(seconds: second, duration: nil, speed: 2), at: time)
        }
        #expect(playback.heard == 1 + 2 + 1 + 1.5)
        #expect(playback.seconds == 21.5)
        #expect(playback.duration == 1_000)
    }

    @Test(arguments: [
        ("90", 90.0), ("12:30", 750), ("1:02:03", 3_723), ("0:00", 0), ("30s", 30), ("1m30s", 90), ("2h", 7_200), ("1H5M", 3_900),
        ("1:02.5", 62.5), ("0", 0),
    ])
    func `times are read as people type them`(text: String, seconds: Double) { #expect(PlayTime.parse(text) == seconds) }

    @Test(arguments: [
        "", "s", ":", "1:", ":1", "1:60", "1:2:3:4", "-1", "1m1h", "1d", "5s5", "1e9", "inf", "nan", "999999999999", "1.5:00",
        "١",
    ])
    func `no other text is a time`(text: String) { #expect(PlayTime.parse(text) == nil) }

    @Test func `times of listening are added up until a pause`() throws {
        let id = try #require(EpisodeID(text: "0123456789abc-0123456789abc"))
        func position(_ seconds: Double, _ at: Int64) -> PlayPosition {
            PlayPosition(episodeID: id, seconds: seconds, at: Timestamp(seconds: at))
        }
        var stored = position(5, 1_005).following(nil, heard: 5)
        stored = position(15, 1_015).following(stored, heard: nil)
        #expect(stored.heard == [HeardSpan(at: Timestamp(seconds: 1_000), seconds: 15)])
        // A jump was not heard.
        stored = position(900, 1_020).following(stored, heard: nil)
        stored = position(910, 9_010).following(stored, heard: nil)
        #expect(
            stored.heard == [
                HeardSpan(at: Timestamp(seconds: 1_000), seconds: 15), HeardSpan(at: Timestamp(seconds: 9_000), seconds: 10),
            ])
        for hour in 1...200 { stored = position(910, 9_010 + Int64(hour) * 3_600).following(stored, heard: 1) }
        #expect(stored.heard.count == 100)
        #expect(stored.heard.reduce(0) { $0 + $1.seconds } == 225)
    }
}
