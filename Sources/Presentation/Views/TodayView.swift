public import Domain
public import Results
import Scheduling

/// The output of `jimmy` without a command: new episodes, podcasts in trouble, and what to do next.
public struct TodayView: View {
    let today: Today
    let now: Timestamp

    public init(_ today: Today, now: Timestamp) {
        self.today = today
        self.now = now
    }

    /// The most new episodes shown as text; `jimmy episodes --new` lists all.
    public static let maxShown = 10

    public var episodeIDs: [EpisodeID] { today.new.prefix(Self.maxShown).map(\.episode.id) }

    public func lines(for display: Display) -> [String] { allLines(display).flatMap(display.fitted) }

    private func allLines(_ display: Display) -> [String] {
        let status = today.status
        guard status.overview.podcasts > 0 else {
            return [
                "No subscriptions yet.", "", "  jimmy discover WORDS      finds podcasts",
                "  jimmy subscribe URL       subscribes to a feed, or to the feed of a web page",
                "  jimmy import FILE         moves here from another program",
                "  jimmy --help              lists all commands",
            ]
        }
        var lines = [refreshWords(display), ""]
        if today.new.isEmpty {
            lines.append("No new episodes.")
        } else {
            lines.append(display.styled(counted(today.newCount, "new episode"), .new))
            lines += EpisodeListView(Array(today.new.prefix(Self.maxShown))).lines(for: display)
            let remaining = today.newCount - Self.maxShown
            if remaining > 0 { lines.append("and \(grouped(remaining)) more: jimmy episodes --new") }
        }
        let troubled = status.overview.needingAttentionCount
        if troubled > 0 {
            lines += ["", display.styled(counted(troubled, "podcast") + " in trouble: jimmy status", .failed)]
            for podcast in today.needingAttention {
                let health = Health(of: podcast, now: now)
                let why = health.why(podcast, now: display.isTerminal ? now : nil) ?? health.word
                lines.append(
                    "  \(podcast.displayTitle.oneLine): \(why.oneLine)".truncated(to: display.isTerminal ? display.width : .max))
            }
        }
        if status.queued > 0 { lines += ["", "\(counted(status.queued, "episode")) in the queue: jimmy queue"] }
        return lines
    }

    private func refreshWords(_ display: Display) -> String {
        let status = today.status
        let count = "\(counted(status.overview.podcasts, "podcast")), \(counted(status.overview.episodes, "episode"))"
        guard let last = status.lastRefresh.startedAt else { return "\(count); not refreshed automatically yet: jimmy help cron" }
        let words = "\(count); refreshed \(display.isTerminal ? last.relative(to: now) : last.description)"
        guard let due = status.overview.nextDueAt, due <= now else { return words + "." }
        return words + "; some are due: jimmy refresh"
    }

    public func jsonLines(_ emit: (String) -> Void) { emit(jsonLine(Row(today: today))) }

    private struct Row: Fields {
        let today: Today

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.integer("podcasts", today.status.overview.podcasts)
            visitor.integer("episodes", today.status.overview.episodes)
            visitor.integer("queued", today.status.queued)
            visitor.integer("needingAttention", today.status.overview.needingAttentionCount)
            visitor.time("lastRefreshAt", today.status.lastRefresh.startedAt)
            visitor.time("nextDueAt", today.status.overview.nextDueAt)
            visitor.objects("new", today.new.map(EpisodeRow.init))
        }
    }
}
