import Presentation
import Results
import Testing

@testable import Domain

/// What a refresh says while it runs and at its end, and what `explain` makes of its times.
@Suite struct RefreshViewTests {
    private let start = Timestamp(seconds: 1_800_000_000)

    private func podcast(_ number: Int) -> Podcast {
        Podcast(id: PodcastID(text: "p\(number)"), feedURL: "http://host\(number).example/feed", subscribedAt: start)
    }

    @Test func `the progress line has what is done, the rate, the time left, and what is waited for`() {
        var progress = RefreshProgress(startedAt: start)
        progress.follow(.planned(100))
        for number in 0..<24 { progress.follow(.started(podcast(number))) }
        for number in 0..<20 {
            var outcome = RefreshOutcome(number < 2 ? .failed : .updated, podcast: podcast(number))
            if number == 19 { outcome.failure = FetchFailure(.timeout) }
            progress.follow(.finished(outcome))
        }
        #expect(
            progress.line(width: 200, now: start + 10)
                == "[####----------------] 20/100 2 failed 2/s about 40 s left "
                + "waiting for host20.example, host21.example, host22.example")
        #expect(progress.line(width: 40, now: start + 10).count < 40)
        progress.follow(.transcripts(.chapters, done: 3, total: 7))
        #expect(progress.line(width: 80, now: start + 11) == "Chapters: 3 of 7")
    }

    @Test func `the summary says where the time went, and names the slowest ten`() {
        var summary = RefreshSummary()
        for number in 0..<15 {
            var outcome = RefreshOutcome(.unchanged, podcast: podcast(number))
            outcome.podcast.title = "Show \(number)."
            outcome.milliseconds = 100 * (number + 1)
            summary.add(.finished(outcome))
        }
        summary.milliseconds = 9_000
        let times: [RunStage: Int] = [.wait: 4, .connect: 1, .firstByte: 2, .parse: 3, .compare: 5, .commit: 6, .index: 7]
        for (stage, seconds) in times { summary.time[stage] = seconds * 1_000_000_000 }
        summary.processor.parsing = 5_200_000_000
        summary.processor.indexing = 4_000_000_000
        let view = RefreshSummaryView(summary)
        let text = view.lines(for: Display(isTerminal: true, width: 1_000, now: start)).joined(separator: "\n")
        #expect(
            text.contains(
                "servers 3.0 s, waiting for hosts 4.0 s, parsing 3.0 s, comparing 5.0 s, disk 6.0 s, index 7.0 s"), "\(text)")
        #expect(text.contains("Processor: parsing and comparing 5.2 s, index 4.0 s, disk 0.0 s, fetching 0.0 s."), "\(text)")
        #expect(text.contains("Slowest: Show 14. 1.5 s, Show 13. 1.4 s"))
        #expect(text.contains("Show 5. 0.6 s.") && !text.contains("Show 4."))
        var json = ""
        view.jsonLines { json += $0 }
        #expect(json.contains(#""time":{"wait":4000,"connect":1000,"firstByte":2000,"parse":3000,"#), "\(json)")
        #expect(json.contains(#""processor":{"fetching":0,"parsing":5200,"storing":0,"indexing":4000}"#), "\(json)")
        #expect(json.split(separator: "\"title\"").count == 11)
    }

    @Test func `explain knows what is usual, and says what is not`() {
        func view(_ milliseconds: [Int]) -> ExplainView {
            var podcast = podcast(1)
            podcast.fetch.answers = milliseconds.enumerated().map { place, time in
                FetchAnswer(at: start - Int64(place) * 3_600, status: 200, outcome: "updated", milliseconds: time)
            }
            return ExplainView(podcast, host: nil, now: start)
        }
        func text(_ milliseconds: [Int]) -> String {
            view(milliseconds).lines(for: Display(isTerminal: true, width: 200, now: start)).joined(separator: "\n")
        }
        let slow = text([2_400, 100, 130, 90, 110])
        #expect(slow.contains("110 ms (90 to 130)"), "\(slow)")
        #expect(slow.contains("the last response took 2,400 ms"))
        #expect(!text([120, 100, 130, 90, 110]).contains("the last response took"))
        // Too few to tell.
        #expect(!text([2_400, 100]).contains("the last response took"))
        var json = ""
        view([2_400, 100, 130, 90, 110]).jsonLines { json += $0 }
        #expect(json.contains(#""usualMilliseconds":110,"unusuallySlow":true"#), "\(json)")
    }
}
