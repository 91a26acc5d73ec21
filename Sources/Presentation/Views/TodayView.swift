public import Domain

/// What `jimmy` shows without a command: new episodes, podcasts in trouble, and what to do next.
public struct TodayView: View {
    let today: Today
    let now: Timestamp

    public init(_ today: Today, now: Timestamp) {
        self.today = today
        self.now = now
    }

    /// More are listed by `jimmy episodes --new`.
    private static let shown = 10

    public func lines(for display: Display) -> [String] {
        let status = today.status
        guard !status.podcasts.isEmpty else {
            return [
                "No subscriptions yet.", "", "  jimmy discover WORDS      finds podcasts",
                "  jimmy subscribe URL       subscribes to a feed, or to the feed of a web page",
                "  jimmy opml import FILE    imports subscriptions from another program",
                "  jimmy --help              lists all commands",
            ]
        }
        var lines = [refreshWords(display), ""]
        if today.new.isEmpty {
            lines.append("No new episodes.")
        } else {
            let title = "\(counted(today.new.count, "new episode"))"
            lines.append(display.styled(title, .new))
            lines += EpisodeListView(Array(today.new.prefix(Self.shown))).lines(for: display)
            let rest = today.new.count - Self.shown
            if rest > 0 { lines.append("… and \(grouped(rest)) more: jimmy episodes --new") }
        }
        let ailing = status.podcasts.filter { $0.health.needsAttention }
        if !ailing.isEmpty {
            lines += ["", display.styled(counted(ailing.count, "podcast") + " in trouble: jimmy status", .failed)]
            for (podcast, health) in ailing.prefix(5) {
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
        let count = "\(counted(status.podcasts.count, "podcast")), \(counted(status.episodes, "episode"))"
        guard let last = status.ledger.lastRefreshAt else { return "\(count); never refreshed: jimmy refresh" }
        let words = "\(count); refreshed \(display.isTerminal ? last.relative(to: now) : last.description)"
        guard let due = status.nextDueAt, due <= now else { return words + "." }
        return words + "; some are due: jimmy refresh"
    }

    public func jsonLines(_ emit: (String) -> Void) { emit(jsonLine(Row(today: today))) }

    private struct Row: Fields {
        let today: Today

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.integer("podcasts", today.status.podcasts.count)
            visitor.integer("episodes", today.status.episodes)
            visitor.integer("queued", today.status.queued)
            visitor.integer("needingAttention", today.status.needingAttention)
            visitor.time("lastRefreshAt", today.status.ledger.lastRefreshAt)
            visitor.time("nextDueAt", today.status.nextDueAt)
            visitor.objects("new", today.new.map(EpisodeRow.init))
        }
    }
}
