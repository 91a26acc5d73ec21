import Addresses
public import Domain
public import Results

/// The state of the library: counts, times, and every podcast that needs attention, with the command that helps.
public struct StatusView: View {
    let status: LibraryStatus
    let now: Timestamp

    public init(_ status: LibraryStatus, now: Timestamp) {
        self.status = status
        self.now = now
    }

    public var podcastIDs: [PodcastID] { status.podcasts.map(\.podcast.id) }

    public func lines(for display: Display) -> [String] {
        var sheet = Sheet("Library")
        sheet.add("podcasts", grouped(status.overview.podcasts))
        sheet.add("episodes", grouped(status.overview.episodes))
        sheet.add("searchable", spokenWords)
        sheet.add("queue", grouped(status.queued))
        sheet.add("last refresh", status.lastRefresh.startedAt.map(display.date) ?? "never")
        sheet.add("next due", status.overview.nextDueAt.map { $0 <= now ? "now" : display.date($0) })
        sheet.add("backlog", status.backlog > 0 ? backlogWords(display) : nil)
        if let activity = status.activity {
            let leases = activity.leases > 0 ? ", " + counted(activity.leases, "lease") : ""
            sheet.add("workers", activity.workers.isEmpty ? "none" : grouped(activity.workers.count) + leases)
            for worker in activity.workers.prefix(Self.shownWorkers) {
                sheet.add("", "\(worker.name.oneLine), since \(display.date(worker.startedAt))")
            }
        }
        sheet.add("size", status.librarySize.map(formattedSize))
        sheet.add("index", indexWords, style: (status.outdatedInIndex ?? 1) > 0 ? .attention : nil)
        var lines = sheet.lines(for: display)

        let grades = Health.allCases.compactMap { health -> String? in
            let count = status.overview.health[health] ?? 0
            return count > 0 ? "\(grouped(count)) \(health.word)" : nil
        }
        if !grades.isEmpty { lines += ["", display.styled("Health", .bold)] + display.fitted(grades.joined(separator: ", ")) }
        // Problems come first. Dormant podcasts may be many and need nothing, so they are only counted.
        let noteworthy =
            status.podcasts.filter { $0.health != .fine && $0.health != .dormant }.enumerated()
            .sorted { ($0.element.health.urgency, $0.offset) < ($1.element.health.urgency, $1.offset) }.map(\.element)
        guard !noteworthy.isEmpty else { return lines }

        var table = Table([
            .init("ID"), .init("TITLE", minimum: 14, isName: true), .init("HEALTH"), .init("WHY", minimum: 44),
            // No minimum, since a truncated command is useless.
            .init("WHAT HELPS"),
        ])
        table.rows = noteworthy.map { podcast, health in
            [
                .init(display.shown(podcast.id), style: .dim), .init(podcast.displayTitle),
                .init(health.word, style: health.needsAttention ? .failed : .attention),
                .init(health.why(podcast, now: display.isTerminal ? now : nil)),
                .init(health.remedy(podcast, id: display.shown(podcast.id))),
            ]
        }
        return lines + [""] + table.lines(for: display)
    }

    private static let shownWorkers = 20

    private func backlogWords(_ display: Display) -> String {
        let since = oldestOverdueAt.map { ", the first due \($0.relative(to: now))" } ?? ""
        return counted(status.backlog, "podcast") + " due" + since
    }

    /// `what is said in 120 episodes (12 %); 40 of their transcripts were made here`; nil if none has a transcript.
    private var spokenWords: String? {
        guard let transcribed = status.transcribed, case let sum = transcribed.published + transcribed.home, sum > 0 else {
            return nil
        }
        let share = 100 * sum / max(status.overview.episodes, 1)
        let home =
            transcribed.home > 0
            ? "; \(grouped(transcribed.home)) of the transcripts \(transcribed.home == 1 ? "was" : "were") made here" : ""
        return "what is said in \(counted(sum, "episode")) (\(share) %)" + home
    }

    private var oldestOverdueAt: Timestamp? { status.overview.nextDueAt.flatMap { $0 <= now ? $0 : nil } }

    private var indexWords: String {
        let bytes = status.indexSize.map { ", " + formattedSize($0) } ?? ""
        switch status.outdatedInIndex {
        case nil: return "unreadable; 'jimmy verify --repair' rebuilds it"
        case 0?: return "up to date" + bytes
        case let count?:
            let next = status.activity == nil ? "refresh" : "search"
            return counted(count, "podcast") + " to index at the next \(next)" + bytes
        }
    }

    public func jsonLines(_ emit: (String) -> Void) {
        emit(jsonLine(Row(status: status, now: now, oldestOverdueAt: oldestOverdueAt)))
    }

    private struct Row: Fields {
        let status: LibraryStatus
        let now: Timestamp
        let oldestOverdueAt: Timestamp?

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.integer("podcasts", status.overview.podcasts)
            visitor.integer("episodes", status.overview.episodes)
            visitor.integer("queued", status.queued)
            visitor.integer("transcripts", status.transcribed.map { $0.published + $0.home })
            visitor.integer("homemadeTranscripts", status.transcribed?.home)
            visitor.integer("failing", status.overview.failing)
            visitor.integer("needingAttention", status.overview.needingAttentionCount)
            visitor.time("lastRefreshAt", status.lastRefresh.startedAt)
            visitor.time("lastRefreshEndedAt", status.lastRefresh.endedAt)
            visitor.time("nextDueAt", status.overview.nextDueAt)
            visitor.integer("backlog", status.backlog)
            visitor.time("oldestOverdueAt", oldestOverdueAt)
            visitor.objects("workers", status.activity?.workers.map(WorkerFields.init) ?? [])
            visitor.integer("leases", status.activity?.leases ?? 0)
            visitor.integer("bytes", status.librarySize)
            visitor.integer("indexBytes", status.indexSize)
            visitor.text("index", status.outdatedInIndex.map { $0 == 0 ? "current" : "stale" } ?? "unreadable")
            visitor.integer("staleInIndex", status.outdatedInIndex)
            visitor.objects("health", status.podcasts.map { Grade(podcast: $0.podcast, health: $0.health) })
            visitor.objects("metrics", LibraryMetrics(status, now: now).all.flatMap(\.samples))
        }
    }

    private struct WorkerFields: Fields {
        let worker: WorkActivity.Worker

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("name", worker.name)
            visitor.time("startedAt", worker.startedAt)
            visitor.time("seenAt", worker.seenAt)
        }
    }

    private struct Grade: Fields {
        let podcast: Podcast
        let health: Health

        func visit<V: FieldVisitor>(_ visitor: inout V) {
            visitor.text("id", podcast.id.text)
            visitor.text("title", podcast.displayTitle)
            visitor.text("health", health.rawValue)
            visitor.text("why", health.why(podcast, now: nil))
            visitor.text("remedy", health.remedy(podcast, id: podcast.id.text))
        }
    }
}

extension Health {
    /// Lower is more urgent.
    fileprivate var urgency: Int {
        switch self {
        case .dead, .needsPassword, .malformed: 0
        case .failing: 1
        case .slow, .moved: 2
        case .unfetched: 3
        case .paused: 4
        case .dormant, .fine: 5
        }
    }

    public var word: String {
        switch self {
        case .fine: "fine"
        case .paused: "paused"
        case .unfetched: "not fetched yet"
        case .failing: "failing"
        case .dead: "dead"
        case .needsPassword: "needs a password"
        case .malformed: "malformed"
        case .slow: "slow"
        case .moved: "moved"
        case .dormant: "dormant"
        }
    }

    /// What the word means, for people who see it for the first time.
    public var meaning: String {
        switch self {
        case .fine: "answers as it should"
        case .paused: "you paused it, so it is not fetched by itself"
        case .unfetched: "subscribed, but not fetched yet"
        case .failing: "does not answer as it should, and is tried again by itself"
        case .dead: "gone for good, or failing for more than three weeks"
        case .needsPassword: "asks for a user and a password, or refuses those it was given"
        case .malformed: "answers with something that is not a feed"
        case .slow: "answers, but takes more than ten seconds"
        case .moved: "moved to another address in the last two weeks, which is used now"
        case .dormant: "answers, but nothing new came for half a year or longer"
        }
    }

    public func why(_ podcast: Podcast, now: Timestamp?) -> String? {
        func when(_ time: Timestamp) -> String { now.map { time.relative(to: $0) } ?? time.description }
        switch self {
        case .fine, .paused, .unfetched: return nil
        case .failing, .dead, .needsPassword, .malformed: return podcast.fetch.failureWords(now: now)
        case .slow:
            return "its last responses took about \(span(Int64((podcast.fetch.answers.first?.milliseconds ?? 0) / 1_000)))"
        case .moved: return podcast.fetch.moves.first.map { "moved \(when($0.at)), previously at \($0.from)" }
        case .dormant: return podcast.latestEpisodeAt.map { "latest episode: \(when($0))" }
        }
    }

    /// The command that helps or shows more.
    func remedy(_ podcast: Podcast, id: String) -> String? {
        switch self {
        case .fine, .slow, .moved, .dormant: nil
        case .paused: "jimmy edit \(id) --resume"
        case .unfetched: "jimmy refresh \(id)"
        case .failing where podcast.fetch.failure?.status == 403 && PrivateURL.isLikely(podcast.feedURL):
            "jimmy edit \(id) --feed-url URL"
        case .failing: "jimmy explain \(id)"
        case .dead:
            // A feed that never answered has no title to look for.
            ((podcast.settings.title ?? podcast.title).map { "jimmy discover '\($0.oneLine.replacing("'", with: ""))' or " } ?? "")
                + "jimmy unsubscribe \(id)"
        case .needsPassword: "jimmy edit \(id) --user NAME"
        case .malformed: "jimmy refresh --force \(id)"
        }
    }
}
