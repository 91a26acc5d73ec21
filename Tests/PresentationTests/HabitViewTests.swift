import Domain
import Presentation
import Scheduling
import Testing

/// What is said of the days and hours at which episodes come.
@Suite struct HabitViewTests {
    /// Tuesday, 2024-01-02 05:00 UTC.
    private static let tuesday = Timestamp(seconds: 1_704_171_600)
    private static let day: Int64 = 86_400

    /// A podcast whose 52 episodes came so many days apart, the newest at `newest`, asked three days later.
    private func podcast(_ id: String, every days: Int64, newest: Timestamp = tuesday) -> Podcast {
        var podcast = Podcast(id: PodcastID(text: id), feedURL: "http://\(id).example/feed", subscribedAt: newest)
        podcast.title = id
        podcast.fetch.cadence = Cadence(dates: (0..<52).map { newest - $0 * days * Self.day })
        Schedule.recordAnswer(
            &podcast, status: 304, feed: nil, headers: ResponseHeaders(), outcome: "unchanged", milliseconds: 1,
            now: newest + 3 * Self.day)
        return podcast
    }

    /// Episodes at any hour of the week.
    private func irregular(_ id: String) -> Podcast {
        var podcast = podcast(id, every: 7)
        podcast.fetch.cadence = Cadence(dates: (0..<20).map { Self.tuesday - $0 * (6 * Self.day + 18_000) })
        return podcast
    }

    private let display = Display(isTerminal: false, now: tuesday + 3 * day)
    private var now: Timestamp { display.now }

    private func json(_ view: some View) -> String {
        var text = ""
        view.jsonLines { text += $0 + "\n" }
        return text
    }

    @Test func `explain names the days, the hours and the next look`() {
        let text = ExplainView(podcast("weekly", every: 7), host: nil, now: now).lines(for: display).joined(separator: "\n")
        #expect(text.contains("Tuesdays 05:00 UTC, 52 of the last 52 episodes; next look "), "\(text)")
        #expect(text.contains("the days and hours at which its episodes come"))
        let other = ExplainView(irregular("irregular"), host: nil, now: now).lines(for: display).joined(separator: "\n")
        #expect(other.contains("no fixed hour"), "\(other)")
    }

    @Test func `show has the windows and the next episode`() {
        let view = PodcastView(podcast("weekly", every: 7), Channel(), now: now)
        #expect(
            json(view).contains(
                #""expectedAt":"2024-01-09T05:00:00Z","windows":[{"weekdays":[2],"earliest":"05:00","latest":"05:00","hits":52,"episodes":52}]"#
            ), "\(json(view))")
        let text = view.lines(for: display).joined(separator: "\n")
        #expect(text.contains("2024-01-09T05:00:00Z"), "\(text)")
        let terminal = view.lines(for: Display(isTerminal: true, width: 100, now: now)).joined(separator: "\n")
        #expect(terminal.contains("Tuesday"), "\(terminal)")
    }

    @Test func `what is expected is listed soonest first, and what is late is marked`() {
        var paused = podcast("paused", every: 7)
        paused.settings.isPaused = true
        // Expected two hours before.
        let late = podcast("late", every: 7, newest: now - 7 * Self.day - 7_200)
        let view = UpcomingView(
            [podcast("weekly", every: 7), podcast("daily", every: 1, newest: now - 3_600), paused, late, irregular("irregular")],
            now: now)
        let rows = view.lines(for: display).map { $0.split(separator: "\t").map(String.init) }
        #expect(rows.map { $0[1] }.filter { $0 != "irregular" } == ["late", "daily", "weekly"])
        #expect(rows.map { $0[0] } == rows.map { $0[0] }.sorted())
        #expect(!rows.contains { $0[1] == "paused" })
        #expect(rows.first { $0[1] == "weekly" }?[0] == "2024-01-09T05:00:00Z")
        #expect(json(view).split(separator: "\n").count == rows.count)
        #expect(UpcomingView([paused], now: now).isEmpty)
    }

    @Test func `an episode is expected at the next usual hour, and a gap after the newest without one`() {
        let weekly = podcast("weekly", every: 7)
        let expected = ExpectedEpisode(of: weekly, now: now)
        #expect(expected == ExpectedEpisode(of: weekly, now: now + Self.day))
        #expect(expected?.at == Self.tuesday + 7 * Self.day && expected?.hasHour == true && expected?.isLate == false)
        // Half an hour late.
        let late = ExpectedEpisode(of: weekly, now: Self.tuesday + 7 * Self.day + 1_800)
        #expect(late?.at == expected?.at && late?.isLate == true)
        var few = weekly
        few.fetch.cadence = Cadence(dates: Array(weekly.fetch.cadence.recent.prefix(4)))
        #expect(ExpectedEpisode(of: few, now: now)?.hasHour == false)
        #expect(ExpectedEpisode(of: few, now: now + 90 * Self.day) == nil)
    }
}
