public import Domain
import Scheduling

/// Why a podcast was, or was not, fetched and updated.
public struct ExplainView: View {
    let podcast: Podcast
    let host: HostState?
    let now: Timestamp
    /// The episodes that were recognized although guid and URL had changed, counted by day and rule, latest first.
    private let recognized: [Recognized]

    /// - Parameter episodes: all of the podcast; empty to leave out how they were recognized.
    public init(_ podcast: Podcast, episodes: [Episode] = [], host: HostState?, now: Timestamp) {
        self.podcast = podcast
        self.host = host
        self.now = now
        let edits = episodes.flatMap(\.history).filter { $0.matchedBy != nil }
        recognized = Dictionary(grouping: edits) { Recognized(at: $0.at, match: $0.matchedBy ?? .title, episodes: 0) }
            .map { Recognized(at: $0.key.at, match: $0.key.match, episodes: $0.value.count) }
            .sorted { ($0.at, $1.match.rawValue) > ($1.at, $0.match.rawValue) }
    }

    private var hostPause: Timestamp? { host?.pausedUntil.flatMap { $0 > now ? $0 : nil } }

    public var podcastIDs: [PodcastID] { [podcast.id] }

    public func lines(for display: Display) -> [String] {
        let state = podcast.fetch
        var sheet = Sheet(podcast.displayTitle)
        sheet.add("id", display.shown(podcast.id))
        sheet.add("feed", podcast.feedURL)
        sheet.add("sign-in", podcast.credentials == nil ? nil : "user and password, sent to \(podcast.hostKey) only")
        sheet.add("health", Health(of: podcast, now: now).word)
        sheet.add("next fetch", nextWords(display))
        sheet.add("rule", ruleWords)
        sheet.add("your settings", podcast.settings.words)
        sheet.add("last fetch", state.lastAttemptAt.map(display.date) ?? "never")
        if state.lastSuccessAt != state.lastAttemptAt {
            sheet.add("last success", state.lastSuccessAt.map(display.date) ?? "never")
        }
        if let failure = state.failure {
            sheet.add("failure", failure.failure.words(of: podcast), style: .failed)
            sheet.add("failing", "\(counted(failure.count, "time")) in a row, since \(display.date(failure.since))")
        }
        sheet.add("publishes", rhythmWords)
        sheet.add("usually", hoursWords)
        sheet.add("feed asks for", askedFor)
        sheet.add("ETag", state.validators?.etag)
        sheet.add("Last-Modified", state.validators?.lastModified)
        if state.validators == nil, state.lastSuccessAt != nil {
            sheet.add("validators", "none: the server sends the whole feed every time")
        }
        sheet.add(
            "false 304s",
            state.liesAboutNotModified
                ? "the server answered 304 for a feed that had changed; its validators are no longer used" : nil,
            style: .attention)
        sheet.add("usual response", usualWords)
        sheet.add("unusual", unusualWords, style: .attention)
        sheet.add("304s in a row", state.notModifiedInARow > 1 ? String(state.notModifiedInARow) : nil)
        for move in state.moves {
            sheet.add("moved", "\(display.date(move.at)), \(move.reason.words), previously at \(move.from)")
        }
        for row in recognized {
            let words = "by \(row.match.words), though guid and URL had changed"
            sheet.add("recognized", "\(display.date(row.at)), \(counted(row.episodes, "episode")) \(words)")
        }
        var lines = sheet.lines(for: display)
        guard !state.answers.isEmpty else { return lines }
        var table = Table([.init("WHEN"), .init("STATUS"), .init("OUTCOME"), .init("TOOK", rightAligned: true)])
        table.rows = state.answers.map { answer in
            [
                .init(display.date(answer.at)), .init(answer.status.map(String.init)), .init(answer.outcome),
                .init("\(grouped(answer.milliseconds)) ms", pipe: String(answer.milliseconds)),
            ]
        }
        lines += ["", display.styled("Last responses", .bold)] + table.lines(for: display)
        return lines
    }

    private func nextWords(_ display: Display) -> String {
        if podcast.settings.isPaused { return "paused by you; 'jimmy edit \(display.shown(podcast.id)) --resume' ends the pause" }
        if podcast.fetch.isGone {
            return "never: the server answered 410, gone; 'jimmy refresh --force \(display.shown(podcast.id))' tries again"
        }
        if let until = [hostPause, podcast.fetch.retryAfter.flatMap { $0 > now ? $0 : nil }].compactMap({ $0 }).max() {
            return "\(display.date(until)) at the earliest: the server sent Retry-After"
        }
        guard let due = podcast.fetch.nextDueAt, due > now else { return "at the next refresh" }
        return display.date(due)
    }

    private var ruleWords: String? {
        switch podcast.fetch.dueRule {
        case nil: nil
        case .cadence: "how often it publishes"
        case .habit: "the days and hours at which its episodes come"
        case .nextEpisode: "when its next episode is expected"
        case .caching: "the server's Cache-Control or Expires"
        case .feedFloor: "the feed's own ttl or update period"
        case .skipped: "the hours or days the feed asks to be skipped"
        case .backoff: "the wait after a failure, longer each time"
        case .settings: "the interval you set for it"
        case .retryAfter: "the server's Retry-After"
        case .hub: "its hub announces changes"
        }
    }

    /// The usual days and hours of its episodes, and the next look at them.
    private var hoursWords: String? {
        let windows = podcast.usualWindows(now: now)
        guard !windows.isEmpty else {
            guard podcast.fetch.cadence.recent.count > 2 else { return nil }
            return podcast.fetch.dueRule == .habit
                ? "no fixed hour; fetched when an episode is likeliest" : "no fixed hour; fetched by how often it publishes"
        }
        let next = podcast.fetch.dueRule == .habit ? podcast.fetch.nextDueAt.flatMap { $0 > now ? $0 : nil } : nil
        let look = next.map { next in
            let day = next - now < 86_400 ? "" : "\(next.weekdayName) "
            return "next look \(day)\(PublishingHabit.Window.time(next.seconds % 86_400)) UTC"
        }
        return (windows.map(\.words) + [look].compactMap { $0 }).joined(separator: "; ")
    }

    private var rhythmWords: String? {
        guard let gap = podcast.fetch.cadence.gap else { return nil }
        return "about every " + (gap >= 172_800 ? counted(gap / 86_400, "day") : span(gap))
    }

    /// Milliseconds of the responses before the last one, sorted; empty if there are too few to tell what is usual.
    private var usualTimes: [Int] {
        let times = podcast.fetch.answers.dropFirst().map(\.milliseconds).sorted()
        return times.count < 3 ? [] : times
    }

    private var usualWords: String? {
        let times = usualTimes
        guard let first = times.first, let last = times.last else { return nil }
        return "\(grouped(times[times.count / 2])) ms (\(grouped(first)) to \(grouped(last)))"
    }

    /// Set if the last response took far longer than the others, and long enough to matter.
    private var unusualWords: String? {
        let times = usualTimes
        guard !times.isEmpty, let last = podcast.fetch.answers.first?.milliseconds, last >= 500,
            last > 3 * times[times.count / 2]
        else { return nil }
        return "the last response took \(grouped(last)) ms"
    }

    private var askedFor: String? {
        let cadence = podcast.fetch.cadence
        let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        var parts: [String] = []
        if cadence.floor > 0 { parts.append("\(span(cadence.floor)) between fetches") }
        if !cadence.skipHours.isEmpty {
            parts.append("no fetches at " + cadence.skipHours.map { "\($0):00" }.joined(separator: ", ") + " UTC")
        }
        let skipped = cadence.skipDays.filter(days.indices.contains).map { days[$0] }
        if !skipped.isEmpty { parts.append("no fetches on " + skipped.joined(separator: ", ")) }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    public func jsonLines(_ emit: (String) -> Void) { emit(jsonLine(Row(view: self))) }

    private struct Row: Fields {
        let view: ExplainView

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            let state = view.podcast.fetch
            PodcastFields(view.podcast).visit(&visitor)
            visitor.text("health", Health(of: view.podcast, now: view.now).rawValue)
            visitor.text("rule", state.dueRule?.rawValue)
            visitor.time("retryAfter", state.retryAfter)
            visitor.time("hostPausedUntil", view.hostPause)
            visitor.integer("failuresInARow", state.failure?.count)
            visitor.text("etag", state.validators?.etag)
            visitor.text("lastModified", state.validators?.lastModified)
            visitor.flag("liesAboutNotModified", state.liesAboutNotModified ? true : nil)
            visitor.integer("notModifiedInARow", state.notModifiedInARow)
            visitor.number("publishesEverySeconds", state.cadence.gap.map(Double.init))
            let windows = view.podcast.usualWindows(now: view.now)
            visitor.object("window", windows.first.map(WindowFields.init))
            visitor.objects("windows", windows.map(WindowFields.init))
            visitor.time("expectedAt", ExpectedEpisode(of: view.podcast, now: view.now)?.at)
            visitor.integer("usualMilliseconds", view.usualTimes.isEmpty ? nil : view.usualTimes[view.usualTimes.count / 2])
            visitor.flag("unusuallySlow", view.unusualWords == nil ? nil : true)
            visitor.objects("moves", state.moves.map(Move.init))
            visitor.objects("recognized", view.recognized)
            visitor.objects("answers", state.answers.map(Answer.init))
        }
    }

    private struct Recognized: Fields, Hashable {
        let at: Timestamp
        let match: EpisodeMatch
        let episodes: Int

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.time("at", at)
            visitor.text("by", match.rawValue)
            visitor.integer("episodes", episodes)
        }
    }

    private struct Move: Fields {
        let move: FeedMove

        init(_ move: FeedMove) { self.move = move }

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.time("at", move.at)
            visitor.text("from", move.from)
            visitor.text("reason", move.reason.rawValue)
        }
    }

    private struct Answer: Fields {
        let answer: FetchAnswer

        init(_ answer: FetchAnswer) { self.answer = answer }

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.time("at", answer.at)
            visitor.integer("status", answer.status)
            visitor.text("outcome", answer.outcome)
            visitor.integer("milliseconds", answer.milliseconds)
        }
    }
}

extension FeedMove.Reason {
    var words: String {
        switch self {
        case .permanentRedirect: "permanently redirected"
        case .newFeedURL: "moved by the feed's itunes:new-feed-url"
        case .edited: "changed by you"
        }
    }
}
